package wallet

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
)

// Sum is how many rows there are, and what they add up to.
type Sum struct {
	Found  int64
	Amount money.Amount
}

// SiteBetween adds up what accounts of the site gained from from on and before to.
func (w *Wallets) SiteBetween(ctx context.Context, from, to time.Time, kinds ...Kind) (s Sum, err error) {
	var accounts []int64
	if err := w.db.NewRaw(`SELECT id FROM ledger_account WHERE user_id IS NULL AND kind IN (?)`, bun.List(kinds)).
		Scan(ctx, &accounts); err != nil || len(accounts) == 0 {
		return s, err
	}
	// Both engines are to begin with the few transactions of the time, and not with an account of all times: a CROSS
	// JOIN has SQLite do so, and PostgreSQL knows how many postings an account has where it is given as a number.
	err = w.db.NewRaw(`SELECT COUNT(*), CAST(COALESCE(SUM(p.amount), 0) AS BIGINT) FROM ledger_transaction AS t
		CROSS JOIN posting AS p WHERE t.created_at >= ? AND t.created_at < ? AND p.transaction_id = t.id
		AND p.account_id IN (?)`, from, to, bun.List(accounts)).Scan(ctx, &s.Found, &s.Amount)
	return s, err
}

// ReceivedBetween adds up the recharges that were paid from from on and before to.
func (w *Wallets) ReceivedBetween(ctx context.Context, from, to time.Time) (s Sum, err error) {
	err = w.db.NewRaw(`SELECT COUNT(*), CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM recharge
		WHERE paid_at >= ? AND paid_at < ?`, from, to).Scan(ctx, &s.Found, &s.Amount)
	return s, err
}

// ReturnedBetween adds up what gateways, or staff by hand, paid back from from on and before to.
func (w *Wallets) ReturnedBetween(ctx context.Context, from, to time.Time) (s Sum, err error) {
	err = w.db.NewRaw(`SELECT COUNT(*), CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM gateway_refund
		WHERE ended_at >= ? AND ended_at < ? AND state = 'done'`, from, to).Scan(ctx, &s.Found, &s.Amount)
	return s, err
}

// FailedBetween adds up the recharges that were begun from from on and before to and failed, by gateway.
func (w *Wallets) FailedBetween(ctx context.Context, from, to time.Time) (map[string]Sum, error) {
	var rows []struct {
		Gateway string
		Sum
	}
	err := w.db.NewRaw(`SELECT gateway, COUNT(*) AS found, CAST(SUM(amount) AS BIGINT) AS amount FROM recharge
		WHERE state = 'failed' AND created_at >= ? AND created_at < ? GROUP BY gateway`, from, to).Scan(ctx, &rows)
	sums := map[string]Sum{}
	for _, r := range rows {
		sums[r.Gateway] = r.Sum
	}
	return sums, err
}
