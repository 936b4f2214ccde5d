-- +goose Up
-- What the database took on each day, from which its growth is estimated.
CREATE TABLE storage_day (
	day         {{int}} PRIMARY KEY, -- UTC days since 1970
	measured_at {{time}} NOT NULL, -- the last time of the day
	data_bytes  {{int}} NOT NULL CHECK (data_bytes >= 0), -- without pages that hold nothing
	log_bytes   {{int}} NOT NULL CHECK (log_bytes >= 0) -- of the traffic log
) {{strict}};
