-- +goose Up
CREATE TABLE totp (
	account_id   {{int}} PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
	sealed       {{blob}} NOT NULL, -- the secret
	last_step    {{int}} NOT NULL, -- number of the 30 s whose code was taken last: it and those before count no more
	confirmed_at {{time}}, -- null while the first code is waited for: nothing is asked for yet
	created_at   {{time}} NOT NULL
) {{strict}};

CREATE TABLE recovery_code (
	account_id {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	hash       {{blob}} NOT NULL, -- keyed; a code has 50 random bits
	used_at    {{time}},
	PRIMARY KEY (account_id, hash)
) {{strict}};

-- What happened to an account, for its user to see.
CREATE TABLE activity (
	id         {{id}},
	account_id {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	kind       {{text}} NOT NULL,
	ip         {{text}} NOT NULL, -- empty: done by the operator
	user_agent {{text}} NOT NULL,
	at         {{time}} NOT NULL
) {{strict}};
CREATE INDEX activity_account ON activity (account_id, at);
CREATE INDEX activity_at ON activity (at);
