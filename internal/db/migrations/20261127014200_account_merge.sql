-- +goose Up
-- Two accounts of one person that staff made one: the first ended, and what it owned moved to the second.
CREATE TABLE account_merge (
	id         {{id}},
	from_id    {{int}} NOT NULL REFERENCES account (id),
	into_id    {{int}} NOT NULL REFERENCES account (id) CHECK (into_id <> from_id),
	balance    {{int}} NOT NULL CHECK (balance >= 0),    -- of the wallet, that moved; while it waits, that was there
	commission {{int}} NOT NULL CHECK (commission >= 0), -- released, the same
	reason     {{text}} NOT NULL CHECK (reason <> ''),
	state      {{text}} NOT NULL CHECK (state IN ('waiting', 'done', 'declined')),
	made_by    {{int}} CHECK (made_by <> into_id), -- member of staff; null: the operator
	created_at {{time}} NOT NULL,
	decided_by {{int}} CHECK (decided_by <> made_by OR state <> 'done'),
	ended_at   {{time}},
	CHECK ((state = 'waiting') = (ended_at IS NULL))
) {{strict}};
CREATE UNIQUE INDEX account_merge_from ON account_merge (from_id) WHERE state <> 'declined';
CREATE INDEX account_merge_into ON account_merge (into_id);

-- It is an act of staff that is worth money. The column is made anew for its other check.
ALTER TABLE staff_grant ADD COLUMN act_kind {{text}} NOT NULL DEFAULT 'adjustment' CHECK (act_kind IN ('adjustment', 'cd_keys',
	'coupon', 'payment_by_hand', 'refund_by_hand', 'recharge_refund', 'payment_case', 'payment_case_refund', 'order_refund',
	'traffic', 'commission_payout', 'service_gift', 'bulk_job', 'order_by_hand', 'account_merge'));
UPDATE staff_grant SET act_kind = kind;
DROP INDEX staff_grant_waiting;
DROP INDEX staff_grant_reference;
ALTER TABLE staff_grant DROP COLUMN kind;
ALTER TABLE staff_grant RENAME COLUMN act_kind TO kind;
CREATE UNIQUE INDEX staff_grant_waiting ON staff_grant (kind, reference_id) WHERE state = 'waiting';
CREATE INDEX staff_grant_reference ON staff_grant (kind, reference_id);
