-- +goose Up

-- What members of staff give that is worth money, each act with its worth. The sum of what a member gives alone on one
-- day of the site is in staff_grant_day, whose row is the member's lock.
CREATE TABLE staff_grant (
	id             {{id}},
	kind           {{text}} NOT NULL CHECK (kind IN ('adjustment', 'cd_keys', 'coupon', 'payment_by_hand', 'refund_by_hand', 'payment_case')),
	reference_id   {{int}} NOT NULL, -- of the adjustment, batch, coupon, recharge, refund or case
	staff_id       {{int}} NOT NULL, -- who made it
	beneficiary_id {{int}}, -- whose account it reaches; null: nobody's in particular
	worth          {{int}} NOT NULL CHECK (worth >= 0),
	day            {{text}} NOT NULL, -- of the site, as 2026-12-31
	state          {{text}} NOT NULL CHECK (state IN ('alone', 'waiting', 'approved', 'declined')),
	created_at     {{time}} NOT NULL,
	decided_by     {{int}}, -- the second member; null: the operator
	decided_at     {{time}},
	CHECK ((state IN ('approved', 'declined')) = (decided_at IS NOT NULL)),
	CHECK (state <> 'approved' OR decided_by IS NULL OR (decided_by <> staff_id AND (beneficiary_id IS NULL OR decided_by <> beneficiary_id))),
	CHECK (state <> 'alone' OR beneficiary_id IS NULL OR beneficiary_id <> staff_id)
) {{strict}};
CREATE UNIQUE INDEX staff_grant_waiting ON staff_grant (kind, reference_id) WHERE state = 'waiting';
CREATE INDEX staff_grant_reference ON staff_grant (kind, reference_id);
CREATE INDEX staff_grant_staff ON staff_grant (staff_id, day);

CREATE TABLE staff_grant_day (
	staff_id {{int}} NOT NULL,
	day      {{text}} NOT NULL,
	worth    {{int}} NOT NULL CHECK (worth >= 0),
	PRIMARY KEY (staff_id, day)
) {{strict}};

-- Acts that wait for a second member already.
INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at)
	SELECT 'adjustment', id, made_by, user_id, ABS(amount), '', 'waiting', created_at FROM wallet_adjustment WHERE state = 'pending' AND made_by IS NOT NULL;
INSERT INTO staff_grant (kind, reference_id, staff_id, worth, day, state, created_at)
	SELECT 'cd_keys', id, made_by, amount * size * max_uses, '', 'waiting', created_at FROM cd_key_batch
	WHERE confirmed_at IS NULL AND voided_at IS NULL AND made_by IS NOT NULL AND kind = 'amount';
INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at)
	SELECT 'refund_by_hand', id, made_by, user_id, amount, '', 'waiting', created_at FROM gateway_refund WHERE state = 'pending' AND by_hand AND made_by IS NOT NULL;
INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at)
	SELECT 'payment_by_hand', r.id, n.staff_id, r.user_id, r.amount, '', 'waiting', n.created_at
	FROM payment_notify n JOIN recharge r ON r.id = n.recharge_id
	WHERE n.id IN (SELECT MIN(id) FROM payment_notify WHERE method = 'HAND' AND reason = 'second_member' GROUP BY recharge_id) AND r.state NOT IN ('paid', 'refunded');

-- A payment at a platform that was acted on, and for what: one posting at most for each.
CREATE TABLE external_payment (
	gateway        {{text}} NOT NULL,
	transaction_id {{text}} NOT NULL,
	reference_kind {{text}} NOT NULL CHECK (reference_kind IN ('recharge', 'payment_case')),
	reference_id   {{int}} NOT NULL,
	PRIMARY KEY (gateway, transaction_id),
	UNIQUE (reference_kind, reference_id)
) {{strict}};
INSERT INTO external_payment (gateway, transaction_id, reference_kind, reference_id)
	SELECT gateway, transaction_id, 'recharge', id FROM recharge WHERE transaction_id IS NOT NULL;

-- A payment that a platform vouches for and that was refused, doubled or matches nothing, until staff has decided on it.
CREATE TABLE payment_case (
	id             {{id}},
	kind           {{text}} NOT NULL CHECK (kind IN ('paid_twice', 'transaction_used', 'unknown_number', 'wrong_gateway', 'wrong_amount', 'wrong_currency', 'not_confirmed')),
	gateway        {{text}} NOT NULL,
	transaction_id {{text}} NOT NULL,
	trade_no       {{text}} NOT NULL, -- as the platform names it; not always ours
	amount         {{int}} NOT NULL, -- what was paid, in currency
	currency       {{text}} NOT NULL,
	recharge_id    {{int}} REFERENCES recharge (id),
	user_id        {{int}}, -- whose recharge it is, or to whom it was credited
	state          {{text}} NOT NULL CHECK (state IN ('open', 'waiting', 'refunding', 'credited', 'refunded', 'dismissed')),
	credit         {{int}} CHECK (credit > 0), -- what the wallet gains, in the site's currency
	reason         {{text}} NOT NULL, -- of what staff decided
	decided_by     {{int}}, -- member of staff; null: nobody yet, or at the command line
	refund_no      {{text}} UNIQUE, -- names the refund at the platform, so that repeated calls give back once
	answer         {{text}} NOT NULL, -- what the platform said last to a refund, where that was no yes
	attempts       {{int}} NOT NULL CHECK (attempts >= 0),
	next_at        {{time}} NOT NULL, -- when the platform is asked next for a refund
	created_at     {{time}} NOT NULL,
	ended_at       {{time}},
	UNIQUE (gateway, transaction_id),
	CHECK ((state IN ('credited', 'refunded', 'dismissed')) = (ended_at IS NOT NULL)),
	CHECK (state NOT IN ('waiting', 'credited') OR (credit IS NOT NULL AND user_id IS NOT NULL)),
	CHECK (state NOT IN ('refunding', 'refunded') OR refund_no IS NOT NULL),
	CHECK (state = 'open' OR reason <> '')
) {{strict}};
CREATE INDEX payment_case_state ON payment_case (state, id);

-- The case that a notify opened or repeated.
ALTER TABLE payment_notify ADD COLUMN case_id {{int}} REFERENCES payment_case (id);
CREATE INDEX payment_notify_case ON payment_notify (case_id) WHERE case_id IS NOT NULL;
