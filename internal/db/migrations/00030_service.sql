-- +goose Up
-- What a user may use at this moment, and how nodes know them. It follows from the tables below and is rewritten when
-- one of them changes, never by use alone, so that agents are told of a change at a cost that no other user adds to.
CREATE TABLE access (
	user_id     {{int}} PRIMARY KEY,
	uuid        {{uuid}} NOT NULL UNIQUE,
	password    {{text}} NOT NULL,
	banned      {{bool}} NOT NULL,
	state       {{text}} NOT NULL CHECK (state IN ('active', 'none', 'exhausted', 'expired', 'banned')),
	allowed     {{bool}} NOT NULL,
	class       {{int}} NOT NULL,
	groups      {{json}} NOT NULL,
	speed_mbps  {{int}} CHECK (speed_mbps > 0),
	devices     {{int}} CHECK (devices > 0),
	expires_at  {{time}},
	resets_at   {{time}},
	sources     {{text}} NOT NULL, -- what the quota is made of: services with their cycles, packages
	was_class   {{int}} NOT NULL,  -- the widest right that ended within the day before was_until
	was_groups  {{json}} NOT NULL,
	was_until   {{time}},
	revision    {{int}} NOT NULL   -- value of the revision "access" at the last change
) {{strict}};
CREATE INDEX access_revision ON access (revision);

CREATE TABLE service (
	id            {{id}},
	user_id       {{int}} NOT NULL,
	plan_id       {{int}} NOT NULL,
	name          {{text}} NOT NULL,
	class         {{int}} NOT NULL CHECK (class >= 0),
	groups        {{json}} NOT NULL,
	speed_mbps    {{int}} CHECK (speed_mbps > 0),
	devices       {{int}} CHECK (devices > 0),
	quota_bytes   {{int}} CHECK (quota_bytes > 0 AND quota_bytes <= 1125899906842624), -- per cycle; null: unlimited
	reset         {{text}} NOT NULL CHECK (reset IN ('calendar_month', 'anniversary', 'never')),
	cycle         {{int}} NOT NULL CHECK (cycle > 0), -- the one that runs, or that ran last
	next_reset_at {{time}},
	started_at    {{time}} NOT NULL,
	ends_at       {{time}} NOT NULL,
	ended_at      {{time}}, -- null while it runs
	auto_renew    {{bool}} NOT NULL
) {{strict}};
CREATE INDEX service_user ON service (user_id);
CREATE INDEX service_end ON service (ends_at) WHERE ended_at IS NULL;
CREATE INDEX service_reset ON service (next_reset_at) WHERE ended_at IS NULL;

-- A reset begins the next cycle; counters are never set back.
CREATE TABLE service_cycle (
	service_id {{int}} NOT NULL REFERENCES service (id),
	cycle      {{int}} NOT NULL,
	started_at {{time}} NOT NULL,
	ended_at   {{time}},
	up         {{int}} NOT NULL CHECK (up >= 0),
	down       {{int}} NOT NULL CHECK (down >= 0),
	billed     {{int}} NOT NULL CHECK (billed >= 0),
	PRIMARY KEY (service_id, cycle)
) {{counters}};

CREATE TABLE package (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	name       {{text}} NOT NULL,
	kind       {{text}} NOT NULL CHECK (kind IN ('bought', 'checkin', 'grant')),
	bytes      {{int}} NOT NULL CHECK (bytes > 0 AND bytes <= 1125899906842624),
	up         {{int}} NOT NULL CHECK (up >= 0),
	down       {{int}} NOT NULL CHECK (down >= 0),
	used       {{int}} NOT NULL CHECK (used >= 0),
	created_at {{time}} NOT NULL,
	expires_at {{time}},
	ended_at   {{time}}
) {{strict}};
CREATE INDEX package_user ON package (user_id);
CREATE INDEX package_end ON package (expires_at) WHERE ended_at IS NULL;

-- What an order led to: once per order.
CREATE TABLE fulfilment (
	order_id   {{int}} PRIMARY KEY,
	user_id    {{int}} NOT NULL,
	service_id {{int}} REFERENCES service (id),
	package_id {{int}} REFERENCES package (id),
	months     {{int}} NOT NULL,
	starts_at  {{time}}, -- the part of a service's time that the order brought
	ends_at    {{time}},
	created_at {{time}} NOT NULL,
	CHECK ((service_id IS NULL) <> (package_id IS NULL)),
	CHECK ((service_id IS NULL) = (starts_at IS NULL) AND (service_id IS NULL) = (ends_at IS NULL))
) {{strict}};
CREATE INDEX fulfilment_service ON fulfilment (service_id);
CREATE INDEX fulfilment_package ON fulfilment (package_id) WHERE package_id IS NOT NULL;
