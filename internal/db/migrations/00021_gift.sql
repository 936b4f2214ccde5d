-- +goose Up
-- Some keys that give the same thing, made together.
CREATE TABLE cd_key_batch (
	id           {{id}},
	name         {{text}} NOT NULL, -- for staff
	kind         {{text}} NOT NULL CHECK (kind IN ('amount', 'plan', 'traffic')),
	amount       {{int}} CHECK (amount > 0),
	plan_id      {{int}},
	months       {{int}} CHECK (months >= 0),
	days         {{int}} CHECK (days >= 0), -- of a plan beside the months; of traffic: how long it lives, null until it is used up
	bytes        {{int}} CHECK (bytes > 0),
	size         {{int}} NOT NULL CHECK (size > 0), -- how many keys
	max_uses     {{int}} NOT NULL CHECK (max_uses > 0), -- of each key
	per_user     {{int}} CHECK (per_user > 0), -- keys of this batch that one user may redeem; null: no limit
	expires_at   {{time}},
	made_by      {{int}}, -- member of staff; null: at the command line
	created_at   {{time}} NOT NULL,
	confirmed_by {{int}} CHECK (confirmed_by <> made_by),
	confirmed_at {{time}}, -- null: worth so much that a second member of staff must confirm it first
	voided_by    {{int}},
	voided_at    {{time}},
	CHECK ((kind = 'amount') = (amount IS NOT NULL)),
	CHECK ((kind = 'plan') = (plan_id IS NOT NULL AND months IS NOT NULL AND days IS NOT NULL AND months + days > 0)),
	CHECK ((kind = 'traffic') = (bytes IS NOT NULL))
) {{strict}};

CREATE TABLE cd_key (
	id        {{id}},
	batch_id  {{int}} NOT NULL REFERENCES cd_key_batch (id),
	hash      {{blob}} NOT NULL UNIQUE, -- SHA-256; the key itself is shown once
	prefix    {{text}} NOT NULL, -- its first characters, to tell one from another
	max_uses  {{int}} NOT NULL,
	used      {{int}} NOT NULL CHECK (used >= 0 AND used <= max_uses),
	voided_at {{time}}
) {{strict}};
CREATE INDEX cd_key_batch_id ON cd_key (batch_id, id);

CREATE TABLE cd_key_redemption (
	id         {{id}},
	key_id     {{int}} NOT NULL REFERENCES cd_key (id),
	batch_id   {{int}} NOT NULL REFERENCES cd_key_batch (id),
	user_id    {{int}} NOT NULL,
	service_id {{int}}, -- that it began or prolonged
	package_id {{int}},
	created_at {{time}} NOT NULL,
	UNIQUE (key_id, user_id)
) {{strict}};
CREATE INDEX cd_key_redemption_user ON cd_key_redemption (user_id, id);
CREATE INDEX cd_key_redemption_batch ON cd_key_redemption (batch_id, user_id);

-- When a user's last tries failed. The row is also what lets a user redeem one key after the other.
CREATE TABLE cd_key_try (
	user_id    {{int}} PRIMARY KEY,
	failed     {{json}} NOT NULL,
	updated_at {{time}} NOT NULL
) {{strict}};

-- What staff put into or took out of a wallet.
CREATE TABLE wallet_adjustment (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	amount     {{int}} NOT NULL CHECK (amount <> 0), -- negative: taken
	reason     {{text}} NOT NULL CHECK (reason <> ''), -- the user reads it
	state      {{text}} NOT NULL CHECK (state IN ('pending', 'posted', 'declined')),
	made_by    {{int}}, -- member of staff; null: at the command line
	created_at {{time}} NOT NULL,
	decided_by {{int}}, -- the second member; who made it may only decline it
	decided_at {{time}},
	CHECK ((state = 'pending') = (decided_at IS NULL)),
	CHECK (state <> 'posted' OR decided_by <> made_by OR decided_by IS NULL OR made_by IS NULL)
) {{strict}};
CREATE INDEX wallet_adjustment_user ON wallet_adjustment (user_id, id);
CREATE INDEX wallet_adjustment_made ON wallet_adjustment (made_by, created_at);
CREATE INDEX wallet_adjustment_pending ON wallet_adjustment (id) WHERE state = 'pending';

-- What a user earned by an order of somebody they invited. The money is in their commission account, held while pending.
CREATE TABLE commission (
	id         {{id}},
	order_id   {{int}} NOT NULL UNIQUE,
	inviter_id {{int}} NOT NULL,
	user_id    {{int}} NOT NULL, -- who was invited and bought
	base       {{int}} NOT NULL CHECK (base > 0), -- the part of the order paid with money that came in, not with gifts
	permille   {{int}} NOT NULL CHECK (permille BETWEEN 1 AND 1000),
	amount     {{int}} NOT NULL CHECK (amount > 0 AND amount <= base),
	state      {{text}} NOT NULL CHECK (state IN ('pending', 'released', 'reversed')),
	created_at {{time}} NOT NULL,
	release_at {{time}} NOT NULL,
	ended_at   {{time}},
	CHECK (inviter_id <> user_id),
	CHECK ((state = 'pending') = (ended_at IS NULL))
) {{strict}};
CREATE INDEX commission_inviter ON commission (inviter_id, id);
CREATE INDEX commission_user ON commission (user_id);
CREATE INDEX commission_pending ON commission (release_at) WHERE state = 'pending';

-- How much of an invited user's wallet is money that came in, and not a gift, when the wallet had this version.
CREATE TABLE paid_money (
	user_id {{int}} PRIMARY KEY,
	version {{int}} NOT NULL,
	amount  {{int}} NOT NULL CHECK (amount >= 0)
) {{strict}};

-- Rates that differ from the site's.
CREATE TABLE commission_rate (
	user_id  {{int}} PRIMARY KEY,
	permille {{int}} NOT NULL CHECK (permille BETWEEN 0 AND 1000)
) {{strict}};

-- Commission that a user moved into the wallet.
CREATE TABLE commission_withdrawal (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	amount     {{int}} NOT NULL CHECK (amount > 0),
	created_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX commission_withdrawal_user ON commission_withdrawal (user_id, id);

-- Invites that a user bought beyond the site's quota.
CREATE TABLE invite_purchase (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	invites    {{int}} NOT NULL CHECK (invites > 0),
	amount     {{int}} NOT NULL CHECK (amount >= 0),
	created_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX invite_purchase_user ON invite_purchase (user_id);
