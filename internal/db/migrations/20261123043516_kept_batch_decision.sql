-- +goose Up
-- What was decided of a kept batch, beside who did and when.
ALTER TABLE kept_batch ADD COLUMN rate_permille {{int}} CHECK (rate_permille >= 0); -- of one that was counted
ALTER TABLE kept_batch ADD COLUMN own_cycle {{int}} CHECK (own_cycle IN (0, 1)); -- 1: in the hour and cycle of its window
ALTER TABLE kept_batch ADD COLUMN rows_refused {{int}} CHECK (rows_refused >= 0);
ALTER TABLE kept_batch ADD COLUMN note {{text}} NOT NULL DEFAULT '';
