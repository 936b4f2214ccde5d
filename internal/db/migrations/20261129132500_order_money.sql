-- +goose Up

-- Money that came in and paid for an order that earned no commission.
CREATE TABLE order_money (
	order_id {{int}} PRIMARY KEY,
	user_id  {{int}} NOT NULL,
	amount   {{int}} NOT NULL CHECK (amount > 0),
	gone     {{int}} NOT NULL DEFAULT 0 CHECK (gone BETWEEN 0 AND amount) -- into the buyer's wallet, or to who had paid it
) {{strict}};
CREATE INDEX order_money_spent ON order_money (user_id, order_id) WHERE gone < amount;

-- Whether a commission's order was refunded before there was given_back, so that its base came back by the refund.
ALTER TABLE commission ADD COLUMN came_back {{bool}} NOT NULL DEFAULT {{false}};
UPDATE commission SET came_back = {{true}} WHERE state = 'reversed' AND given_back = 0
	AND order_id IN (SELECT order_id FROM refund);
