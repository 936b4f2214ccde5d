package invite

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I9", Says: "a commission is its rate of what was paid, once for an order of somebody who was invited by who earns", Query: `
		SELECT 'commission ' || CAST(c.id AS TEXT) FROM commission c
		LEFT JOIN shop_order o ON o.id = c.order_id
		WHERE o.id IS NULL OR o.user_id <> c.user_id
		OR c.base > CASE WHEN o.credit > o.price - o.discount THEN o.price - o.discount ELSE o.amount END
		OR c.amount <> c.base * c.permille / 1000 OR c.inviter_id = c.user_id
			OR o.state NOT IN ('paid', 'refunded')
			OR (o.state = 'refunded' AND c.state <> 'reversed' AND c.returned + c.given_back = 0 AND NOT c.stays)`},
	{Name: "I9", Says: "what remains of a commission is its rate of what did not go back, or nothing where its inviter left", Query: `
		SELECT 'commission ' || CAST(c.id AS TEXT) FROM commission c LEFT JOIN account i ON i.id = c.inviter_id
		WHERE c.amount - c.reversed <> (c.base - c.returned - c.given_back) * c.permille / 1000
		AND NOT (c.state = 'reversed' AND (i.closed_at IS NOT NULL OR (c.came_back OR c.returned + c.given_back > 0)
			AND NOT EXISTS (SELECT 1 FROM commission_reversal r WHERE r.commission_id = c.id)))`},
	{Name: "I9", Says: "orders count no more money than came in through gateways and stayed", Query: `
		SELECT 'user ' || CAST(c.user_id AS TEXT) FROM (
			SELECT user_id, base - returned - given_back AS counted FROM commission WHERE state <> 'reversed'
			UNION ALL SELECT user_id, amount - gone FROM order_money) c
		GROUP BY c.user_id
		HAVING SUM(c.counted) > COALESCE((SELECT SUM(r.amount) FROM recharge r WHERE r.user_id = c.user_id
		AND r.state IN ('paid', 'refunded')), 0)
			- COALESCE((SELECT SUM(g.amount) FROM gateway_refund g WHERE g.user_id = c.user_id AND g.state = 'done'), 0)
			+ COALESCE((SELECT m.owed FROM paid_money m WHERE m.user_id = c.user_id), 0)`},
	{Name: "I9", Says: "orders count no more money than was paid for them and did not come back by refunds and changes", Query: `
		SELECT 'user ' || CAST(c.user_id AS TEXT) FROM (
			SELECT user_id, base - returned - given_back AS counted FROM commission WHERE state <> 'reversed' AND NOT stays
			UNION ALL SELECT user_id, amount - gone FROM order_money) c
		GROUP BY c.user_id
		HAVING SUM(c.counted) > COALESCE((SELECT SUM(o.amount - COALESCE(r.amount, 0) - CASE
				WHEN o.credit > o.price - o.discount AND (o.terms ->> 'extra') IS NULL
				THEN o.credit - (o.price - o.discount) ELSE 0 END)
			FROM shop_order o LEFT JOIN refund r ON r.order_id = o.id
			WHERE o.user_id = c.user_id AND o.state IN ('paid', 'refunded')), 0)`},
	{Name: "I9", Says: "money of an order without a commission paid for that order", Query: `
		SELECT 'order ' || CAST(m.order_id AS TEXT) FROM order_money m
		LEFT JOIN shop_order o ON o.id = m.order_id
		WHERE o.id IS NULL OR o.user_id <> m.user_id OR m.amount > o.amount OR o.state NOT IN ('paid', 'refunded')
			OR (o.state = 'refunded' AND m.gone = 0)`},
	{Name: "I9", Says: "nobody invited somebody who was there before them, so that invites have no cycle", Query: `
		SELECT 'user ' || CAST(id AS TEXT) FROM account WHERE invited_by >= id`},
	{Name: "I9", Says: "a pending commission is of an account that is open, and is held; any other is not, and none is released before its time", Query: `
		SELECT 'commission ' || CAST(c.id AS TEXT) FROM commission c LEFT JOIN account i ON i.id = c.inviter_id
		LEFT JOIN ledger_hold h ON h.reference_kind = 'commission' AND h.reference_id = c.id AND h.ended_at IS NULL
		LEFT JOIN ledger_account a ON a.id = h.account_id
		WHERE (c.state = 'pending') <> (h.id IS NOT NULL) OR (c.state = 'pending' AND i.closed_at IS NOT NULL)
		OR h.amount <> c.amount - c.reversed OR a.user_id <> c.inviter_id OR a.kind <> 'commission'
			OR (c.state = 'released' AND c.ended_at < c.release_at)`},
	{Name: "I9", Says: "a commission is posted once to who earned it, and its reversals sum up to what was taken back of it", Query: `
		SELECT 'commission ' || CAST(c.id AS TEXT) FROM commission c
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'commission' AND t.reference_id = c.id
		AND t.reason = 'commission'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'commission')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		LEFT JOIN (SELECT commission_id, SUM(amount) AS amount, SUM(withdrawn) AS withdrawn FROM commission_reversal
			GROUP BY commission_id) r ON r.commission_id = c.id
		LEFT JOIN ledger_transaction u ON u.reference_kind = 'commission' AND u.reference_id = c.id
		AND u.reason = 'commission_reversed'
		LEFT JOIN (posting q JOIN ledger_account b ON b.id = q.account_id AND b.kind = 'commission')
		ON q.transaction_id = u.id
		WHERE p.id IS NULL OR p.amount <> c.amount OR a.user_id <> c.inviter_id
			OR CASE WHEN r.amount IS NOT NULL THEN u.id IS NOT NULL OR r.amount <> c.reversed OR r.withdrawn <> c.withdrawn
			WHEN u.id IS NOT NULL THEN c.state <> 'reversed' OR q.id IS NULL OR q.amount <> c.withdrawn - c.reversed
				OR b.user_id <> COALESCE(c.holder_id, c.inviter_id)
			ELSE c.reversed <> c.withdrawn END`},
	{Name: "I9", Says: "what was taken back of a commission is one movement out of its holder's commission account", Query: `
		SELECT 'commission ' || CAST(r.commission_id AS TEXT) FROM commission_reversal r
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'commission_reversal' AND t.reference_id = r.id
		AND t.reason = 'commission_reversed'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'commission')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE (r.withdrawn < r.amount) <> (t.id IS NOT NULL)
			OR (t.id IS NOT NULL AND (p.id IS NULL OR p.amount <> r.withdrawn - r.amount OR a.user_id <> r.holder_id))`},
	{Name: "I9", Says: "what of a commission paid for reversed ones was posted once", Query: `
		SELECT 'commission ' || CAST(c.id AS TEXT) FROM commission c
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'commission' AND t.reference_id = c.id
		AND t.reason = 'commission_settled'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'commission')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE (c.settled > 0) <> (t.id IS NOT NULL) OR (t.id IS NOT NULL AND (p.id IS NULL OR p.amount <> -c.settled
		OR a.user_id <> c.inviter_id))`},
	{Name: "I9", Says: "who withdrew commission that was taken back later owes it until later commission has paid it, and has none before", Query: `
		SELECT 'user ' || CAST(d.user_id AS TEXT) FROM (
			SELECT holder_id AS user_id, withdrawn AS paid, 0 AS owed, 0 AS settled FROM commission_reversal
			UNION ALL SELECT COALESCE(c.holder_id, c.inviter_id), c.withdrawn - c.owed - COALESCE((SELECT SUM(r.withdrawn)
				FROM commission_reversal r WHERE r.commission_id = c.id), 0), c.owed, 0 FROM commission c WHERE c.reversed > 0
			UNION ALL SELECT inviter_id, 0, 0, settled FROM commission WHERE settled > 0) d
		JOIN ledger_account a ON a.user_id = d.user_id AND a.kind = 'commission'
		GROUP BY d.user_id, a.posted, a.held
		HAVING SUM(d.paid) <> SUM(d.settled) OR (SUM(d.owed) > 0 AND a.posted > a.held)`},
	{Name: "I4", Says: "a pending payout is held in its user's commission account, any other not", Query: `
		SELECT 'payout ' || CAST(p.id AS TEXT) FROM commission_payout p
		LEFT JOIN ledger_hold h ON h.reference_kind = 'commission_payout' AND h.reference_id = p.id
		AND h.ended_at IS NULL
		LEFT JOIN ledger_account a ON a.id = h.account_id
		WHERE (p.ended_at IS NULL) <> (h.id IS NOT NULL) OR h.amount <> p.amount OR a.user_id <> p.user_id
		OR a.kind <> 'commission'
		UNION ALL SELECT 'hold ' || CAST(h.id AS TEXT) FROM ledger_hold h
		LEFT JOIN commission_payout p ON p.id = h.reference_id
		WHERE h.reference_kind = 'commission_payout' AND p.id IS NULL`},
	{Name: "I9", Says: "a paid payout is one movement out of its user's commission account, any other none", Query: `
		SELECT 'payout ' || CAST(y.id AS TEXT) FROM commission_payout y
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'commission_payout' AND t.reference_id = y.id
		AND t.reason = 'commission_payout'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'commission')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN y.state = 'paid' THEN p.id IS NULL OR p.amount <> -y.amount OR a.user_id <> y.user_id
		ELSE t.id IS NOT NULL END`},
	{Name: "I9", Says: "what left a commission account or paid for invites was asked for", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		LEFT JOIN commission_withdrawal w ON t.reference_kind = 'commission_withdrawal' AND w.id = t.reference_id
		LEFT JOIN invite_purchase i ON t.reference_kind = 'invite_purchase' AND i.id = t.reference_id
		WHERE (t.reason = 'commission_withdrawal' AND (w.id IS NULL OR p.amount <> w.amount OR a.user_id <> w.user_id))
			OR (t.reason = 'invite_purchase' AND (i.id IS NULL OR p.amount <> -i.amount OR a.user_id <> i.user_id))`},
}

// Check gives every place where commissions and the money for them do not agree.
func (i *Invites) Check(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, i.db, rules...)
}
