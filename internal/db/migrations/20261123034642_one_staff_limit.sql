-- +goose Up

-- The operator's acts are recorded too, and there are more kinds of acts.
CREATE TABLE staff_act (
	id             {{id}},
	kind           {{text}} NOT NULL CHECK (kind IN ('adjustment', 'cd_keys', 'coupon', 'payment_by_hand', 'refund_by_hand',
		'recharge_refund', 'payment_case', 'payment_case_refund', 'order_refund', 'traffic')),
	reference_id   {{int}} NOT NULL, -- of the adjustment, batch, coupon, recharge, refund, case or grant
	staff_id       {{int}}, -- who made it; null: the operator
	beneficiary_id {{int}}, -- whose account it reaches; null: nobody's in particular
	worth          {{int}} NOT NULL CHECK (worth >= 0),
	day            {{text}} NOT NULL, -- of the site, as 2026-12-31
	state          {{text}} NOT NULL CHECK (state IN ('alone', 'waiting', 'approved', 'declined')),
	created_at     {{time}} NOT NULL,
	decided_by     {{int}}, -- the second member; null: the operator
	decided_at     {{time}},
	CHECK (staff_id IS NOT NULL OR state = 'alone'),
	CHECK ((state IN ('approved', 'declined')) = (decided_at IS NOT NULL)),
	CHECK (state <> 'approved' OR decided_by IS NULL OR (decided_by <> staff_id AND (beneficiary_id IS NULL OR decided_by <> beneficiary_id))),
	CHECK (state <> 'alone' OR staff_id IS NULL OR beneficiary_id IS NULL OR beneficiary_id <> staff_id)
) {{strict}};
INSERT INTO staff_act (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at, decided_by, decided_at)
	SELECT kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at, decided_by, decided_at FROM staff_grant ORDER BY id;
DROP TABLE staff_grant;
ALTER TABLE staff_act RENAME TO staff_grant;
CREATE UNIQUE INDEX staff_grant_waiting ON staff_grant (kind, reference_id) WHERE state = 'waiting';
CREATE INDEX staff_grant_reference ON staff_grant (kind, reference_id);
CREATE INDEX staff_grant_staff ON staff_grant (staff_id, day);

-- Adjustments, keys, refunds and payments by hand were decided without regard to their acts until now: each act ends as its
-- matter did. Who decided is not named where the rules above would not admit them.
UPDATE staff_grant SET decided_by = CASE WHEN m.decided_by = staff_grant.staff_id OR m.decided_by = m.user_id THEN NULL ELSE m.decided_by END,
	decided_at = m.decided_at, state = CASE WHEN m.state = 'posted' THEN 'approved' ELSE 'declined' END
	FROM wallet_adjustment m WHERE staff_grant.kind = 'adjustment' AND staff_grant.state = 'waiting' AND m.id = staff_grant.reference_id
		AND m.state <> 'pending';
UPDATE staff_grant SET decided_by = CASE WHEN b.confirmed_by = staff_grant.staff_id THEN NULL ELSE b.confirmed_by END,
	decided_at = b.confirmed_at, state = 'approved'
	FROM cd_key_batch b WHERE staff_grant.kind = 'cd_keys' AND staff_grant.state = 'waiting' AND b.id = staff_grant.reference_id
		AND b.confirmed_at IS NOT NULL;
UPDATE staff_grant SET decided_by = b.voided_by, decided_at = b.voided_at, state = 'declined'
	FROM cd_key_batch b WHERE staff_grant.kind = 'cd_keys' AND staff_grant.state = 'waiting' AND b.id = staff_grant.reference_id
		AND b.voided_at IS NOT NULL;
UPDATE staff_grant SET decided_by = CASE WHEN g.decided_by = staff_grant.staff_id OR g.decided_by = g.user_id THEN NULL ELSE g.decided_by END,
	decided_at = g.ended_at, state = CASE WHEN g.state = 'done' THEN 'approved' ELSE 'declined' END
	FROM gateway_refund g WHERE staff_grant.kind = 'refund_by_hand' AND staff_grant.state = 'waiting' AND g.id = staff_grant.reference_id
		AND g.state <> 'pending';
UPDATE staff_grant SET decided_at = r.paid_at, state = 'approved', decided_by = (SELECT MIN(n.staff_id) FROM payment_notify n
		WHERE n.recharge_id = r.id AND n.outcome = 'credited' AND n.staff_id <> staff_grant.staff_id AND n.staff_id <> r.user_id)
	FROM recharge r WHERE staff_grant.kind = 'payment_by_hand' AND staff_grant.state = 'waiting' AND r.id = staff_grant.reference_id
		AND r.paid_at IS NOT NULL;

-- What began to wait since then has no act yet.
INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at)
	SELECT 'adjustment', id, made_by, user_id, ABS(amount), '', 'waiting', created_at FROM wallet_adjustment
	WHERE state = 'pending' AND made_by IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM staff_grant WHERE kind = 'adjustment' AND reference_id = wallet_adjustment.id AND state = 'waiting');
INSERT INTO staff_grant (kind, reference_id, staff_id, worth, day, state, created_at)
	SELECT 'cd_keys', id, made_by, amount * size * max_uses, '', 'waiting', created_at FROM cd_key_batch
	WHERE confirmed_at IS NULL AND voided_at IS NULL AND made_by IS NOT NULL AND kind = 'amount'
		AND NOT EXISTS (SELECT 1 FROM staff_grant WHERE kind = 'cd_keys' AND reference_id = cd_key_batch.id AND state = 'waiting');
INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at)
	SELECT 'refund_by_hand', id, made_by, user_id, amount, '', 'waiting', created_at FROM gateway_refund
	WHERE state = 'pending' AND by_hand AND made_by IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM staff_grant WHERE kind = 'refund_by_hand' AND reference_id = gateway_refund.id AND state = 'waiting');
INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at)
	SELECT 'payment_by_hand', r.id, n.staff_id, r.user_id, r.amount, '', 'waiting', n.created_at
	FROM payment_notify n JOIN recharge r ON r.id = n.recharge_id
	WHERE n.id IN (SELECT MIN(id) FROM payment_notify WHERE method = 'HAND' AND reason = 'second_member' GROUP BY recharge_id) AND r.paid_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM staff_grant WHERE kind = 'payment_by_hand' AND reference_id = r.id AND state = 'waiting');

-- The keys of a batch that waits can be used no times at all.
UPDATE cd_key SET max_uses = 0 WHERE batch_id IN (SELECT id FROM cd_key_batch WHERE confirmed_at IS NULL);

-- Who made the key and who approved it do not redeem it.
ALTER TABLE cd_key_redemption ADD COLUMN made_by {{int}} CHECK (made_by <> user_id); -- null: at the command line
ALTER TABLE cd_key_redemption ADD COLUMN approved_by {{int}} CHECK (approved_by <> user_id); -- null: nobody had to

DROP INDEX wallet_adjustment_made;
DROP INDEX gateway_refund_made;
