package wallet

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// ErrBanned is the fault of a banned user who wants to buy, recharge or redeem: while a ban runs they have no service,
// so nothing is sold or given to them. Money that comes in for what was begun before is theirs all the same.
var ErrBanned = fault.Forbidden("account_banned", "账号封禁期间不能购买、充值、兑换或签到，请联系客服",
	"The account is suspended: nothing can be bought, topped up, redeemed or checked in for now; please write to support")

// Banned reports whether a ban of the user runs.
func Banned(ctx context.Context, idb bun.IDB, userID int64) (banned bool, err error) {
	err = db.ScanPrepared(ctx, idb, &banned,
		`SELECT EXISTS (SELECT 1 FROM account WHERE id = ? AND banned_at IS NOT NULL)`, userID)
	return banned, err
}

// RefuseBanned is ErrBanned where a ban of the user runs. Whatever takes money from users or gives them something of
// value at their own wish asks it first.
func RefuseBanned(ctx context.Context, idb bun.IDB, userID int64) error {
	banned, err := Banned(ctx, idb, userID)
	if err == nil && banned {
		err = ErrBanned
	}
	return err
}
