-- +goose Up

-- Accounts of third-party services that staff shares with users of a plan, class or group. secret and totp are sealed for
-- their row. version grows with each new secret. A removed account holds no secret and stays for the log of who saw it.
CREATE TABLE share_account (
	id          {{id}},
	name        {{text}} NOT NULL CHECK (name <> ''),
	names       {{json}} NOT NULL,
	url         {{text}} NOT NULL,
	login       {{text}} NOT NULL,
	note        {{text}} NOT NULL,
	notes       {{json}} NOT NULL,
	class       {{int}} NOT NULL CHECK (class >= 0),
	user_group  {{int}} NOT NULL CHECK (user_group >= 0), -- 0: any
	plan_ids    {{json}} NOT NULL, -- empty: any
	max_users   {{int}} CHECK (max_users > 0), -- users who may see one version of the secret; none: no limit
	expires_at  {{time}}, -- of the account at the third party
	sort        {{int}} NOT NULL,
	enabled     {{bool}} NOT NULL,
	secret      {{blob}},
	totp        {{blob}},
	version     {{int}} NOT NULL CHECK (version > 0),
	rotated_at  {{time}} NOT NULL,
	created_at  {{time}} NOT NULL,
	updated_at  {{time}} NOT NULL,
	removed_at  {{time}},
	CHECK ((removed_at IS NULL) = (secret IS NOT NULL)),
	CHECK (removed_at IS NULL OR totp IS NULL)
) {{strict}};

-- Each time that somebody was shown a secret, or a code made with it.
CREATE TABLE share_account_view (
	id               {{id}},
	share_account_id {{int}} NOT NULL REFERENCES share_account (id),
	user_id          {{int}} NOT NULL REFERENCES account (id),
	kind             {{text}} NOT NULL CHECK (kind IN ('secret', 'code')),
	version          {{int}} NOT NULL,
	at               {{time}} NOT NULL,
	ip               {{text}} NOT NULL,
	user_agent       {{text}} NOT NULL
) {{strict}};
CREATE INDEX share_account_view_version ON share_account_view (share_account_id, version, kind, user_id);
CREATE INDEX share_account_view_user ON share_account_view (user_id);
CREATE INDEX share_account_view_at ON share_account_view (at);
