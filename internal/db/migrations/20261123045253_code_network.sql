-- +goose Up
-- From which network a code was asked for. Each network has its own newest code, which tries from elsewhere do not use
-- up: those are counted apart. Codes from before belong to no network.
ALTER TABLE email_code ADD COLUMN network {{text}} NOT NULL DEFAULT '';
ALTER TABLE email_code ADD COLUMN foreign_tries {{int}} NOT NULL DEFAULT 0 CHECK (foreign_tries BETWEEN 0 AND 5);
