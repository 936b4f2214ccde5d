-- +goose Up
-- What a node may give out of a user's quota beyond what it has reported. One row for each node on which a user was lately
-- active; those that nobody renews lapse.
CREATE TABLE traffic_lease (
	user_id    {{int}} NOT NULL,
	node_id    {{int}} NOT NULL REFERENCES node (id) ON DELETE CASCADE,
	bytes      {{int}} NOT NULL CHECK (bytes >= 0), -- as billed, beyond what was counted when it was given
	since_hour {{int}} NOT NULL, -- Unix time / 3600: traffic_hour tells from here on what of it has been reported
	base       {{int}} NOT NULL CHECK (base >= 0), -- what traffic_hour had counted from then on when it was given
	expires_at {{time}} NOT NULL,
	PRIMARY KEY (user_id, node_id)
) {{strict}};
CREATE INDEX traffic_lease_expires ON traffic_lease (expires_at);
