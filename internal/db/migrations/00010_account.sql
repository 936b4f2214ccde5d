-- +goose Up
CREATE TABLE jwt_key (
	kid        {{text}} PRIMARY KEY,
	sealed     {{blob}} NOT NULL,
	signing    {{bool}} UNIQUE CHECK (signing = {{true}}), -- true for the one key that signs, null for the others
	created_at {{time}} NOT NULL,
	expires_at {{time}} -- of a key that was replaced: when the last token that it signed is out
) {{strict}};

CREATE TABLE account (
	id                {{id}},
	uuid              {{uuid}} NOT NULL UNIQUE,
	email             {{text}} NOT NULL UNIQUE CHECK (email = lower(email)),
	name              {{text}} NOT NULL CHECK (name <> ''),
	role              {{text}} NOT NULL CHECK (role IN ('', 'owner', 'admin', 'finance', 'support', 'viewer')),
	password          {{text}} NOT NULL, -- Argon2id in the PHC string format; of users from another panel until their first sign-in kind:salt:PHC or bcrypt
	password_version  {{uuid}} NOT NULL, -- changes with the password; refresh tokens name it
	password_changed_at {{time}} NOT NULL,
	notice_by_mail    {{bool}} NOT NULL, -- of a sign-in from a new place
	invite_code       {{text}} NOT NULL UNIQUE,
	invited_by        {{int}} REFERENCES account (id) ON DELETE SET NULL,
	telegram_id       {{int}} UNIQUE,
	banned_at         {{time}},
	email_verified_at {{time}},
	signed_in_at      {{time}},
	created_at        {{time}} NOT NULL
) {{strict}};
CREATE INDEX account_invited_by ON account (invited_by);

CREATE TABLE session (
	id         {{uuid}} PRIMARY KEY,
	account_id {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	remember   {{bool}} NOT NULL,
	ip         {{text}} NOT NULL,
	user_agent {{text}} NOT NULL,
	created_at {{time}} NOT NULL,
	seen_at    {{time}} NOT NULL, -- the newest sign-in or refresh
	expires_at {{time}} NOT NULL, -- of the newest refresh token
	ended_at   {{time}}
) {{strict}};
CREATE INDEX session_account ON session (account_id) WHERE ended_at IS NULL;
CREATE INDEX session_expires ON session (expires_at);

-- One row per issued pair of tokens. A refresh token is used by inserting the pair that replaces it, so that the unique
-- key lets it have one successor only. The tokens themselves are signed anew from the row and stored nowhere.
CREATE TABLE token_pair (
	refresh_id {{uuid}} PRIMARY KEY, -- jti of the refresh token
	access_id  {{uuid}} NOT NULL UNIQUE,
	session_id {{uuid}} NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	replaces   {{uuid}} UNIQUE REFERENCES token_pair (refresh_id) ON DELETE SET NULL,
	issued_at  {{time}} NOT NULL,
	expires_at {{time}} NOT NULL -- of the refresh token
) {{strict}};
CREATE INDEX token_pair_session ON token_pair (session_id);
CREATE INDEX token_pair_expires ON token_pair (expires_at);

-- Each try to show a password: the user's history, and what the limits are counted on. The e-mail stands here and not
-- the account, so that addresses without an account are counted the same way.
CREATE TABLE sign_in (
	id         {{id}},
	email      {{text}} NOT NULL,
	network    {{text}} NOT NULL, -- the IPv4 address or the IPv6 /64
	ip         {{text}} NOT NULL,
	user_agent {{text}} NOT NULL,
	wrong      {{text}} NOT NULL CHECK (wrong IN ('', 'password', 'email_code', 'two_factor')), -- empty: a sign-in
	at         {{time}} NOT NULL
) {{strict}};
CREATE INDEX sign_in_email ON sign_in (email, at);
CREATE INDEX sign_in_network ON sign_in (network, at);
CREATE INDEX sign_in_at ON sign_in (at);

CREATE TABLE sign_up_count (
	network  {{text}} NOT NULL,
	day      {{int}} NOT NULL, -- YYYYMMDD in the site's time zone
	accounts {{int}} NOT NULL CHECK (accounts > 0),
	PRIMARY KEY (network, day)
) {{strict}};
