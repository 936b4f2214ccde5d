-- +goose Up
-- A row for every code that was asked for, also where no mail went out, so that limits and answers are the same for
-- addresses with and without an account.
CREATE TABLE email_code (
	id         {{id}},
	purpose    {{text}} NOT NULL CHECK (purpose IN ('register', 'login', 'forgot_password', 'change_email', 'test')),
	email      {{text}} NOT NULL,
	hash       {{blob}} NOT NULL, -- keyed, of the code and all that it is bound to
	tries      {{int}} NOT NULL CHECK (tries BETWEEN 0 AND 5),
	created_at {{time}} NOT NULL,
	expires_at {{time}} NOT NULL,
	used_at    {{time}}
) {{strict}};
CREATE INDEX email_code_email ON email_code (email, purpose, id);
CREATE INDEX email_code_created ON email_code (created_at);

CREATE TABLE email_code_count (
	who     {{text}} PRIMARY KEY, -- "email " or "network " and which one
	since   {{time}} NOT NULL,    -- begin of the day that is counted
	codes   {{int}} NOT NULL CHECK (codes > 0),
	last_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX email_code_count_last ON email_code_count (last_at);
