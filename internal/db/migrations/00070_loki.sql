-- +goose Up
-- Up to which row Loki has each log.
CREATE TABLE loki_cursor (
	log     {{text}} PRIMARY KEY,
	last_id {{int}} NOT NULL
) {{strict}};
