-- +goose Up
-- Which hours of the log changed since a revision of traffic, late bytes included, for copies of the log elsewhere.
CREATE TABLE traffic_hour_change (
	hour     {{int}} PRIMARY KEY, -- Unix time / 3600
	revision {{int}} NOT NULL
) {{strict}};
