-- +goose Up
-- The daily check-ins of users: at most one on each day of the site.
CREATE TABLE checkin (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	day        {{int}} NOT NULL CHECK (day > 0), -- days since 1970-01-01 on the site's calendar
	streak     {{int}} NOT NULL CHECK (streak > 0), -- days in a row, this one included
	bytes      {{int}} NOT NULL CHECK (bytes > 0),
	package_id {{int}} NOT NULL UNIQUE REFERENCES package (id), -- that holds the bytes
	network    {{text}}, -- the IPv4 address or the IPv6 /64; null: by Telegram, or forgotten
	created_at {{time}} NOT NULL,
	UNIQUE (user_id, day)
) {{strict}};
CREATE INDEX checkin_network ON checkin (day, network) WHERE network IS NOT NULL;
