-- +goose Up
-- The running services of a plan, which staff sees counted.
CREATE INDEX service_plan ON service (plan_id, ends_at, auto_renew) WHERE ended_at IS NULL;
