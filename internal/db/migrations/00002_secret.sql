-- +goose Up
CREATE TABLE secret (
	name       {{text}} PRIMARY KEY,
	sealed     {{blob}} NOT NULL,
	updated_at {{time}} NOT NULL
) {{strict}};
