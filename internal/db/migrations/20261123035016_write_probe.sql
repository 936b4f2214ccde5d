-- +goose Up
-- The write probe inserts a row and deletes it again in one transaction, so the table is empty at every committed state.
CREATE TABLE write_probe (
	id        {{uuid}} PRIMARY KEY,
	probed_at {{time}} NOT NULL
) {{strict}};
