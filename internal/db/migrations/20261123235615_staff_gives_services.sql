-- +goose Up
-- What staff gives a user of a service: time, another plan, or the traffic of the period once more.
CREATE TABLE service_gift (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	kind       {{text}} NOT NULL CHECK (kind IN ('start', 'extend', 'change', 'reset')),
	service_id {{int}} REFERENCES service (id), -- that it is about; of a start the one that it brought
	plan_id    {{int}} REFERENCES plan (id),    -- of a start and a change
	months     {{int}} NOT NULL CHECK (months BETWEEN 0 AND 120),
	days       {{int}} NOT NULL CHECK (days BETWEEN 0 AND 3660),
	reason     {{text}} NOT NULL,
	state      {{text}} NOT NULL CHECK (state IN ('waiting', 'given', 'declined')),
	made_by    {{int}}, -- member of staff; null: the operator
	created_at {{time}} NOT NULL,
	decided_by {{int}} CHECK (decided_by <> made_by OR state <> 'given'),
	ended_at   {{time}},
	CHECK ((state = 'waiting') = (ended_at IS NULL)),
	CHECK ((kind IN ('start', 'change')) = (plan_id IS NOT NULL)),
	CHECK ((kind IN ('start', 'extend')) = (months + days > 0)),
	CHECK (service_id IS NOT NULL OR (kind = 'start' AND state <> 'given'))
) {{strict}};
CREATE UNIQUE INDEX service_gift_waiting ON service_gift (user_id, made_by) WHERE state = 'waiting';

-- It is an act of staff that is worth money, and so is a job on many users. The column is made anew for its other check.
ALTER TABLE staff_grant ADD COLUMN act_kind {{text}} NOT NULL DEFAULT 'adjustment' CHECK (act_kind IN ('adjustment', 'cd_keys',
	'coupon', 'payment_by_hand', 'refund_by_hand', 'recharge_refund', 'payment_case', 'payment_case_refund', 'order_refund',
	'traffic', 'commission_payout', 'service_gift', 'bulk_job'));
UPDATE staff_grant SET act_kind = kind;
DROP INDEX staff_grant_waiting;
DROP INDEX staff_grant_reference;
ALTER TABLE staff_grant DROP COLUMN kind;
ALTER TABLE staff_grant RENAME COLUMN act_kind TO kind;
CREATE UNIQUE INDEX staff_grant_waiting ON staff_grant (kind, reference_id) WHERE state = 'waiting';
CREATE INDEX staff_grant_reference ON staff_grant (kind, reference_id);

-- Staff may stop a service: nothing is given back, and it never runs again.
ALTER TABLE service ADD COLUMN end_why {{text}} CHECK (end_why IS NULL OR
	(end_why IN ('expired', 'changed', 'refunded', 'closed', 'stopped') AND ended_at IS NOT NULL AND (end_why = 'expired' OR NOT auto_renew)));
UPDATE service SET end_why = end_reason WHERE end_reason IS NOT NULL;
ALTER TABLE service DROP COLUMN end_reason;
ALTER TABLE service RENAME COLUMN end_why TO end_reason;

-- What members of staff write down about a user; users never see it.
CREATE TABLE user_note (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	text       {{text}} NOT NULL CHECK (text <> ''),
	made_by    {{int}}, -- member of staff; null: the operator
	created_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX user_note_user ON user_note (user_id, id);
