package shop

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I6", Says: "a paid order led to one service or package, any other to none", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o LEFT JOIN fulfilment f ON f.order_id = o.id
		WHERE (o.state IN ('paid', 'refunded')) <> (f.order_id IS NOT NULL) OR f.user_id <> o.user_id
		OR (o.kind = 'renewal' AND f.service_id <> o.service_id)
			OR (f.order_id IS NOT NULL AND (o.kind = 'package') <> (f.package_id IS NOT NULL))`},
	{Name: "I10", Says: "a paid order took its price from its user's wallet, any other nothing", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'order' AND t.reference_id = o.id AND t.reason = 'purchase'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN o.state IN ('paid', 'refunded') AND o.amount > 0 THEN p.id IS NULL OR p.amount <> -o.amount
		OR a.user_id <> o.user_id ELSE t.id IS NOT NULL END`},
	{Name: "I10", Says: "a period or package counts for what its order brought, and no more of it was given back", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o JOIN fulfilment f ON f.order_id = o.id
		WHERE f.paid <> CASE WHEN (o.terms ->> 'extra') IS NULL THEN o.price - o.discount ELSE o.credit END
		OR f.given_back NOT BETWEEN 0 AND f.paid`},
	{Name: "I10", Says: "a credit was taken from the periods of the service that the order ended, all of it and once", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o LEFT JOIN fulfilment f ON f.credited_by = o.id
		GROUP BY o.id, o.state, o.credit, o.replaces_id HAVING COALESCE(SUM(f.given_back), 0) <> CASE WHEN o.state IN ('paid', 'refunded') THEN o.credit ELSE 0 END
			OR MIN(f.service_id) <> o.replaces_id OR MAX(f.service_id) <> o.replaces_id`},
	{Name: "I10", Says: "a refund paid what was given back of its order, and nothing else was given back", Query: `
		SELECT 'order ' || CAST(f.order_id AS TEXT) FROM fulfilment f LEFT JOIN refund r ON r.order_id = f.order_id
		WHERE CASE WHEN r.order_id IS NULL THEN f.credited_by IS NULL AND f.given_back <> 0
		ELSE f.credited_by IS NOT NULL OR f.given_back <> r.amount END`},
	{Name: "I10", Says: "what was given back has ended for good", Query: `
		SELECT 'order ' || CAST(f.order_id AS TEXT) FROM fulfilment f LEFT JOIN service v ON v.id = f.service_id
		LEFT JOIN package p ON p.id = f.package_id
		WHERE f.given_back_at IS NOT NULL AND (COALESCE(v.end_reason, 'expired') NOT IN ('changed', 'refunded')
		AND p.id IS NULL OR v.id IS NULL AND p.ended_at IS NULL)`},
	{Name: "I10", Says: "what a change gave back is what its credit is more than its price", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'order' AND t.reference_id = o.id
		AND t.reason = 'plan_change'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN o.state IN ('paid', 'refunded') AND o.credit > o.price - o.discount
		AND (o.terms ->> 'extra') IS NULL
			THEN p.id IS NULL OR p.amount <> o.credit - (o.price - o.discount) OR a.user_id <> o.user_id ELSE t.id IS NOT NULL END`},
	{Name: "I10", Says: "a refund is in its user's wallet, and its order is refunded", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o LEFT JOIN refund r ON r.order_id = o.id
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'order' AND t.reference_id = o.id AND t.reason = 'refund'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE (o.state = 'refunded') <> (r.order_id IS NOT NULL) OR (CASE WHEN r.amount > 0 THEN p.id IS NULL
		OR p.amount <> r.amount OR a.user_id <> o.user_id ELSE t.id IS NOT NULL END)`},
	{Name: "I15", Says: "a service or package is what its order promised", Query: `
		SELECT 'service ' || CAST(v.id AS TEXT) FROM shop_order o JOIN fulfilment f ON f.order_id = o.id JOIN service v
		ON v.id = f.service_id
		WHERE o.kind = 'plan' AND (v.term_bytes IS DISTINCT FROM CAST(o.terms->>'traffic_bytes' AS BIGINT)
		OR v.speed_mbps IS DISTINCT FROM CAST(o.terms->>'speed_mbps' AS BIGINT)
			OR v.devices IS DISTINCT FROM CAST(o.terms->>'devices' AS BIGINT)
			OR v.class <> CAST(o.terms->>'class' AS BIGINT) OR v.reset <> o.terms->>'reset')
		UNION ALL SELECT 'package ' || CAST(p.id AS TEXT) FROM shop_order o JOIN fulfilment f ON f.order_id = o.id
		JOIN package p ON p.id = f.package_id
		WHERE p.bytes IS DISTINCT FROM CAST(o.terms->>'traffic_bytes' AS BIGINT)`},
	{Name: "I4", Says: "only pending orders hold money, less than their price and of their user", Query: `
		SELECT 'hold ' || CAST(h.id AS TEXT) FROM ledger_hold h JOIN ledger_account a ON a.id = h.account_id
		LEFT JOIN shop_order o ON h.reference_kind = 'order' AND o.id = h.reference_id
		WHERE h.ended_at IS NULL AND h.reference_kind = 'order' AND (o.id IS NULL OR o.state <> 'pending'
		OR h.amount >= o.amount OR a.user_id <> o.user_id)`},
	{Name: "I11", Says: "a pending order waits for a recharge of its user", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o LEFT JOIN recharge r ON r.id = o.recharge_id
		WHERE r.user_id <> o.user_id OR (o.state = 'pending' AND r.id IS NULL)`},
	{Name: "I10", Says: "every paid order has an invoice of its price, any other none", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o LEFT JOIN invoice i ON i.reference_kind = 'order'
		AND i.reference_id = o.id
		WHERE (o.state IN ('paid', 'refunded')) <> (i.id IS NOT NULL) OR i.total <> o.amount
		OR i.user_id <> o.user_id`},
	{Name: "I8", Says: "a coupon is taken by its orders that wait or are paid, within its limits", Query: `
		SELECT 'coupon ' || CAST(c.id AS TEXT) FROM coupon c LEFT JOIN shop_order o ON o.coupon_id = c.id
		AND o.state IN ('pending', 'paid', 'refunded')
		GROUP BY c.id, c.taken, c.total HAVING c.taken <> COUNT(o.id) OR c.taken > c.total`},
	{Name: "I8", Says: "a user takes a coupon no more often than one may", Query: `
		SELECT 'user ' || CAST(o.user_id AS TEXT) || ', coupon ' || CAST(c.id AS TEXT) FROM coupon c JOIN shop_order o
		ON o.coupon_id = c.id AND o.state IN ('pending', 'paid', 'refunded')
		GROUP BY o.user_id, c.id, c.per_user HAVING COUNT(*) > c.per_user`},
	{Name: "I8", Says: "an order has a discount by its coupon alone, and as much as that gives", Query: `
		SELECT 'order ' || CAST(o.id AS TEXT) FROM shop_order o LEFT JOIN coupon c ON c.id = o.coupon_id
		WHERE CASE WHEN c.id IS NULL THEN o.discount <> 0 WHEN c.percent IS NOT NULL
		THEN o.discount <> o.price * c.percent / 100
			ELSE o.discount <> CASE WHEN c.amount < o.price THEN c.amount ELSE o.price END END`},
	{Name: "I11", Says: "a request to give an order back was granted only where its service or package was given back, and is open only for a paid order", Query: `
		SELECT 'refund request ' || CAST(q.id AS TEXT) FROM refund_request q JOIN shop_order o ON o.id = q.order_id
		LEFT JOIN fulfilment f ON f.order_id = o.id
		WHERE (q.state = 'granted' AND o.state <> 'refunded' AND NOT EXISTS (
				SELECT 1 FROM fulfilment g JOIN shop_order p ON p.id = g.order_id AND p.state = 'refunded'
				WHERE g.service_id = f.service_id))
			OR (q.state = 'open' AND o.state NOT IN ('paid', 'refunded')) OR q.user_id <> o.user_id`},
	{Name: "I13", Says: "a service has a limit just where its order promised one", Query: `
		SELECT 'service ' || CAST(v.id AS TEXT) FROM service v JOIN fulfilment f ON f.service_id = v.id
		JOIN shop_order o ON o.id = f.order_id AND o.kind = 'plan'
		WHERE (v.quota_bytes IS NULL) <> ((o.terms ->> 'traffic_bytes') IS NULL)
		OR (v.speed_mbps IS NULL) <> ((o.terms ->> 'speed_mbps') IS NULL)
			OR (v.devices IS NULL) <> ((o.terms ->> 'devices') IS NULL)`},
	{Name: "I13", Says: "no limit of a plan is zero", Query: `
		SELECT 'plan ' || CAST(id AS TEXT) FROM plan WHERE traffic_bytes <= 0 OR speed_mbps <= 0 OR devices <= 0`},
}

// Check returns every place where orders and the money for them do not agree.
func (s *Shop) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, s.db, rules...)
}
