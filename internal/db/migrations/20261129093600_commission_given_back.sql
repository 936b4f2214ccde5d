-- +goose Up

-- What of a commission's base came back to the buyer by a refund of the order, or of one that a change of plan credited
-- it to; or by a change that put the rest of its credit into the wallet. What then stays spent has a commission of the
-- change's order. Refunds that were made before this column left it 0.
ALTER TABLE commission ADD COLUMN given_back {{int}} NOT NULL DEFAULT 0
	CHECK (given_back BETWEEN 0 AND base - returned AND (given_back = 0 OR state = 'reversed'));

-- Changes of plan and refunds after them left the commission of the changed order to its inviter, and that stays so.
WITH RECURSIVE given (id) AS (
	SELECT id FROM shop_order WHERE state = 'refunded'
		OR state = 'paid' AND credit > price - discount AND (terms ->> 'extra') IS NULL
	UNION SELECT f.order_id FROM fulfilment f JOIN given g ON f.credited_by = g.id WHERE f.given_back > 0)
UPDATE commission SET stays = {{true}} WHERE state <> 'reversed' AND order_id IN (SELECT id FROM given);
