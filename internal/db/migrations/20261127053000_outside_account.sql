-- +goose Up
-- What staff received past a gateway, and paid back so, has an account of its own. What was booked before stays on the
-- gateway's. SQLite changes the checks of a table no other way: https://www.sqlite.org/lang_altertable.html#otheralter
{{sqlite}} PRAGMA writable_schema = ON;
{{sqlite}} UPDATE sqlite_schema SET sql = replace(sql, '''bank'', ''rounding'')', '''bank'', ''rounding'', ''outside'')') WHERE type = 'table' AND name = 'ledger_account';
{{sqlite}} PRAGMA writable_schema = RESET;
{{postgres}} ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_kind_check;
{{postgres}} ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_kind_check CHECK (kind IN ('wallet', 'commission', 'clearing', 'sales', 'refunds', 'gifts', 'fees', 'bank', 'rounding', 'outside'));
