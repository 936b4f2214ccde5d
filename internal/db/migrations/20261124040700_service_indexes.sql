-- +goose Up
-- One for each thing that the list of services is filtered and sorted by. That of running services by their end gets the id,
-- so that pages by key follow it.
DROP INDEX service_end;
CREATE INDEX service_end ON service (ends_at, id) WHERE ended_at IS NULL;
CREATE INDEX service_plan_id ON service (plan_id, id);
CREATE INDEX service_ends ON service (ends_at, id);
CREATE INDEX service_ended ON service (ended_at, id);
CREATE INDEX service_started ON service (started_at, id);
