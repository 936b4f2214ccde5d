-- +goose Up
-- A report of an agent of others has no number. That it is sent again is told from when its body was last seen, and how
-- often since it was counted.
ALTER TABLE traffic_report ADD COLUMN seen_at {{time}};
ALTER TABLE traffic_report ADD COLUMN repeats {{int}} NOT NULL DEFAULT 0 CHECK (repeats >= 0);

-- How often an agent of others asks for its users: it reports as often, and repeats at other times.
CREATE TABLE foreign_agent (
	node_id   {{int}} NOT NULL PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
	period_ms {{int}} NOT NULL CHECK (period_ms > 0)
) {{strict}};
