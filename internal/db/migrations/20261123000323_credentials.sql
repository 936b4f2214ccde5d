-- +goose Up
ALTER TABLE account ADD COLUMN credentials_version {{int}} NOT NULL DEFAULT 0; -- grows with each change of what opens the account
ALTER TABLE account ADD COLUMN credentials_changed_at {{time}}; -- of the newest such change; null: none yet

-- A second factor that waits for its first code. Only the session that began it can confirm it.
CREATE TABLE totp_enrolment (
	account_id {{int}} PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
	session_id {{uuid}} NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	sealed     {{blob}} NOT NULL, -- the secret
	expires_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX totp_enrolment_session ON totp_enrolment (session_id);
DELETE FROM totp WHERE confirmed_at IS NULL; -- enrolments from before, which any session could read and confirm

-- The session that asked for the code. It goes on when the Telegram account is linked; all others end.
ALTER TABLE telegram_link_code ADD COLUMN session_id {{uuid}} REFERENCES session (id) ON DELETE CASCADE;
CREATE INDEX telegram_link_code_session ON telegram_link_code (session_id);
DELETE FROM telegram_link_code; -- codes from before, which were given without the password
