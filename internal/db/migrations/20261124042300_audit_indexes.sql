-- +goose Up
-- What staff's list of the audit log is narrowed and sorted by.
CREATE INDEX audit_entry_at ON audit_entry (at, id);
CREATE INDEX audit_entry_kind ON audit_entry (actor, id);
CREATE INDEX audit_entry_object_id ON audit_entry (object_id, id);
CREATE INDEX audit_entry_address ON audit_entry (address, id);
