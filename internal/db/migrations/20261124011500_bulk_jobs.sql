-- +goose Up
-- What staff does to many users at once.
CREATE TABLE bulk_job (
	id         {{id}},
	kind       {{text}} NOT NULL CHECK (kind IN ('traffic', 'extend', 'reset', 'balance', 'ban', 'label', 'unlabel')),
	details    {{json}} NOT NULL,
	reason     {{text}} NOT NULL,
	filter     {{text}} NOT NULL, -- that found the users; empty: they were named one by one
	state      {{text}} NOT NULL CHECK (state IN ('frozen', 'waiting', 'running', 'stopped', 'done', 'declined')),
	rows       {{int}} NOT NULL CHECK (rows >= 0),
	done       {{int}} NOT NULL CHECK (done >= 0),
	failed     {{int}} NOT NULL CHECK (failed >= 0 AND done + failed <= rows),
	worth      {{int}} NOT NULL CHECK (worth >= 0),
	made_by    {{int}}, -- member of staff; null: the operator
	created_at {{time}} NOT NULL,
	started_at {{time}},
	ended_at   {{time}},
	CHECK ((state IN ('done', 'declined')) = (ended_at IS NOT NULL)),
	CHECK ((state IN ('running', 'stopped', 'done')) = (started_at IS NOT NULL))
) {{strict}};
CREATE INDEX bulk_job_running ON bulk_job (id) WHERE state = 'running';

-- One user of a job, who is marked in the transaction that gives: so each of them gets it once.
CREATE TABLE bulk_job_row (
	job_id   {{int}} NOT NULL REFERENCES bulk_job (id),
	user_id  {{int}} NOT NULL,
	plan_id  {{int}}, -- that ran when the job was made
	state    {{text}} NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
	error    {{text}} NOT NULL, -- code of what refused it; empty: nothing
	ended_at {{time}},
	PRIMARY KEY (job_id, user_id),
	CHECK ((state = 'waiting') = (ended_at IS NULL)),
	CHECK ((state = 'failed') = (error <> ''))
) {{strict}};
CREATE INDEX bulk_job_row_waiting ON bulk_job_row (job_id, user_id) WHERE state = 'waiting';
