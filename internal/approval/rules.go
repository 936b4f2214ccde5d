package approval

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I11", Says: "what a member gave alone on a day is the sum of the acts", Query: `
		SELECT 'member ' || CAST(d.staff_id AS TEXT) || ', ' || d.day FROM staff_grant_day d
		LEFT JOIN staff_grant g ON g.staff_id = d.staff_id AND g.day = d.day AND g.state = 'alone'
		GROUP BY d.staff_id, d.day, d.worth HAVING d.worth <> COALESCE(SUM(g.worth), 0)
		UNION ALL SELECT 'act ' || CAST(g.id AS TEXT) FROM staff_grant g
		LEFT JOIN staff_grant_day d ON d.staff_id = g.staff_id AND d.day = g.day WHERE g.state = 'alone'
		AND g.staff_id IS NOT NULL AND d.day IS NULL`},
	{Name: "I11", Says: "an act waits just where its matter does", Query: `
		SELECT 'act ' || CAST(g.id AS TEXT) FROM staff_grant g
		LEFT JOIN wallet_adjustment m ON g.kind = 'adjustment' AND m.id = g.reference_id AND m.state = 'pending'
		LEFT JOIN cd_key_batch b ON g.kind = 'cd_keys' AND b.id = g.reference_id AND b.confirmed_at IS NULL
		AND b.voided_at IS NULL
		LEFT JOIN gateway_refund f ON g.kind = CASE WHEN f.by_hand THEN 'refund_by_hand' ELSE 'recharge_refund' END
		AND f.id = g.reference_id AND f.waits
		LEFT JOIN recharge r ON g.kind = 'payment_by_hand' AND r.id = g.reference_id AND r.paid_at IS NULL
		LEFT JOIN payment_case c ON c.id = g.reference_id AND (g.kind = 'payment_case' AND c.state = 'waiting'
		OR g.kind = 'payment_case_refund' AND c.waits)
		LEFT JOIN coupon k ON g.kind = 'coupon' AND k.id = g.reference_id AND (k.waits OR k.proposed IS NOT NULL)
		LEFT JOIN order_refund o ON g.kind = 'order_refund' AND o.id = g.reference_id AND o.state = 'waiting'
		LEFT JOIN traffic_grant t ON g.kind = 'traffic' AND t.id = g.reference_id AND t.state = 'waiting'
		LEFT JOIN service_gift s ON g.kind = 'service_gift' AND s.id = g.reference_id AND s.state = 'waiting'
		LEFT JOIN staff_order w ON g.kind = 'order_by_hand' AND w.id = g.reference_id AND w.state = 'waiting'
		LEFT JOIN bulk_job j ON g.kind = 'bulk_job' AND j.id = g.reference_id AND j.state = 'waiting'
		LEFT JOIN commission_payout y ON g.kind = 'commission_payout' AND y.id = g.reference_id AND y.state = 'waiting'
		LEFT JOIN account_merge i ON g.kind = 'account_merge' AND i.id = g.reference_id AND i.state = 'waiting'
		WHERE g.state = 'waiting' AND COALESCE(m.id, b.id, f.id, r.id, c.id, k.id, o.id, t.id, s.id, j.id, y.id,
		w.id, i.id) IS NULL
		UNION ALL SELECT 'merge ' || CAST(i.id AS TEXT) FROM account_merge i WHERE i.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'account_merge' AND g.reference_id = i.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'payout ' || CAST(y.id AS TEXT) FROM commission_payout y WHERE y.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'commission_payout' AND g.reference_id = y.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'refund of order ' || CAST(o.order_id AS TEXT) FROM order_refund o WHERE o.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'order_refund' AND g.reference_id = o.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'traffic grant ' || CAST(t.id AS TEXT) FROM traffic_grant t WHERE t.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'traffic' AND g.reference_id = t.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'order by staff ' || CAST(w.id AS TEXT) FROM staff_order w WHERE w.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'order_by_hand' AND g.reference_id = w.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'bulk job ' || CAST(j.id AS TEXT) FROM bulk_job j WHERE j.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'bulk_job' AND g.reference_id = j.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'service gift ' || CAST(s.id AS TEXT) FROM service_gift s WHERE s.state = 'waiting'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'service_gift' AND g.reference_id = s.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'coupon ' || CAST(k.id AS TEXT) FROM coupon k WHERE (k.waits OR k.proposed IS NOT NULL)
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'coupon' AND g.reference_id = k.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'adjustment ' || CAST(m.id AS TEXT) FROM wallet_adjustment m WHERE m.state = 'pending'
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'adjustment' AND g.reference_id = m.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'batch ' || CAST(b.id AS TEXT) FROM cd_key_batch b WHERE b.confirmed_at IS NULL
		AND b.voided_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = 'cd_keys' AND g.reference_id = b.id
			AND g.state = 'waiting')
		UNION ALL SELECT 'refund ' || CAST(f.id AS TEXT) FROM gateway_refund f WHERE (f.waits OR (f.by_hand
		AND f.state = 'pending'))
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = CASE WHEN f.by_hand THEN 'refund_by_hand'
			ELSE 'recharge_refund' END AND g.reference_id = f.id AND g.state = 'waiting')
		UNION ALL SELECT 'payment case ' || CAST(c.id AS TEXT) FROM payment_case c WHERE (c.state = 'waiting'
		OR c.waits)
			AND NOT EXISTS (SELECT 1 FROM staff_grant g WHERE g.kind = CASE WHEN c.waits THEN 'payment_case_refund'
			ELSE 'payment_case' END AND g.reference_id = c.id AND g.state = 'waiting')`},
}

// Check returns every place where the records of acts do not agree.
func (a *Approvals) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, a.db, rules...)
}
