-- +goose Up
-- The time of the last line as it was sent: no later line of the log is sent with an earlier one, and what is sent again after
-- a crash has the same times. Null: before times were noted.
ALTER TABLE loki_cursor ADD COLUMN last_at {{time}};

-- Until when a Loki that did not take lines is left alone. No row: it took them.
CREATE TABLE loki_pause (
	one      {{int}} PRIMARY KEY CHECK (one = 1),
	failures {{int}} NOT NULL CHECK (failures > 0), -- one after the other
	until    {{time}} NOT NULL
) {{strict}};
