-- +goose Up

-- Announcements that are sent by mail or Telegram, to each user once. Users were looked at up to passed_id.
CREATE TABLE announcement_broadcast (
	id              {{id}},
	announcement_id {{int}} NOT NULL REFERENCES announcement (id) ON DELETE CASCADE,
	channel         {{text}} NOT NULL CHECK (channel IN ('mail', 'telegram')),
	state           {{text}} NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
	step            {{int}} NOT NULL, -- a job of an earlier step does nothing
	passed_id       {{int}} NOT NULL,
	last_id         {{int}} NOT NULL, -- the highest user when it began: who comes later gets none
	users           {{int}} NOT NULL, -- how many there were then
	passed          {{int}} NOT NULL CHECK (passed >= 0),
	queued          {{int}} NOT NULL CHECK (queued >= 0 AND queued <= passed),
	paced_at        {{time}} NOT NULL, -- until when the rate was used
	started_at      {{time}} NOT NULL,
	ended_at        {{time}},
	UNIQUE (announcement_id, channel),
	CHECK ((ended_at IS NULL) = (state = 'running'))
) {{strict}};

-- Who wants no announcements by mail and Telegram.
CREATE TABLE announcement_unsubscribed (
	user_id {{int}} NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
	at      {{time}} NOT NULL
) {{strict}};
