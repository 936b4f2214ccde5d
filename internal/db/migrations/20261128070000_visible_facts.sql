-- +goose Up
-- Users of a state or of a plan are sorted by when they came without a look at their rows.
DROP INDEX user_facts_state;
CREATE INDEX user_facts_state ON user_facts (state, ends_at, user_id, used_percent, balance, created_at);
DROP INDEX user_facts_plan;
CREATE INDEX user_facts_plan ON user_facts (plan_id, ends_at, user_id, used_percent, balance, created_at);

-- PostgreSQL reads a list from an index alone where it knows that all see the rows, which a vacuum finds out. By default
-- a fifth of a table changes before the next one.
{{postgres}} ALTER TABLE user_facts SET (autovacuum_vacuum_scale_factor = 0.02);
{{postgres}} ALTER TABLE service SET (autovacuum_vacuum_scale_factor = 0.02);
