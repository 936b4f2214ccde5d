-- +goose Up

-- A commission is taken back in parts: of its amount, as much as its rate of what is gone of its base. What it still
-- amounts to is never more than its rate of the rest.
CREATE TABLE commission_before AS SELECT * FROM commission;
DROP TABLE commission;
CREATE TABLE commission (
	id         {{id}},
	order_id   {{int}} NOT NULL UNIQUE,
	inviter_id {{int}} NOT NULL,
	holder_id  {{int}} REFERENCES account (id), -- who has what was released since the inviter's account became part of theirs
	user_id    {{int}} NOT NULL, -- who was invited and bought
	base       {{int}} NOT NULL CHECK (base > 0), -- the part of the order paid with money that came in, not with gifts
	returned   {{int}} NOT NULL DEFAULT 0 CHECK (returned >= 0), -- of base, what went back to who had paid it
	given_back {{int}} NOT NULL DEFAULT 0 CHECK (given_back >= 0), -- of base, what came back into the buyer's wallet
	came_back  {{bool}} NOT NULL DEFAULT {{false}}, -- all that of base was not returned, by a refund from before given_back
	permille   {{int}} NOT NULL CHECK (permille BETWEEN 1 AND 1000),
	amount     {{int}} NOT NULL CHECK (amount > 0), -- when it was earned
	reversed   {{int}} NOT NULL DEFAULT 0 CHECK (reversed BETWEEN 0 AND amount), -- of amount, what was taken back since
	withdrawn  {{int}} NOT NULL DEFAULT 0 CHECK (withdrawn BETWEEN 0 AND reversed), -- of reversed, what was not there to be taken
	owed       {{int}} NOT NULL DEFAULT 0 CHECK (owed BETWEEN 0 AND withdrawn), -- of withdrawn, what no later commission has paid yet
	settled    {{int}} NOT NULL DEFAULT 0 CHECK (settled BETWEEN 0 AND amount), -- of amount, what paid for reversed ones
	state      {{text}} NOT NULL CHECK (state IN ('pending', 'released', 'reversed')),
	stays      {{bool}} NOT NULL DEFAULT {{false}}, -- released before a refund that was made when such commission stayed
	created_at {{time}} NOT NULL,
	release_at {{time}} NOT NULL,
	ended_at   {{time}},
	CHECK (inviter_id <> user_id),
	CHECK (returned + given_back <= base),
	CHECK (amount - reversed <= (base - returned - given_back) * permille / 1000),
	CHECK ((state = 'reversed') = (reversed = amount)),
	CHECK ((state = 'pending') = (ended_at IS NULL)),
	CHECK (state <> 'pending' OR (withdrawn = 0 AND settled = 0 AND holder_id IS NULL))
) {{strict}};
INSERT INTO commission (id, order_id, inviter_id, holder_id, user_id, base, returned, given_back, came_back, permille,
		amount, reversed, withdrawn, owed, settled, state, stays, created_at, release_at, ended_at)
	SELECT id, order_id, inviter_id, holder_id, user_id, base, returned, given_back, came_back, permille,
		amount, CASE WHEN state = 'reversed' THEN amount ELSE 0 END, withdrawn, owed, settled, state, stays, created_at,
		release_at, ended_at
	FROM commission_before ORDER BY id;
DROP TABLE commission_before;
{{postgres}} SELECT setval(pg_get_serial_sequence('commission', 'id'), COALESCE(MAX(id), 0) + 1, FALSE) FROM commission;
CREATE INDEX commission_inviter ON commission (inviter_id, id);
CREATE INDEX commission_user ON commission (user_id);
CREATE INDEX commission_pending ON commission (release_at) WHERE state = 'pending';
CREATE INDEX commission_owed ON commission (inviter_id, id) WHERE owed > 0;
CREATE INDEX commission_holder ON commission (holder_id) WHERE holder_id IS NOT NULL;
CREATE INDEX commission_created ON commission (created_at, state, amount, reversed);

-- What was taken back of commissions, each part with a movement of its own. Those that were reversed before this table
-- have none here: their movement refers to the commission.
CREATE TABLE commission_reversal (
	id            {{id}},
	commission_id {{int}} NOT NULL REFERENCES commission (id),
	holder_id     {{int}} NOT NULL, -- from whose commission account
	amount        {{int}} NOT NULL CHECK (amount > 0),
	withdrawn     {{int}} NOT NULL CHECK (withdrawn BETWEEN 0 AND amount), -- of amount, what was not there to be taken
	created_at    {{time}} NOT NULL
) {{strict}};
CREATE INDEX commission_reversal_commission ON commission_reversal (commission_id);
