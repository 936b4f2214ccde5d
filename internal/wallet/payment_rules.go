package wallet

import (
	"context"

	"airstrip/internal/db"
)

var paymentRules = []db.Rule{
	{Name: "I5", Says: "a paid recharge is one credit of its amount to its user, an unpaid one none", Query: `
		SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'recharge' AND t.reference_id = r.id
		AND t.reason = 'recharge'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN r.state IN ('paid', 'refunded') THEN p.id IS NULL OR p.amount <> r.amount
		OR a.user_id <> r.user_id OR t.currency <> r.currency ELSE t.id IS NOT NULL END`},
	{Name: "I5", Says: "what is paid in the site's own currency is the amount and the fee", Query: `
		SELECT 'recharge ' || CAST(id AS TEXT) FROM recharge WHERE pay_currency = currency
		AND pay_amount <> amount + fee`},
	{Name: "I5", Says: "no more goes back of a recharge than it brought, and it is refunded once all did", Query: `
		SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r LEFT JOIN gateway_refund g ON g.recharge_id = r.id
		AND g.state <> 'failed'
		GROUP BY r.id, r.user_id, r.amount, r.fee, r.pay_amount, r.state
		HAVING SUM(g.amount) > r.amount OR SUM(g.fee) > r.fee OR SUM(g.pay_amount) > r.pay_amount
		OR MIN(g.user_id) <> r.user_id OR MAX(g.user_id) <> r.user_id
		OR (r.state = 'refunded') <> (COALESCE(SUM(CASE WHEN g.state = 'done' THEN g.amount END), 0) = r.amount)
		OR (COUNT(g.id) > 0 AND r.state NOT IN ('paid', 'refunded'))`},
	{Name: "I5", Says: "a refund of a recharge that is done is one movement out of its user's wallet, any other none", Query: `
		SELECT 'gateway refund ' || CAST(g.id AS TEXT) FROM gateway_refund g
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'gateway_refund' AND t.reference_id = g.id
		AND t.reason = 'gateway_refund'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN g.state = 'done' THEN p.id IS NULL OR p.amount <> -g.amount OR a.user_id <> g.user_id
		ELSE t.id IS NOT NULL END`},
	{Name: "I4", Says: "a pending refund of a recharge is held, any other not", Query: `
		SELECT 'gateway refund ' || CAST(g.id AS TEXT) FROM gateway_refund g
		LEFT JOIN ledger_hold h ON h.reference_kind = 'gateway_refund' AND h.reference_id = g.id AND h.ended_at IS NULL
		LEFT JOIN ledger_account a ON a.id = h.account_id
		WHERE (g.state = 'pending') <> (h.id IS NOT NULL) OR h.amount <> g.amount OR a.user_id <> g.user_id
		OR a.kind <> 'wallet'`},
	{Name: "I5", Says: "each payment at a platform settles one recharge or case, and each of those has its payment", Query: `
		SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r LEFT JOIN external_payment e
		ON e.reference_kind = 'recharge' AND e.reference_id = r.id
		WHERE CASE WHEN r.transaction_id IS NULL THEN e.gateway IS NOT NULL ELSE e.gateway IS NULL
		OR e.gateway <> r.gateway OR e.transaction_id <> r.transaction_id OR e.trade_no <> r.trade_no END
		UNION ALL SELECT 'payment case ' || CAST(c.id AS TEXT) FROM payment_case c LEFT JOIN external_payment e
		ON e.reference_kind = 'payment_case' AND e.reference_id = c.id
		WHERE CASE WHEN c.state IN ('open', 'dismissed') THEN e.gateway IS NOT NULL ELSE e.gateway IS NULL
		OR e.gateway <> c.gateway OR e.transaction_id <> c.transaction_id OR e.trade_no <> c.trade_no END`},
	{Name: "I5", Says: "a credited payment case is one credit to its user, any other none", Query: `
		SELECT 'payment case ' || CAST(c.id AS TEXT) FROM payment_case c
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'payment_case' AND t.reference_id = c.id
		AND t.reason = 'payment_case'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN c.state = 'credited' THEN p.id IS NULL OR p.amount <> c.credit OR a.user_id <> c.user_id
		ELSE t.id IS NOT NULL END`},
	{Name: "I5", Says: "a payment is on an account of its gateway, and on that of payments past it only where it was one", Query: `
		SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r
		JOIN ledger_transaction t ON t.reference_kind = 'recharge' AND t.reference_id = r.id AND t.reason = 'recharge'
		JOIN posting p ON p.transaction_id = t.id
		JOIN ledger_account a ON a.id = p.account_id AND a.user_id IS NULL AND a.kind <> 'fees'
		WHERE a.kind NOT IN ('clearing', 'outside') OR a.name <> r.gateway
		OR (a.kind = 'outside' AND r.transaction_id <> 'outside-' || r.trade_no)`},
	{Name: "I5", Says: "a refund is from an account of its gateway, and one by the platform from what that received", Query: `
		SELECT 'gateway refund ' || CAST(g.id AS TEXT) FROM gateway_refund g JOIN recharge r ON r.id = g.recharge_id
		JOIN ledger_transaction t ON t.reference_kind = 'gateway_refund' AND t.reference_id = g.id
		AND t.reason = 'gateway_refund' JOIN posting p ON p.transaction_id = t.id
		JOIN ledger_account a ON a.id = p.account_id AND a.user_id IS NULL AND a.kind <> 'fees'
		WHERE a.kind NOT IN ('clearing', 'outside') OR a.name <> r.gateway OR (a.kind = 'outside' AND NOT g.by_hand)`},
	{Name: "I5", Says: "what staff received by hand moves only by payments and refunds of recharges", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t
		JOIN posting p ON p.transaction_id = t.id JOIN ledger_account a ON a.id = p.account_id AND a.kind = 'outside'
		WHERE t.reason NOT IN ('recharge', 'gateway_refund')`},
	{Name: "I2", Says: "an invoice is the sum of its lines, and every paid recharge has one", Query: `
		SELECT 'invoice ' || CAST(i.id AS TEXT) FROM invoice i LEFT JOIN invoice_line l ON l.invoice_id = i.id
		GROUP BY i.id, i.total HAVING COUNT(l.position) = 0 OR i.total <> SUM(l.amount)
		UNION ALL SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r LEFT JOIN invoice i
		ON i.reference_kind = 'recharge' AND i.reference_id = r.id
		WHERE (r.state IN ('paid', 'refunded')) <> (i.id IS NOT NULL) OR i.total <> r.amount + r.fee
		OR i.user_id <> r.user_id`},
	{Name: "I11", Says: "a posted adjustment is one movement of its amount in its user's wallet, any other none", Query: `
		SELECT 'adjustment ' || CAST(m.id AS TEXT) FROM wallet_adjustment m
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'adjustment' AND t.reference_id = m.id
		AND t.reason = 'adjustment'
		LEFT JOIN posting p ON p.transaction_id = t.id
		AND EXISTS (SELECT 1 FROM ledger_account w WHERE w.id = p.account_id AND w.kind = 'wallet')
		LEFT JOIN ledger_account a ON a.id = p.account_id
		WHERE CASE WHEN m.state = 'posted' THEN p.id IS NULL OR p.amount <> m.amount OR a.user_id <> m.user_id
		ELSE t.id IS NOT NULL END`},
	{Name: "I5", Says: "a settlement is one movement out of its gateway's clearing account, a reversed one a second the other way", Query: `
		SELECT 'settlement ' || CAST(s.id AS TEXT) FROM gateway_settlement s
		LEFT JOIN (ledger_transaction t JOIN posting p ON p.transaction_id = t.id
		JOIN ledger_account a ON a.id = p.account_id AND a.kind = 'clearing')
		ON t.reference_kind = 'gateway_settlement' AND t.reference_id = s.id
		GROUP BY s.id, s.gateway, s.gross, s.reversed_at
		HAVING COUNT(p.id) <> CASE WHEN s.reversed_at IS NULL THEN 1 ELSE 2 END
		OR SUM(CASE t.reason WHEN 'settlement' THEN p.amount ELSE 0 END) <> s.gross
		OR SUM(p.amount) <> CASE WHEN s.reversed_at IS NULL THEN s.gross ELSE 0 END
		OR MIN(a.name) <> s.gateway OR MAX(a.name) <> s.gateway`},
}

// CheckPayments returns every place where what is paid, paid back, settled or adjusted is not what the ledger has.
func (w *Wallets) CheckPayments(ctx context.Context) ([]db.Violation, error) {
	return db.Check(ctx, w.db, paymentRules...)
}
