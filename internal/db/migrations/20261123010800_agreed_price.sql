-- +goose Up
-- The most that automatic renewal may take: what the service was bought or last renewed for, or a price that its user agreed to
-- since. 0: it was given, so that none was agreed, or it costs nothing.
ALTER TABLE service ADD COLUMN agreed_price {{int}} NOT NULL DEFAULT 0 CHECK (agreed_price >= 0);
UPDATE service SET agreed_price = COALESCE(
	(SELECT o.price FROM fulfilment f JOIN shop_order o ON o.id = f.order_id WHERE f.service_id = service.id ORDER BY f.order_id DESC LIMIT 1),
	(SELECT p.amount FROM price p WHERE p.plan_id = service.plan_id AND p.offered AND service.auto_renew ORDER BY p.months LIMIT 1), 0);
