-- +goose Up
-- The logo and the icon of the site, where it has its own.
CREATE TABLE site_picture (
	name       {{text}} PRIMARY KEY CHECK (name IN ('logo', 'icon')),
	media_type {{text}} NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
	data       {{blob}} NOT NULL,
	width      {{int}} NOT NULL CHECK (width > 0),
	height     {{int}} NOT NULL CHECK (height > 0),
	updated_at {{time}} NOT NULL
) {{strict}};
