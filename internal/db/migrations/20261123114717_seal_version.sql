-- +goose Up

-- What the hash of a seal covers: 1: all but the time of the seal; 2: that too. The hash of one says which it is.
ALTER TABLE audit_seal ADD COLUMN version {{int}} NOT NULL DEFAULT 1;
ALTER TABLE ledger_seal ADD COLUMN version {{int}} NOT NULL DEFAULT 1;

-- +goose StatementBegin
{{append_only ledger_seal}}
-- +goose StatementEnd
