-- +goose Up
-- What users want paid out of their commission outside of the site. The amount is held in the commission account until
-- staff has paid or refused it.
CREATE TABLE commission_payout (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	amount     {{int}} NOT NULL CHECK (amount > 0),
	method     {{text}} NOT NULL CHECK (method IN ('alipay', 'wechat', 'bank', 'usdt', 'other')),
	account    {{blob}}, -- where it is paid to, sealed; null: forgotten with the account of the user
	state      {{text}} NOT NULL CHECK (state IN ('open', 'waiting', 'paid', 'refused', 'withdrawn')),
	answer     {{text}} NOT NULL, -- of staff, for the user
	made_by    {{int}}, -- member of staff who paid or refused it last; null: nobody yet, the user or the operator
	decided_by {{int}} CHECK (decided_by <> made_by OR state <> 'paid'), -- the second member
	created_at {{time}} NOT NULL,
	ended_at   {{time}},
	CHECK ((state IN ('open', 'waiting')) = (ended_at IS NULL))
) {{strict}};
CREATE INDEX commission_payout_user ON commission_payout (user_id, id);
CREATE UNIQUE INDEX commission_payout_open ON commission_payout (user_id) WHERE ended_at IS NULL;

-- A payout is an act of staff that is worth money. The column is made anew for its other check.
ALTER TABLE staff_grant ADD COLUMN act_kind {{text}} NOT NULL DEFAULT 'adjustment' CHECK (act_kind IN ('adjustment', 'cd_keys',
	'coupon', 'payment_by_hand', 'refund_by_hand', 'recharge_refund', 'payment_case', 'payment_case_refund', 'order_refund',
	'traffic', 'commission_payout'));
UPDATE staff_grant SET act_kind = kind;
DROP INDEX staff_grant_waiting;
DROP INDEX staff_grant_reference;
ALTER TABLE staff_grant DROP COLUMN kind;
ALTER TABLE staff_grant RENAME COLUMN act_kind TO kind;
CREATE UNIQUE INDEX staff_grant_waiting ON staff_grant (kind, reference_id) WHERE state = 'waiting';
CREATE INDEX staff_grant_reference ON staff_grant (kind, reference_id);
