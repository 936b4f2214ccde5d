-- +goose Up
-- Users whose services or packages changed other than by use, so that reports need not read what each user of theirs holds
-- again. Rows are kept for some hours.
CREATE TABLE holding_change (
	id             {{id}},
	transaction_id {{int}} NOT NULL, -- on PostgreSQL that of the change; ids are not in the order of commits there
	user_id        {{int}} NOT NULL
) {{strict}};
CREATE INDEX holding_change_transaction ON holding_change (transaction_id);
