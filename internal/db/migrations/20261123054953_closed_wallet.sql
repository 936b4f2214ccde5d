-- +goose Up

-- The wallet of an account that was closed gains nothing any more.
ALTER TABLE ledger_account ADD COLUMN closed {{bool}} NOT NULL DEFAULT {{false}} CHECK (NOT closed OR kind = 'wallet');
UPDATE ledger_account SET closed = {{true}} WHERE kind = 'wallet' AND user_id IN (SELECT id FROM account WHERE closed_at IS NOT NULL);

-- A payment that arrives for one is a case of its own kind.
ALTER TABLE payment_case ADD COLUMN why {{text}} NOT NULL DEFAULT 'not_confirmed' CHECK (why IN ('paid_twice', 'transaction_used',
	'unknown_number', 'wrong_gateway', 'wrong_amount', 'wrong_currency', 'not_confirmed', 'account_closed'));
UPDATE payment_case SET why = kind;
ALTER TABLE payment_case DROP COLUMN kind;
ALTER TABLE payment_case RENAME COLUMN why TO kind;
