-- +goose Up
-- What a platform says of a payment with another amount is a case of its own: a case that is over tells staff nothing.
-- SQLite drops the old constraint no other way than with the table, to which notifies refer. The columns keep the order that
-- they have on PostgreSQL, since backups are restored on both.
{{postgres}} ALTER TABLE payment_case DROP CONSTRAINT payment_case_gateway_transaction_id_key;
{{sqlite}} PRAGMA defer_foreign_keys = ON;
{{sqlite}} CREATE TABLE payment_case_before AS SELECT * FROM payment_case;
{{sqlite}} DROP TABLE payment_case;
{{sqlite}} CREATE TABLE payment_case (
{{sqlite}} 	id             {{id}},
{{sqlite}} 	gateway        {{text}} NOT NULL,
{{sqlite}} 	transaction_id {{text}} NOT NULL,
{{sqlite}} 	trade_no       {{text}} NOT NULL,
{{sqlite}} 	amount         {{int}} NOT NULL,
{{sqlite}} 	currency       {{text}} NOT NULL,
{{sqlite}} 	recharge_id    {{int}} REFERENCES recharge (id),
{{sqlite}} 	user_id        {{int}},
{{sqlite}} 	state          {{text}} NOT NULL CHECK (state IN ('open', 'waiting', 'refunding', 'credited', 'refunded', 'dismissed')),
{{sqlite}} 	credit         {{int}} CHECK (credit > 0),
{{sqlite}} 	reason         {{text}} NOT NULL,
{{sqlite}} 	decided_by     {{int}},
{{sqlite}} 	refund_no      {{text}} UNIQUE,
{{sqlite}} 	answer         {{text}} NOT NULL,
{{sqlite}} 	attempts       {{int}} NOT NULL CHECK (attempts >= 0),
{{sqlite}} 	next_at        {{time}} NOT NULL,
{{sqlite}} 	created_at     {{time}} NOT NULL,
{{sqlite}} 	ended_at       {{time}},
{{sqlite}} 	waits          {{bool}} NOT NULL DEFAULT {{false}} CHECK (NOT waits OR (state = 'refunding' AND attempts = 0)),
{{sqlite}} 	kind           {{text}} NOT NULL CHECK (kind IN ('paid_twice', 'transaction_used', 'unknown_number', 'wrong_gateway', 'wrong_amount', 'wrong_currency', 'not_confirmed', 'account_closed')),
{{sqlite}} 	assigned_to    {{int}} REFERENCES account (id),
{{sqlite}} 	CHECK ((state IN ('credited', 'refunded', 'dismissed')) = (ended_at IS NOT NULL)),
{{sqlite}} 	CHECK (state NOT IN ('waiting', 'credited') OR (credit IS NOT NULL AND user_id IS NOT NULL)),
{{sqlite}} 	CHECK (state NOT IN ('refunding', 'refunded') OR refund_no IS NOT NULL),
{{sqlite}} 	CHECK (state = 'open' OR reason <> '')
{{sqlite}} ) {{strict}};
{{sqlite}} INSERT INTO payment_case (id, kind, gateway, transaction_id, trade_no, amount, currency, recharge_id, user_id, state, credit, reason, decided_by, refund_no, waits, answer, attempts, next_at, created_at, ended_at, assigned_to)
{{sqlite}} 	SELECT id, kind, gateway, transaction_id, trade_no, amount, currency, recharge_id, user_id, state, credit, reason, decided_by, refund_no, waits, answer, attempts, next_at, created_at, ended_at, assigned_to FROM payment_case_before ORDER BY id;
{{sqlite}} DROP TABLE payment_case_before;
{{sqlite}} CREATE INDEX payment_case_state ON payment_case (state, id);
{{sqlite}} CREATE INDEX payment_case_recharge ON payment_case (recharge_id) WHERE recharge_id IS NOT NULL;
{{sqlite}} CREATE INDEX payment_case_assigned ON payment_case (assigned_to, id) WHERE assigned_to IS NOT NULL;
CREATE UNIQUE INDEX payment_case_payment ON payment_case (gateway, transaction_id, amount, currency);
