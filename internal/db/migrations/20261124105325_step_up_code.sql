-- +goose Up
-- Codes that are mailed to who is signed in and has neither password nor passkey to show, a purpose more. The list of
-- purposes is a part of the table, which is made anew with all of its rows, in their order.
CREATE TABLE email_code_before AS SELECT * FROM email_code;
DROP TABLE email_code;
CREATE TABLE email_code (
	id         {{id}},
	purpose    {{text}} NOT NULL CHECK (purpose IN ('register', 'login', 'forgot_password', 'change_email', 'step_up', 'test')),
	email      {{text}} NOT NULL,
	hash       {{blob}} NOT NULL, -- keyed, of the code and all that it is bound to
	network    {{text}} NOT NULL, -- which asked for it; empty: from before networks were stored
	tries      {{int}} NOT NULL CHECK (tries BETWEEN 0 AND 5),
	foreign_tries {{int}} NOT NULL DEFAULT 0 CHECK (foreign_tries BETWEEN 0 AND 5), -- from other networks
	created_at {{time}} NOT NULL,
	expires_at {{time}} NOT NULL,
	used_at    {{time}}
) {{strict}};
INSERT INTO email_code (purpose, email, hash, network, tries, foreign_tries, created_at, expires_at, used_at)
SELECT purpose, email, hash, network, tries, foreign_tries, created_at, expires_at, used_at FROM email_code_before ORDER BY id;
DROP TABLE email_code_before;
CREATE INDEX email_code_email ON email_code (email, purpose, id);
CREATE INDEX email_code_created ON email_code (created_at);
