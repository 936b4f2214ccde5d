-- +goose Up
-- A row for every code that was asked for, also where no mail went out, so that limits and answers are the same for
-- addresses with and without an account.
CREATE TABLE email_code (
	id         {{id}},
	purpose    {{text}} NOT NULL CHECK (purpose IN ('register', 'login', 'forgot_password', 'change_email', 'test')),
	email      {{text}} NOT NULL,
	network    {{text}} NOT NULL, -- the IPv4 address or the IPv6 /64 that asked
	hash       {{blob}} NOT NULL, -- keyed, of the code and all that it is bound to
	tries      {{int}} NOT NULL CHECK (tries BETWEEN 0 AND 5),
	created_at {{time}} NOT NULL,
	expires_at {{time}} NOT NULL,
	used_at    {{time}}
) {{strict}};
CREATE INDEX email_code_email ON email_code (email, created_at);
CREATE INDEX email_code_network ON email_code (network, created_at);
CREATE INDEX email_code_created ON email_code (created_at);
