-- +goose Up
-- Reports of our agent that were refused for the time of their window. Staff has them counted or dismisses them.
CREATE TABLE kept_batch (
	id          {{id}},
	node_id     {{int}} NOT NULL REFERENCES node (id) ON DELETE CASCADE,
	report      {{text}} NOT NULL, -- boot and sequence, as in traffic_report
	reason      {{text}} NOT NULL CHECK (reason IN ('too_old', 'future')),
	from_at     {{time}} NOT NULL,
	to_at       {{time}} NOT NULL,
	row_count   {{int}} NOT NULL CHECK (row_count > 0),
	up          {{int}} NOT NULL CHECK (up >= 0),
	down        {{int}} NOT NULL CHECK (down >= 0),
	rows        {{blob}}, -- JSON: [user, up, down] of each; null once decided
	received_at {{time}} NOT NULL,
	state       {{text}} NOT NULL CHECK (state IN ('waiting', 'counted', 'dismissed')),
	decided_at  {{time}},
	decided_by  {{int}}, -- null: the operator at the terminal
	CHECK ((state = 'waiting') = (decided_at IS NULL) AND (state = 'waiting') = (rows IS NOT NULL)),
	UNIQUE (node_id, report)
) {{strict}};
CREATE INDEX kept_batch_decided ON kept_batch (decided_at);
