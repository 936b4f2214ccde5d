-- +goose Up
-- Files that are about to be removed still take space: they count in the quota of whose they were until they are gone.
ALTER TABLE ticket_removed_file ADD COLUMN user_id {{int}} NOT NULL DEFAULT 0;
ALTER TABLE ticket_removed_file ADD COLUMN size {{int}} NOT NULL DEFAULT 0 CHECK (size >= 0);
CREATE INDEX ticket_removed_file_user ON ticket_removed_file (user_id);
