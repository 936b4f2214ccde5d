-- +goose Up
-- What is known of the copy in ClickHouse. Only the holder of the lease sends; version is the number of its last step, which
-- each row that it sends bears, so that what an earlier holder sends late never replaces it.
CREATE TABLE clickhouse_state (
	one         {{int}} PRIMARY KEY CHECK (one = 1),
	site        {{text}} NOT NULL CHECK (site <> ''), -- names this site in ClickHouse
	version     {{int}} NOT NULL CHECK (version >= 0),
	lease_until {{time}} NOT NULL,
	sent_hour   {{int}} NOT NULL CHECK (sent_hour >= 0), -- Unix time / 3600; the hours of that day before it were sent
	problem     {{text}} NOT NULL                        -- why the last run failed; empty: it did not
) {{strict}};

-- The days of UTC that were sent whole and compared.
CREATE TABLE clickhouse_day (
	day         {{int}} PRIMARY KEY, -- Unix time / 86400
	compared_at {{time}} NOT NULL,
	healed      {{int}} NOT NULL CHECK (healed >= 0), -- how often it differed and was sent again
	difference  {{text}} NOT NULL                     -- what differs although it was sent again; empty: nothing
) {{strict}};
CREATE INDEX clickhouse_day_compared ON clickhouse_day (compared_at);

-- Up to which row ClickHouse has each log of events.
CREATE TABLE clickhouse_event (
	log     {{text}} PRIMARY KEY,
	last_id {{int}} NOT NULL
) {{strict}};

-- Users who closed their accounts: nothing of them is sent, and what was is deleted.
CREATE TABLE clickhouse_forgotten (
	user_id    {{int}} PRIMARY KEY,
	closed_at  {{time}} NOT NULL,
	again_at   {{time}} NOT NULL, -- when it is deleted once more, beside what a frozen server sent late
	deleted_at {{time}}
) {{strict}};
