-- +goose Up
-- The list of staff shows the account first that was changed last.
CREATE INDEX emby_account_changed ON emby_account (updated_at, user_id);
