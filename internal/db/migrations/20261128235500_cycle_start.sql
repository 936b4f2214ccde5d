-- +goose Up
-- Cycles that run and began at a time that has not come are looked for, after the clock was ahead.
CREATE INDEX service_cycle_start ON service_cycle (started_at) WHERE ended_at IS NULL;
