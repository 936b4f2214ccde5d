-- +goose Up
-- For the lists of movements, which are sorted by the index of the overview, and of invoices, and for the cases of a recharge.
CREATE INDEX ledger_transaction_reason ON ledger_transaction (reason, id);
CREATE INDEX posting_amount ON posting (amount);
CREATE INDEX payment_case_recharge ON payment_case (recharge_id) WHERE recharge_id IS NOT NULL;
CREATE INDEX invoice_created ON invoice (created_at, id);
CREATE INDEX invoice_total ON invoice (total, id);
CREATE INDEX invoice_kind ON invoice (reference_kind, id);
