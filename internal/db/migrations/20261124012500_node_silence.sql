-- +goose Up
-- The nodes of whose outages and alarms staff is not told, and until when.
CREATE TABLE node_silence (
	node_id {{int}} PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
	until   {{time}} NOT NULL
) {{strict}};
