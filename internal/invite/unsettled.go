package invite

import (
	"context"

	"github.com/uptrace/bun"
)

// Unsettled are numbers of what a user's commission account waits for.
type Unsettled struct {
	Payouts []int64 // that staff is to pay or refuse
	Pending []int64 // commissions that are not released
	Owed    []int64 // reversed commissions of which something is owed
}

// Unsettled returns what the user's commission account waits for.
func (i *Invites) Unsettled(ctx context.Context, idb bun.IDB, userID int64) (u Unsettled, err error) {
	if err = idb.NewSelect().Model((*Payout)(nil)).Column("id").Where("user_id = ? AND ended_at IS NULL", userID).
		OrderExpr("id").Scan(ctx, &u.Payouts); err != nil {
		return u, err
	}
	if err = idb.NewSelect().Model((*Commission)(nil)).Column("id").Where("inviter_id = ? AND state = ?", userID,
		Pending).OrderExpr("id").Scan(ctx, &u.Pending); err != nil {
		return u, err
	}
	err = idb.NewSelect().Model((*Commission)(nil)).Column("id").Where(heldBy+" AND owed > 0", userID).
		OrderExpr("id").Scan(ctx, &u.Owed)
	return u, err
}
