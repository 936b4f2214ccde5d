-- +goose Up
-- Reports that were counted. Our agents name each by boot and sequence; those of others are known by their hash alone.
CREATE TABLE traffic_report (
	node_id     {{int}} NOT NULL,
	id          {{text}} NOT NULL,
	hash        {{blob}} NOT NULL,
	accepted_at {{time}} NOT NULL,
	PRIMARY KEY (node_id, id)
) {{strict}};
CREATE INDEX traffic_report_accepted ON traffic_report (accepted_at);

-- By node and hour: the rows of a report lie together, and it writes few pages. The index is written once an hour.
CREATE TABLE traffic_hour (
	node_id       {{int}} NOT NULL,
	hour          {{int}} NOT NULL, -- Unix time / 3600
	user_id       {{int}} NOT NULL,
	rate_permille {{int}} NOT NULL,
	up            {{int}} NOT NULL CHECK (up >= 0),
	down          {{int}} NOT NULL CHECK (down >= 0),
	billed        {{int}} NOT NULL CHECK (billed >= 0),
	PRIMARY KEY (node_id, hour, user_id, rate_permille)
) {{counters}};
CREATE INDEX traffic_hour_user ON traffic_hour (user_id, hour, node_id, rate_permille);

-- The same by day of the site's time zone, kept for good.
CREATE TABLE traffic_day (
	day     {{int}} NOT NULL, -- 20260131
	user_id {{int}} NOT NULL,
	up      {{int}} NOT NULL CHECK (up >= 0),
	down    {{int}} NOT NULL CHECK (down >= 0),
	billed  {{int}} NOT NULL CHECK (billed >= 0),
	PRIMARY KEY (day, user_id)
) {{counters}};
CREATE INDEX traffic_day_user ON traffic_day (user_id, day);

-- By day and node. The monthly quotas of nodes are reckoned from it.
CREATE TABLE node_day (
	node_id {{int}} NOT NULL,
	day     {{int}} NOT NULL,
	up      {{int}} NOT NULL CHECK (up >= 0),
	down    {{int}} NOT NULL CHECK (down >= 0),
	billed  {{int}} NOT NULL CHECK (billed >= 0),
	PRIMARY KEY (node_id, day)
) {{counters}};
