-- +goose Up
CREATE TABLE mail (
	id         {{id}},
	message_id {{text}} NOT NULL UNIQUE, -- the same at each try, so that a mail that arrives twice is known as one
	recipient  {{text}} NOT NULL,
	kind       {{text}} NOT NULL,
	lang       {{text}} NOT NULL,
	sealed     {{blob}}, -- subject, text and HTML; gone once the mail was handed over, since it may hold a code
	state      {{text}} NOT NULL CHECK (state IN ('queued', 'sent', 'failed', 'kept')),
	tries      {{int}} NOT NULL CHECK (tries >= 0),
	last_error {{text}} NOT NULL,
	created_at {{time}} NOT NULL,
	expires_at {{time}} NOT NULL, -- when sending it has no more sense
	ended_at   {{time}},
	CHECK ((ended_at IS NULL) = (state = 'queued'))
) {{strict}};
CREATE INDEX mail_created ON mail (created_at);
