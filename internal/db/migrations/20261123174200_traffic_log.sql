-- +goose Up
-- The log of traffic as blobs (internal/trafficlog). What an hour that is open has of a node, at one rate, for the 1,024
-- users of a chunk, which is user / 1024.
CREATE TABLE traffic_now (
	chunk         {{int}} NOT NULL CHECK (chunk >= 0),
	hour          {{int}} NOT NULL, -- Unix time / 3600
	node_id       {{int}} NOT NULL,
	rate_permille {{int}} NOT NULL,
	data          {{blob}} NOT NULL,
	PRIMARY KEY (chunk, hour, node_id, rate_permille)
) {{counters}};
{{postgres}} ALTER TABLE traffic_now ALTER COLUMN data SET STORAGE EXTERNAL;

-- What is over, by user and UTC day: id is days since 1970 << 32 | user. sums has the hours of a day with many rows.
CREATE TABLE traffic_pack (
	id     {{int}} PRIMARY KEY,
	n      {{int}} NOT NULL CHECK (n > 0), -- rows in data
	up     {{int}} NOT NULL CHECK (up >= 0), -- of all rows, as the two that follow
	down   {{int}} NOT NULL CHECK (down >= 0),
	billed {{int}} NOT NULL CHECK (billed >= 0),
	sums   {{blob}},
	data   {{blob}} NOT NULL
) {{strict}};
{{postgres}} ALTER TABLE traffic_pack ALTER COLUMN data SET STORAGE EXTERNAL;
{{postgres}} ALTER TABLE traffic_pack ALTER COLUMN sums SET STORAGE EXTERNAL;

-- Days of the site's calendar: id is the day as 20260131 << 32 | chunk.
CREATE TABLE traffic_day_chunk (
	id   {{int}} PRIMARY KEY,
	data {{blob}} NOT NULL
) {{strict}};
{{postgres}} ALTER TABLE traffic_day_chunk SET (fillfactor = 50);
{{postgres}} ALTER TABLE traffic_day_chunk ALTER COLUMN data SET STORAGE EXTERNAL;

-- Months whose days were removed: id is the month as 202601 << 32 | chunk. A month's bytes are those here and those of the
-- days that are still there.
CREATE TABLE traffic_month_chunk (
	id   {{int}} PRIMARY KEY,
	data {{blob}} NOT NULL
) {{strict}};
{{postgres}} ALTER TABLE traffic_month_chunk ALTER COLUMN data SET STORAGE EXTERNAL;

-- The rows of earlier versions, which a job moves into the tables above. Under their former names servers of earlier versions
-- would go on writing to them.
ALTER TABLE traffic_hour RENAME TO traffic_hour_row;
ALTER TABLE traffic_day RENAME TO traffic_day_row;

-- How far the job is: rows of users below next_user and days before next_day have been moved and no longer count.
CREATE TABLE traffic_move (
	id        {{int}} PRIMARY KEY CHECK (id = 1),
	next_user {{int}} NOT NULL,
	next_day  {{int}} NOT NULL
) {{strict}};
INSERT INTO traffic_move (id, next_user, next_day) VALUES (1,
	CASE WHEN EXISTS (SELECT 1 FROM traffic_hour_row) THEN 0 ELSE 9223372036854775807 END,
	CASE WHEN EXISTS (SELECT 1 FROM traffic_day_row) THEN 0 ELSE 9223372036854775807 END);

-- Users who closed their account and are to be forgotten: their bytes become those of user 0, so that the sums hold.
CREATE TABLE traffic_forget (
	user_id   {{int}} PRIMARY KEY,
	closed_at {{time}} NOT NULL,
	done_at   {{time}} -- of the last run; bytes that come late are forgotten by the next
) {{strict}};
