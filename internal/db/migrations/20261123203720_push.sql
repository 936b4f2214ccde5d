-- +goose Up

-- The key pair by which push services know the site (VAPID). Browsers bind their subscriptions to the public key, so there is
-- one pair, and it is never replaced.
CREATE TABLE push_key (
	id         {{int}} PRIMARY KEY CHECK (id = 1),
	public     {{blob}} NOT NULL,
	private    {{blob}} NOT NULL, -- sealed
	created_at {{time}} NOT NULL
) {{strict}};

-- Browsers that are notified. A subscription belongs to the session that made it and goes with it.
CREATE TABLE push_subscription (
	id         {{id}},
	user_id    {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	session_id {{uuid}} NOT NULL UNIQUE REFERENCES session (id) ON DELETE CASCADE,
	service    {{text}} NOT NULL CHECK (service <> ''), -- host of the push service
	endpoint   {{blob}} NOT NULL UNIQUE, -- keyed digest of the address
	sealed     {{blob}} NOT NULL, -- the address and the browser's keys
	created_at {{time}} NOT NULL,
	sent_at    {{time}} -- when the push service last took a message
) {{strict}};
CREATE INDEX push_subscription_user ON push_subscription (user_id);

-- What is still to be sent, written in the transaction of its cause. Of what has one topic the newest waits alone.
CREATE TABLE push_message (
	id              {{id}},
	subscription_id {{int}} NOT NULL REFERENCES push_subscription (id) ON DELETE CASCADE,
	topic           {{text}} NOT NULL CHECK (topic <> ''),
	sealed          {{blob}} NOT NULL,
	attempts        {{int}} NOT NULL CHECK (attempts >= 0),
	next_at         {{time}} NOT NULL,
	lease_until     {{time}}, -- a process is sending it
	expires_at      {{time}} NOT NULL,
	created_at      {{time}} NOT NULL,
	UNIQUE (subscription_id, topic)
) {{strict}};
CREATE INDEX push_message_due ON push_message (next_at);
CREATE INDEX push_message_expires ON push_message (expires_at);
