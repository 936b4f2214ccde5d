-- +goose Up
-- Users' accounts on the operator's media server: what is wanted, and what the server was last brought to.
CREATE TABLE emby_account (
	user_id    {{int}} PRIMARY KEY,
	token      {{uuid}} NOT NULL UNIQUE, -- stands in the address that leads to the media server
	name       {{text}} NOT NULL UNIQUE, -- on the media server
	password   {{blob}} NOT NULL, -- sealed
	emby_id    {{text}} NOT NULL, -- empty: there is no account
	wanted     {{text}} NOT NULL CHECK (wanted IN ('none', 'enabled', 'disabled')),
	state      {{text}} NOT NULL CHECK (state IN ('none', 'enabled', 'disabled')),
	held       {{bool}} NOT NULL, -- by staff: the plan does not change it
	last_error {{text}} NOT NULL,
	created_at {{time}} NOT NULL,
	updated_at {{time}} NOT NULL,
	CHECK ((emby_id = '') = (state = 'none'))
) {{strict}};
CREATE INDEX emby_account_behind ON emby_account (user_id) WHERE wanted <> state;
