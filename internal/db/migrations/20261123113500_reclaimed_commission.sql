-- +goose Up

-- A commission is taken back after its release too, where the money that it was earned by goes back. What its inviter had
-- withdrawn by then is owed, and later commission pays it first.
ALTER TABLE commission ADD COLUMN withdrawn {{int}} NOT NULL DEFAULT 0
	CHECK (withdrawn BETWEEN 0 AND amount AND (withdrawn = 0 OR state = 'reversed')); -- of a reversed one, what was not there to be taken back
ALTER TABLE commission ADD COLUMN owed {{int}} NOT NULL DEFAULT 0 CHECK (owed BETWEEN 0 AND withdrawn); -- of that, what no later commission has paid yet
ALTER TABLE commission ADD COLUMN settled {{int}} NOT NULL DEFAULT 0
	CHECK (settled BETWEEN 0 AND amount AND (settled = 0 OR state <> 'pending')); -- of this commission, what paid for reversed ones
CREATE INDEX commission_owed ON commission (inviter_id, id) WHERE owed > 0;

-- Orders that were refunded earlier left the commission that was released by then to its inviter, and that stays so.
ALTER TABLE commission ADD COLUMN stays {{bool}} NOT NULL DEFAULT {{false}};
UPDATE commission SET stays = {{true}} WHERE state = 'released' AND order_id IN (SELECT id FROM shop_order WHERE state = 'refunded');
