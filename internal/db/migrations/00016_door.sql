-- +goose Up
-- Sign-ins that staff made for users, each good once.
CREATE TABLE sign_in_token (
	hash       {{blob}} PRIMARY KEY, -- SHA-256 of the UUID
	account_id {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	created_at {{time}} NOT NULL,
	expires_at {{time}} NOT NULL,
	used_at    {{time}}
) {{strict}};
CREATE INDEX sign_in_token_account ON sign_in_token (account_id);
CREATE INDEX sign_in_token_expires ON sign_in_token (expires_at);

-- Signed addresses that signed somebody in, so that none does it twice.
CREATE TABLE sign_in_url (
	token      {{uuid}} PRIMARY KEY,
	expires_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX sign_in_url_expires ON sign_in_url (expires_at);

-- The older cookies of a session.
CREATE TABLE session_cookie (
	hash       {{blob}} PRIMARY KEY, -- SHA-256 of the cookie called key
	session_id {{uuid}} NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	ip         {{text}} NOT NULL, -- the only address that may show it
	expires_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX session_cookie_session ON session_cookie (session_id);
CREATE INDEX session_cookie_expires ON session_cookie (expires_at);
