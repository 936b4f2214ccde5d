-- +goose Up
-- Days of users and nodes that were far beyond their usual and of which staff was notified.
CREATE TABLE traffic_anomaly (
	kind      {{text}} NOT NULL CHECK (kind IN ('user', 'node')),
	object_id {{int}} NOT NULL,
	day       {{int}} NOT NULL, -- of the site's calendar, as 20260131
	PRIMARY KEY (kind, object_id, day)
) {{clustered}};
