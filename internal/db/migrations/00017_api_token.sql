-- +goose Up
CREATE TABLE api_token (
	id           {{id}},
	account_id   {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	name         {{text}} NOT NULL CHECK (name <> ''),
	hash         {{blob}} NOT NULL UNIQUE, -- SHA-256 of the UUID, which is shown once
	hint         {{text}} NOT NULL,        -- its first characters, to tell one from another
	scopes       {{json}} NOT NULL,
	created_at   {{time}} NOT NULL,
	expires_at   {{time}},
	last_used_at {{time}}, -- to the minute
	revoked_at   {{time}}
) {{strict}};
CREATE INDEX api_token_account ON api_token (account_id);
