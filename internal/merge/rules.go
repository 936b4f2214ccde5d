package merge

import (
	"context"

	"airstrip/internal/db"
)

var rules = []db.Rule{
	{Name: "I11", Says: "a merge that was done is one movement of what it says to the account that stays, any other none", Query: `
		SELECT 'account merge ' || CAST(m.id AS TEXT) FROM account_merge m
		LEFT JOIN ledger_transaction t ON t.reference_kind = 'account_merge' AND t.reference_id = m.id
		AND t.reason = 'account_merge'
		LEFT JOIN (posting p JOIN ledger_account a ON a.id = p.account_id) ON p.transaction_id = t.id
		GROUP BY m.id, m.state, m.balance, m.commission, t.id
		HAVING (m.state = 'done' AND m.balance + m.commission > 0) <> (t.id IS NOT NULL)
		OR (t.id IS NOT NULL AND (
			COALESCE(SUM(CASE WHEN a.kind = 'wallet' AND a.user_id = m.from_id THEN -p.amount END), 0) <> m.balance
			OR COALESCE(SUM(CASE WHEN a.kind = 'wallet' AND a.user_id = m.into_id THEN p.amount END), 0) <> m.balance
			OR COALESCE(SUM(CASE WHEN a.kind = 'commission' AND a.user_id = m.from_id THEN -p.amount END), 0) <> m.commission
			OR COALESCE(SUM(CASE WHEN a.kind = 'commission' AND a.user_id = m.into_id THEN p.amount END), 0) <> m.commission))`},
	{Name: "I11", Says: "the account that a merge ended is closed", Query: `
		SELECT 'account merge ' || CAST(m.id AS TEXT) FROM account_merge m JOIN account u ON u.id = m.from_id
		WHERE m.state = 'done' AND u.closed_at IS NULL`},
}

// Check returns every merge that is not what it says.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	return db.Check(ctx, d, rules...)
}
