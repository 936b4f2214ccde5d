-- +goose Up
CREATE TABLE revision (
	name  {{text}} PRIMARY KEY,
	value {{int}} NOT NULL CHECK (value >= 0)
) {{strict}};

CREATE TABLE setting (
	name       {{text}} PRIMARY KEY,
	value      {{json}} NOT NULL,
	updated_at {{time}} NOT NULL
) {{strict}};

CREATE TABLE job (
	id          {{id}},
	kind        {{text}} NOT NULL,
	payload     {{json}} NOT NULL,
	unique_key  {{text}} UNIQUE, -- set while the job waits, so that the same wish is not queued twice
	run_at      {{time}} NOT NULL,
	attempt     {{int}} NOT NULL,
	lease_until {{time}},
	last_error  {{text}} NOT NULL,
	created_at  {{time}} NOT NULL,
	ended_at    {{time}},
	failed      {{bool}} NOT NULL
) {{strict}};
CREATE INDEX job_due ON job (run_at) WHERE ended_at IS NULL;
CREATE INDEX job_ended ON job (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE job_timetable (
	name      {{text}} PRIMARY KEY,
	next_at   {{time}} NOT NULL,
	last_at   {{time}}
) {{strict}};

CREATE TABLE idempotency (
	user_id    {{int}} NOT NULL,
	key        {{text}} NOT NULL,
	request    {{blob}} NOT NULL, -- SHA-256 of method, path and body
	answer     {{json}} NOT NULL,
	created_at {{time}} NOT NULL,
	PRIMARY KEY (user_id, key)
) {{strict}};
CREATE INDEX idempotency_created ON idempotency (created_at);
