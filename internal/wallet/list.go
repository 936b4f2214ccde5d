package wallet

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/listing"
)

// RechargeList declares the list of all recharges. Who has users searches it by them.
func RechargeList() *listing.Resource {
	return &listing.Resource{
		Name: "recharges", Table: "recharge", ID: "id", Default: "-created",
		Filters: []listing.Filter{
			{
				Key: "state", Kind: listing.Choice, Column: "state", Doc: "State of the recharge",
				Choices: []string{"pending", "paid", "expired", "failed", "refunded"},
			},
			{Key: "gateway", Kind: listing.Choice, Column: "gateway", Doc: "Name of the gateway"},
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Whose wallet"},
			{Key: "amount", Kind: listing.Range, Unit: "money", Column: "amount", Doc: "What the wallet gains"},
			{Key: "created", Kind: listing.Date, Column: "created_at", Doc: "When it was begun"},
			{Key: "paid", Kind: listing.Date, Column: "paid_at", None: true, Doc: "When it was paid"},
		},
		Sorts: []listing.Sort{
			{Key: "created", Column: "created_at", Kind: listing.Time},
			{Key: "amount", Column: "amount"},
			{Key: "paid", Column: "paid_at", Kind: listing.Time, None: true},
		},
	}
}

// RechargesByID returns the recharges with these numbers, whosever they are, in any order.
func (w *Wallets) RechargesByID(ctx context.Context, ids []int64) (recharges []Recharge, err error) {
	err = selectRecharges(w.db, &recharges).Where("?TableAlias.id IN (?)", bun.List(ids)).Scan(ctx)
	return recharges, err
}
