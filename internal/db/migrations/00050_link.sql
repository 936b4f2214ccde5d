-- +goose Up
CREATE TABLE link_token (
	user_id    {{int}} PRIMARY KEY,
	hash       {{blob}} NOT NULL UNIQUE, -- SHA-256 of the token
	sealed     {{blob}} NOT NULL,        -- the token itself, to be shown again
	updated_at {{time}} NOT NULL
) {{strict}};

CREATE TABLE link_fetch (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	fetched_at {{time}} NOT NULL,
	ip         {{text}} NOT NULL,
	client     {{text}} NOT NULL,
	version    {{text}} NOT NULL,
	user_agent {{text}} NOT NULL,
	format     {{text}} NOT NULL,
	status     {{int}} NOT NULL,
	nodes      {{int}} NOT NULL CHECK (nodes >= 0),
	left_out   {{int}} NOT NULL CHECK (left_out >= 0)
) {{strict}};
CREATE INDEX link_fetch_user ON link_fetch (user_id, id);
CREATE INDEX link_fetch_time ON link_fetch (fetched_at);
