package wallet

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
)

// Booking is a transaction of the ledger as it is read, with both its sides.
type Booking struct {
	ID     int64
	Reason Reason
	Reference
	Note      string // the name of what was bought, the gateway of a recharge
	Currency  string
	CreatedAt time.Time
	Postings  []BookedPosting `bun:"-"`
}

// BookedPosting is one side of a Booking.
type BookedPosting struct {
	ID            int64
	TransactionID int64
	Kind          Kind
	UserID        *int64 // of a user's account
	Name          string // of a clearing or an outside account, the gateway
	Amount        money.Amount
	BalanceAfter  *money.Amount // of a user's account
}

// BookingsFor returns the transactions that refer to these, in the order in which they were made.
func (w *Wallets) BookingsFor(ctx context.Context, refs ...Reference) ([]Booking, error) {
	q := w.db.NewSelect().Table("ledger_transaction").OrderExpr("id")
	for _, r := range refs {
		q.WhereOr("reference_kind = ? AND reference_id = ?", r.Kind, r.ID)
	}
	return w.bookings(ctx, q)
}

// BookingsByID returns the transactions with these numbers, in any order.
func (w *Wallets) BookingsByID(ctx context.Context, ids []int64) ([]Booking, error) {
	return w.bookings(ctx, w.db.NewSelect().Table("ledger_transaction").Where("id IN (?)", bun.List(ids)))
}

func (w *Wallets) bookings(ctx context.Context, q *bun.SelectQuery) (found []Booking, err error) {
	err = q.Column("id", "reason", "reference_kind", "reference_id", "note", "currency", "created_at").
		Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	ids := make([]int64, len(found))
	of := make(map[int64]*Booking, len(found))
	for i := range found {
		ids[i] = found[i].ID
		of[ids[i]] = &found[i]
	}
	var postings []BookedPosting
	err = w.db.NewRaw(`SELECT p.id, p.transaction_id, a.kind, a.user_id, a.name, p.amount, p.balance_after
		FROM posting p JOIN ledger_account a ON a.id = p.account_id WHERE p.transaction_id IN (?) ORDER BY p.id`,
		bun.List(ids)).Scan(ctx, &postings)
	for _, p := range postings {
		of[p.TransactionID].Postings = append(of[p.TransactionID].Postings, p)
	}
	return found, err
}
