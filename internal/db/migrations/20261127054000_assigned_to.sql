-- +goose Up
-- The member of staff who deals with a payment case, a payout or a refund request; null: nobody.
ALTER TABLE payment_case ADD COLUMN assigned_to {{int}} REFERENCES account (id);
ALTER TABLE commission_payout ADD COLUMN assigned_to {{int}} REFERENCES account (id);
ALTER TABLE refund_request ADD COLUMN assigned_to {{int}} REFERENCES account (id);
CREATE INDEX payment_case_assigned ON payment_case (assigned_to, id) WHERE assigned_to IS NOT NULL;
CREATE INDEX commission_payout_assigned ON commission_payout (assigned_to, id) WHERE assigned_to IS NOT NULL;
CREATE INDEX refund_request_assigned ON refund_request (assigned_to, id) WHERE assigned_to IS NOT NULL;
