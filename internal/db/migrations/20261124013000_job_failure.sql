-- +goose Up
-- What last went wrong with an entry of the timetable; recovered_at is when it succeeded again.
CREATE TABLE job_failure (
    name         {{text}} PRIMARY KEY,
    failed_at    {{time}} NOT NULL,
    error        {{text}} NOT NULL,
    failures     {{int}} NOT NULL CHECK (failures > 0),
    recovered_at {{time}}
) {{strict}};
