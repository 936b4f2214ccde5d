-- +goose Up
CREATE TABLE passkey (
	id              {{id}},
	account_id      {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	credential_id   {{blob}} NOT NULL UNIQUE, -- as the authenticator calls it
	public_key      {{blob}} NOT NULL,        -- COSE
	sign_count      {{int}} NOT NULL CHECK (sign_count >= 0), -- of the newest sign-in; 0 of authenticators that do not count
	transports      {{json}} NOT NULL,
	backup_eligible {{bool}} NOT NULL, -- whether its owner's devices may share it
	name            {{text}} NOT NULL CHECK (name <> ''),
	created_at      {{time}} NOT NULL,
	last_used_at    {{time}},
	suspected_at    {{time}} -- when it was seen to count backwards, as a copy does; it opens nothing from then on
) {{strict}};
CREATE INDEX passkey_account ON passkey (account_id);

-- Challenges that wait for their answer. A row goes with the first answer, right or wrong.
CREATE TABLE passkey_challenge (
	challenge  {{text}} PRIMARY KEY,
	account_id {{int}} REFERENCES account (id) ON DELETE CASCADE, -- who adds a passkey; null: to sign in, by whomever
	name       {{text}} NOT NULL, -- of the passkey that is added
	session    {{json}} NOT NULL, -- what the answer must fit
	expires_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX passkey_challenge_account ON passkey_challenge (account_id);
CREATE INDEX passkey_challenge_expires ON passkey_challenge (expires_at);

-- A closed account keeps its number for the ledger's sake, and nothing by which anybody could be found or get in.
ALTER TABLE account ADD COLUMN closed_at {{time}} CHECK (closed_at IS NULL OR (password = '' AND role = '' AND telegram_id IS NULL));
