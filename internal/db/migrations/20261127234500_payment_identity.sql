-- +goose Up

-- Two gateways may be accounts with one merchant, so the same payment can be reported to both. Our trade number and the
-- platform's number of the transaction together name it once. They stay empty where it was booked twice before.
ALTER TABLE external_payment ADD COLUMN trade_no {{text}};
UPDATE external_payment SET trade_no = (SELECT r.trade_no FROM recharge r WHERE r.id = external_payment.reference_id)
	WHERE reference_kind = 'recharge';
CREATE INDEX external_payment_transaction ON external_payment (transaction_id);
UPDATE external_payment SET trade_no = (SELECT c.trade_no FROM payment_case c WHERE c.id = external_payment.reference_id)
	WHERE reference_kind = 'payment_case'
		AND NOT EXISTS (SELECT 1 FROM external_payment e
			WHERE e.transaction_id = external_payment.transaction_id AND e.gateway <> external_payment.gateway);
DROP INDEX external_payment_transaction;
CREATE UNIQUE INDEX external_payment_trade ON external_payment (trade_no, transaction_id);
CREATE INDEX payment_case_trade ON payment_case (trade_no, transaction_id);
