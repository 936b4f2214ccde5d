package wallet

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I1", Says: "every ledger transaction sums to zero", Query: `
		SELECT 'ledger transaction ' || CAST(transaction_id AS TEXT) FROM posting
		GROUP BY transaction_id HAVING COUNT(*) < 2 OR SUM(amount) <> 0
		UNION ALL SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t
		WHERE NOT EXISTS (SELECT 1 FROM posting p WHERE p.transaction_id = t.id)`},
	{Name: "I1", Says: "the ledger has one currency", Query: `
		SELECT DISTINCT currency FROM ledger_transaction WHERE currency <> (SELECT currency FROM ledger_transaction
		ORDER BY id LIMIT 1)`},
	{Name: "I2", Says: "a user's balance is the sum of its postings, its version their number", Query: `
		SELECT 'account ' || CAST(a.id AS TEXT) FROM ledger_account a LEFT JOIN posting p ON p.account_id = a.id
		WHERE a.user_id IS NOT NULL
		GROUP BY a.id, a.posted, a.version HAVING a.posted <> COALESCE(SUM(p.amount), 0) OR a.version <> COUNT(p.id) OR a.version <> COALESCE(MAX(p.version), 0)`},
	{Name: "I2", Says: "each balance follows from the one before", Query: `
		SELECT 'posting ' || CAST(id AS TEXT) FROM (
			SELECT p.id, p.version, p.amount, p.balance_after, LAG(p.balance_after) OVER (PARTITION BY p.account_id
			ORDER BY p.version) AS before
			FROM posting p JOIN ledger_account a ON a.id = p.account_id WHERE a.user_id IS NOT NULL) AS chain
		WHERE version IS NULL OR balance_after <> COALESCE(before, 0) + amount`},
	{Name: "I4", Says: "what is held is the sum of the open holds and is there", Query: `
		SELECT 'account ' || CAST(a.id AS TEXT) FROM ledger_account a LEFT JOIN ledger_hold h ON h.account_id = a.id
		AND h.ended_at IS NULL
		WHERE a.user_id IS NOT NULL GROUP BY a.id, a.posted, a.held HAVING a.held <> COALESCE(SUM(h.amount), 0)
		OR a.posted < a.held OR a.posted < 0`},
	{Name: "I11", Says: "a movement has a reason that there is, and what it refers to is there", Query: `
		SELECT 'ledger transaction ' || CAST(t.id AS TEXT) FROM ledger_transaction t WHERE NOT CASE t.reference_kind
		WHEN 'order' THEN t.reason IN ('purchase', 'plan_change', 'refund')
		AND EXISTS (SELECT 1 FROM shop_order WHERE id = t.reference_id)
		WHEN 'recharge' THEN t.reason = 'recharge' AND EXISTS (SELECT 1 FROM recharge WHERE id = t.reference_id)
		WHEN 'gateway_refund' THEN t.reason = 'gateway_refund'
		AND EXISTS (SELECT 1 FROM gateway_refund WHERE id = t.reference_id)
		WHEN 'cd_key' THEN t.reason = 'cd_key' AND EXISTS (SELECT 1 FROM cd_key_redemption WHERE id = t.reference_id)
		WHEN 'adjustment' THEN t.reason = 'adjustment'
		AND EXISTS (SELECT 1 FROM wallet_adjustment WHERE id = t.reference_id)
		WHEN 'commission' THEN t.reason IN ('commission', 'commission_settled', 'commission_reversed')
		AND EXISTS (SELECT 1 FROM commission WHERE id = t.reference_id)
		WHEN 'commission_reversal' THEN t.reason = 'commission_reversed'
		AND EXISTS (SELECT 1 FROM commission_reversal WHERE id = t.reference_id)
		WHEN 'commission_withdrawal' THEN t.reason = 'commission_withdrawal'
		AND EXISTS (SELECT 1 FROM commission_withdrawal WHERE id = t.reference_id)
		WHEN 'commission_payout' THEN t.reason = 'commission_payout'
		AND EXISTS (SELECT 1 FROM commission_payout WHERE id = t.reference_id)
		WHEN 'invite_purchase' THEN t.reason = 'invite_purchase'
		AND EXISTS (SELECT 1 FROM invite_purchase WHERE id = t.reference_id)
		WHEN 'payment_case' THEN t.reason = 'payment_case'
		AND EXISTS (SELECT 1 FROM payment_case WHERE id = t.reference_id)
		WHEN 'gateway_settlement' THEN t.reason IN ('settlement', 'settlement_reversed')
		AND EXISTS (SELECT 1 FROM gateway_settlement WHERE id = t.reference_id)
		WHEN 'account_merge' THEN t.reason = 'account_merge'
		AND EXISTS (SELECT 1 FROM account_merge WHERE id = t.reference_id)
		ELSE FALSE END`},
	{Name: "I11", Says: "a wallet is closed just where its account is", Query: `
		SELECT 'wallet of user ' || CAST(l.user_id AS TEXT) FROM ledger_account l JOIN account a ON a.id = l.user_id
		WHERE l.kind = 'wallet' AND l.closed <> (a.closed_at IS NOT NULL)`},
}

// Check returns every place where the ledger is not as it must be.
func (w *Wallets) Check(ctx context.Context) ([]db.Violation, error) {
	broken, err := db.Check(ctx, w.db, rules...)
	if err != nil {
		return nil, err
	}
	seals, err := w.checkSeals(ctx)
	return append(broken, seals...), err
}
