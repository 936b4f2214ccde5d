-- +goose Up
-- When the session last showed a password or a passkey; null: never, as after a sign-in by link or by mailed code.
ALTER TABLE session ADD COLUMN proved_at {{time}};
