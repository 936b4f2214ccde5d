-- +goose Up
-- Why a service ended; null while it runs. Only one that expired may run again, or renew itself.
ALTER TABLE service ADD COLUMN end_reason {{text}} CHECK (end_reason IS NULL OR
	(end_reason IN ('expired', 'changed', 'refunded', 'closed') AND ended_at IS NOT NULL AND (end_reason = 'expired' OR NOT auto_renew)));

UPDATE service SET auto_renew = CASE WHEN ended_at = ends_at THEN auto_renew ELSE {{false}} END,
	end_reason = CASE WHEN ended_at = ends_at THEN 'expired'
		WHEN EXISTS (SELECT 1 FROM refund r JOIN fulfilment f ON f.order_id = r.order_id WHERE f.service_id = service.id) THEN 'refunded'
		WHEN EXISTS (SELECT 1 FROM shop_order o WHERE o.replaces_id = service.id AND o.state IN ('paid', 'refunded')) THEN 'changed'
		ELSE 'closed' END
	WHERE ended_at IS NOT NULL;

-- What was paid for a period or a package, and what of it was given back, once: as the credit of an order, or by a refund.
ALTER TABLE fulfilment ADD COLUMN paid {{int}} NOT NULL DEFAULT 0 CHECK (paid >= 0);
ALTER TABLE fulfilment ADD COLUMN given_back {{int}} NOT NULL DEFAULT 0 CHECK (given_back BETWEEN 0 AND paid);
ALTER TABLE fulfilment ADD COLUMN given_back_at {{time}} CHECK (given_back = 0 OR given_back_at IS NOT NULL);
ALTER TABLE fulfilment ADD COLUMN credited_by {{int}} REFERENCES shop_order (id) CHECK (credited_by IS NULL OR given_back_at IS NOT NULL);
CREATE INDEX fulfilment_credited ON fulfilment (credited_by) WHERE credited_by IS NOT NULL;

UPDATE fulfilment SET paid = o.price - o.discount FROM shop_order o WHERE o.id = fulfilment.order_id;

UPDATE fulfilment SET given_back_at = r.created_at, given_back = CASE WHEN r.amount < fulfilment.paid THEN r.amount ELSE fulfilment.paid END
	FROM refund r WHERE r.order_id = fulfilment.order_id;

-- A change of plan gave back all periods that the service had by then. Its credit is spread over them, the last ones first.
WITH period AS (
	SELECT f.order_id, f.paid, f.starts_at, (SELECT o.id FROM shop_order o WHERE o.replaces_id = f.service_id AND o.state IN ('paid', 'refunded')
		AND o.paid_at >= f.created_at ORDER BY o.paid_at, o.id LIMIT 1) AS credited_by
	FROM fulfilment f WHERE f.service_id IS NOT NULL AND f.given_back_at IS NULL
), spread AS (
	SELECT p.order_id, p.credited_by, o.paid_at, o.credit - (SUM(p.paid) OVER (PARTITION BY p.credited_by ORDER BY p.starts_at DESC, p.order_id DESC) - p.paid) AS rest
	FROM period p JOIN shop_order o ON o.id = p.credited_by
)
UPDATE fulfilment SET credited_by = s.credited_by, given_back_at = s.paid_at,
	given_back = CASE WHEN s.rest <= 0 THEN 0 WHEN s.rest < fulfilment.paid THEN s.rest ELSE fulfilment.paid END
	FROM spread s WHERE s.order_id = fulfilment.order_id;
