-- +goose Up
-- Which tokens do what is staff's, for the list of them.
ALTER TABLE api_token ADD COLUMN for_staff {{bool}} NOT NULL DEFAULT {{false}};
UPDATE api_token SET for_staff = {{true}} WHERE CAST(scopes AS TEXT) LIKE '%"jobs"%' OR CAST(scopes AS TEXT) LIKE '%"partner"%'
    OR CAST(scopes AS TEXT) LIKE '%"grant"%' OR CAST(scopes AS TEXT) LIKE '%"grafana"%';
CREATE INDEX api_token_for_staff ON api_token (id) WHERE for_staff AND revoked_at IS NULL;
