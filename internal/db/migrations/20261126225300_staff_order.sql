-- +goose Up
-- Orders that staff makes for users. What the price is below the listed one is what the member gives.
CREATE TABLE staff_order (
	id                {{id}},
	user_id           {{int}} NOT NULL,
	price_id          {{int}} NOT NULL REFERENCES price (id),
	renew_service_id  {{int}} REFERENCES service (id),
	change_service_id {{int}} REFERENCES service (id),
	auto_renew        {{bool}} NOT NULL,
	price             {{int}} NOT NULL CHECK (price >= 0),
	listed            {{int}} NOT NULL CHECK (listed >= price), -- that the shop asked when it was made
	gateway           {{text}} NOT NULL, -- at which the user is to pay; empty: the wallet paid
	reason            {{text}} NOT NULL,
	state             {{text}} NOT NULL CHECK (state IN ('waiting', 'made', 'declined')),
	order_id          {{int}} UNIQUE REFERENCES shop_order (id), -- that it led to
	made_by           {{int}} CHECK (made_by <> user_id), -- member of staff; null: the operator
	created_at        {{time}} NOT NULL,
	decided_by        {{int}} CHECK (decided_by <> made_by OR state <> 'made'),
	ended_at          {{time}},
	CHECK ((state = 'waiting') = (ended_at IS NULL)),
	CHECK ((state = 'made') = (order_id IS NOT NULL))
) {{strict}};
CREATE UNIQUE INDEX staff_order_waiting ON staff_order (user_id, made_by) WHERE state = 'waiting';

-- It is an act of staff that is worth money. The column is made anew for its other check.
ALTER TABLE staff_grant ADD COLUMN act_kind {{text}} NOT NULL DEFAULT 'adjustment' CHECK (act_kind IN ('adjustment', 'cd_keys',
	'coupon', 'payment_by_hand', 'refund_by_hand', 'recharge_refund', 'payment_case', 'payment_case_refund', 'order_refund',
	'traffic', 'commission_payout', 'service_gift', 'bulk_job', 'order_by_hand'));
UPDATE staff_grant SET act_kind = kind;
DROP INDEX staff_grant_waiting;
DROP INDEX staff_grant_reference;
ALTER TABLE staff_grant DROP COLUMN kind;
ALTER TABLE staff_grant RENAME COLUMN act_kind TO kind;
CREATE UNIQUE INDEX staff_grant_waiting ON staff_grant (kind, reference_id) WHERE state = 'waiting';
CREATE INDEX staff_grant_reference ON staff_grant (kind, reference_id);
