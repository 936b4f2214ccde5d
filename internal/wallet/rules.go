package wallet

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I1", Says: "every ledger transaction sums to zero", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t LEFT JOIN posting p ON p.transaction_id = t.id
		GROUP BY t.id HAVING COUNT(p.id) < 2 OR SUM(p.amount) <> 0`},
	{Name: "I1", Says: "the ledger has one currency", Query: `
		SELECT DISTINCT currency FROM ledger_transaction WHERE currency <> (SELECT currency FROM ledger_transaction ORDER BY id LIMIT 1)`},
	{Name: "I2", Says: "a user's balance is the sum of its postings, its version their number", Query: `
		SELECT 'account ' || CAST(a.id AS TEXT) FROM ledger_account a LEFT JOIN posting p ON p.account_id = a.id WHERE a.user_id IS NOT NULL
		GROUP BY a.id, a.posted, a.version HAVING a.posted <> COALESCE(SUM(p.amount), 0) OR a.version <> COUNT(p.id) OR a.version <> COALESCE(MAX(p.version), 0)`},
	{Name: "I2", Says: "each balance follows from the one before", Query: `
		SELECT 'posting ' || CAST(id AS TEXT) FROM (
			SELECT p.id, p.version, p.amount, p.balance_after, LAG(p.balance_after) OVER (PARTITION BY p.account_id ORDER BY p.version) AS before
			FROM posting p JOIN ledger_account a ON a.id = p.account_id WHERE a.user_id IS NOT NULL) AS chain
		WHERE version IS NULL OR balance_after <> COALESCE(before, 0) + amount`},
	{Name: "I4", Says: "what is held is the sum of the open holds and is there", Query: `
		SELECT 'account ' || CAST(a.id AS TEXT) FROM ledger_account a LEFT JOIN ledger_hold h ON h.account_id = a.id AND h.ended_at IS NULL
		WHERE a.user_id IS NOT NULL GROUP BY a.id, a.posted, a.held HAVING a.held <> COALESCE(SUM(h.amount), 0) OR a.posted < a.held OR a.posted < 0`},
	{Name: "I5", Says: "a paid recharge is one credit of its amount to its user, an unpaid one none", Query: `
		SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'recharge' AND t.reference_id = r.id AND t.reason = 'recharge'
		LEFT JOIN (posting p JOIN ledger_account a ON a.id = p.account_id AND a.kind = 'wallet') ON p.transaction_id = t.id
		WHERE CASE WHEN r.state IN ('paid', 'refunded') THEN p.id IS NULL OR p.amount <> r.amount OR a.user_id <> r.user_id OR t.currency <> r.currency ELSE t.id IS NOT NULL END`},
	{Name: "I5", Says: "what is paid in the site's own currency is the amount and the fee", Query: `
		SELECT 'recharge ' || CAST(id AS TEXT) FROM recharge WHERE pay_currency = currency AND pay_amount <> amount + fee`},
	{Name: "I5", Says: "no more goes back of a recharge than it brought, and it is refunded once all did", Query: `
		SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r LEFT JOIN gateway_refund g ON g.recharge_id = r.id AND g.state <> 'failed'
		GROUP BY r.id, r.user_id, r.amount, r.fee, r.pay_amount, r.state
		HAVING SUM(g.amount) > r.amount OR SUM(g.fee) > r.fee OR SUM(g.pay_amount) > r.pay_amount OR MIN(g.user_id) <> r.user_id OR MAX(g.user_id) <> r.user_id
			OR (r.state = 'refunded') <> (COALESCE(SUM(CASE WHEN g.state = 'done' THEN g.amount END), 0) = r.amount) OR (COUNT(g.id) > 0 AND r.state NOT IN ('paid', 'refunded'))`},
	{Name: "I5", Says: "a refund of a recharge that is done is one movement out of its user's wallet, any other none", Query: `
		SELECT 'gateway refund ' || CAST(g.id AS TEXT) FROM gateway_refund g
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'gateway_refund' AND t.reference_id = g.id AND t.reason = 'gateway_refund'
		LEFT JOIN (posting p JOIN ledger_account a ON a.id = p.account_id AND a.kind = 'wallet') ON p.transaction_id = t.id
		WHERE CASE WHEN g.state = 'done' THEN p.id IS NULL OR p.amount <> -g.amount OR a.user_id <> g.user_id ELSE t.id IS NOT NULL END`},
	{Name: "I5", Says: "every refund of a recharge in the ledger was made by staff", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t LEFT JOIN gateway_refund g ON g.id = t.reference_id
		WHERE t.reason = 'gateway_refund' AND (t.reference_kind <> 'gateway_refund' OR g.id IS NULL)`},
	{Name: "I4", Says: "a pending refund of a recharge is held, any other not", Query: `
		SELECT 'gateway refund ' || CAST(g.id AS TEXT) FROM gateway_refund g
		LEFT JOIN ledger_hold h ON h.reference_kind = 'gateway_refund' AND h.reference_id = g.id AND h.ended_at IS NULL
		LEFT JOIN ledger_account a ON a.id = h.account_id
		WHERE (g.state = 'pending') <> (h.id IS NOT NULL) OR h.amount <> g.amount OR a.user_id <> g.user_id OR a.kind <> 'wallet'`},
	{Name: "I5", Says: "every credit from a gateway has its recharge", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t LEFT JOIN recharge r ON r.id = t.reference_id
		WHERE t.reason = 'recharge' AND (t.reference_kind <> 'recharge' OR r.id IS NULL)`},
	{Name: "I2", Says: "an invoice is the sum of its lines, and every paid recharge has one", Query: `
		SELECT 'invoice ' || CAST(i.id AS TEXT) FROM invoice i LEFT JOIN invoice_line l ON l.invoice_id = i.id
		GROUP BY i.id, i.total HAVING COUNT(l.position) = 0 OR i.total <> SUM(l.amount)
		UNION ALL SELECT 'recharge ' || CAST(r.id AS TEXT) FROM recharge r LEFT JOIN invoice i ON i.reference_kind = 'recharge' AND i.reference_id = r.id
		WHERE (r.state IN ('paid', 'refunded')) <> (i.id IS NOT NULL) OR i.total <> r.amount + r.fee OR i.user_id <> r.user_id`},
	{Name: "I11", Says: "a posted adjustment is one movement of its amount in its user's wallet, any other none", Query: `
		SELECT 'adjustment ' || CAST(m.id AS TEXT) FROM wallet_adjustment m
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'adjustment' AND t.reference_id = m.id AND t.reason = 'adjustment'
		LEFT JOIN (posting p JOIN ledger_account a ON a.id = p.account_id AND a.kind = 'wallet') ON p.transaction_id = t.id
		WHERE CASE WHEN m.state = 'posted' THEN p.id IS NULL OR p.amount <> m.amount OR a.user_id <> m.user_id ELSE t.id IS NOT NULL END`},
	{Name: "I11", Says: "every adjustment in the ledger was made by staff", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t LEFT JOIN wallet_adjustment m ON m.id = t.reference_id
		WHERE t.reason = 'adjustment' AND (t.reference_kind <> 'adjustment' OR m.id IS NULL)`},
}

// Check gives every place where the money is not as it must be.
func (w *Wallets) Check(ctx context.Context) ([]db.Violation, error) {
	broken, err := db.Check(ctx, w.db, rules...)
	if err != nil {
		return nil, err
	}
	seals, err := w.checkSeals(ctx)
	return append(broken, seals...), err
}
