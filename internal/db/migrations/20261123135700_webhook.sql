-- +goose Up

-- Addresses of the operator's own programs that hear of events. secret signs what is sent and is sealed for its row; for a
-- time after it was replaced previous_secret signs beside it.
CREATE TABLE webhook_endpoint (
	id              {{id}},
	name            {{text}} NOT NULL CHECK (name <> ''),
	url             {{text}} NOT NULL CHECK (url <> ''),
	enabled         {{bool}} NOT NULL,
	secret          {{blob}} NOT NULL,
	previous_secret {{blob}},
	previous_until  {{time}},
	failing_since   {{time}}, -- first of the failures that no success has ended
	paused_until    {{time}}, -- nothing is sent before, after failures
	disabled_reason {{text}} NOT NULL CHECK (disabled_reason IN ('', 'failing', 'gone')),
	created_at      {{time}} NOT NULL,
	updated_at      {{time}} NOT NULL,
	CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
	CHECK (disabled_reason = '' OR NOT enabled)
) {{strict}};

-- The types of events that each endpoint hears of.
CREATE TABLE webhook_subscription (
	endpoint_id {{int}} NOT NULL REFERENCES webhook_endpoint (id),
	type        {{text}} NOT NULL CHECK (type <> ''),
	PRIMARY KEY (type, endpoint_id)
) {{clustered}};

-- What happened: written in the transaction of its cause, where some endpoint hears of it.
CREATE TABLE webhook_event (
	id   {{id}},
	uuid {{uuid}} NOT NULL UNIQUE,
	type {{text}} NOT NULL CHECK (type <> ''),
	at   {{time}} NOT NULL,
	body {{text}} NOT NULL
) {{strict}};
CREATE INDEX webhook_event_at ON webhook_event (at);

-- One event for one endpoint.
CREATE TABLE webhook_delivery (
	id          {{id}},
	endpoint_id {{int}} NOT NULL REFERENCES webhook_endpoint (id),
	event_id    {{int}} NOT NULL REFERENCES webhook_event (id),
	state       {{text}} NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
	attempts    {{int}} NOT NULL CHECK (attempts >= 0), -- since it was last begun
	next_at     {{time}}, -- while it waits
	lease_until {{time}}, -- a process is sending it
	expires_at  {{time}} NOT NULL, -- when it fails for good
	created_at  {{time}} NOT NULL,
	ended_at    {{time}},
	CHECK ((state = 'waiting') = (next_at IS NOT NULL)),
	CHECK ((state = 'waiting') = (ended_at IS NULL)),
	UNIQUE (endpoint_id, event_id)
) {{strict}};
CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, next_at) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_event ON webhook_delivery (event_id);

-- Each time that a delivery was tried.
CREATE TABLE webhook_attempt (
	id          {{id}},
	delivery_id {{int}} NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
	at          {{time}} NOT NULL,
	duration_ms {{int}} NOT NULL,
	status      {{int}} NOT NULL, -- of HTTP; 0: there was no answer
	error       {{text}} NOT NULL,
	answer      {{text}} NOT NULL -- its beginning
) {{strict}};
CREATE INDEX webhook_attempt_delivery ON webhook_attempt (delivery_id, id);
