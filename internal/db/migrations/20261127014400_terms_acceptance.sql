-- +goose Up
-- Which version of the terms and the privacy notice an account's user accepted at sign-up, and when.
CREATE TABLE terms_acceptance (
	account_id  {{int}} PRIMARY KEY REFERENCES account (id),
	version     {{text}} NOT NULL CHECK (version <> ''),
	accepted_at {{time}} NOT NULL
) {{strict}};
