package invite

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

type withdrawal struct {
	bun.BaseModel `bun:"table:commission_withdrawal"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Amount        money.Amount
	CreatedAt     time.Time
}

// Withdraw moves released commission into the user's wallet.
func (i *Invites) Withdraw(ctx context.Context, userID int64, amount money.Amount) error {
	if amount <= 0 {
		return fault.Invalid("amount", "range", "金额必须大于零", "The amount must be above zero")
	}
	_, err := idempotency.Tx(ctx, i.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		v := &withdrawal{UserID: userID, Amount: amount, CreatedAt: i.db.Now()}
		if _, err := tx.NewInsert().Model(v).Exec(ctx); err != nil {
			return 0, db.Error(err)
		}
		err := i.wallets.Post(ctx, tx, wallet.CommissionMoved, wallet.Reference{
			Kind: "commission_withdrawal",
			ID:   v.ID,
		}, "",
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserCommission, UserID: userID}, Amount: -amount},
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: userID}, Amount: amount})
		if errors.Is(err, wallet.ErrBalanceTooLow) {
			err = ErrTooLittle
		}
		return v.ID, err
	})
	return err
}

type purchase struct {
	bun.BaseModel `bun:"table:invite_purchase"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Invites       int64
	Amount        money.Amount
	CreatedAt     time.Time
}

const maxInvitesPerPurchase = 100

// Buy raises the number of people whom the user may bring in, for the site's price, and gives how many are left.
func (i *Invites) Buy(ctx context.Context, userID, invites int64) (left int64, err error) {
	if invites < 1 || invites > maxInvitesPerPurchase {
		return 0, fault.Invalid("num", "range", "数量须在 1 到 100 之间", "The number is from 1 to 100")
	}
	return idempotency.Tx(ctx, i.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		if err := wallet.RefuseBanned(ctx, tx, userID); err != nil {
			return 0, err
		}
		site := i.settings.Get()
		if site.InvitePrice == 0 || site.InviteQuota < 0 {
			return 0, ErrNotForSale
		}
		if site.InvitePrice > 1e11 {
			return 0, money.ErrOverflow
		}
		p := &purchase{
			UserID: userID, Invites: invites, Amount: site.InvitePrice * money.Amount(invites),
			CreatedAt: i.db.Now(),
		}
		if _, err := tx.NewInsert().Model(p).Exec(ctx); err != nil {
			return 0, db.Error(err)
		}
		err := i.wallets.Post(ctx, tx, wallet.InvitesBought, wallet.Reference{Kind: "invite_purchase", ID: p.ID},
			"× "+strconv.FormatInt(invites, 10),
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: userID}, Amount: -p.Amount},
			wallet.Entry{Account: wallet.Account{Kind: wallet.Sales}, Amount: p.Amount})
		if err != nil {
			return 0, err
		}
		n, err := Remaining(ctx, tx, site, userID)
		if err != nil {
			return 0, err
		}
		return *n, nil
	})
}

// Remaining gives how many people the user may still bring in; nil where the site sets no limit. To be exact beside
// other sign-ups idb is a transaction that has locked the user's account.
func Remaining(ctx context.Context, idb bun.IDB, site setting.Site, userID int64) (*int64, error) {
	if site.InviteQuota < 0 {
		return nil, nil
	}
	var n struct{ Bought, Invited int64 }
	err := idb.NewRaw(`SELECT (SELECT COALESCE(SUM(invites), 0) FROM invite_purchase WHERE user_id = ?0) AS bought,
		(SELECT COUNT(*) FROM account WHERE invited_by = ?0) AS invited`, userID).Scan(ctx, &n)
	return new(max(0, int64(site.InviteQuota)+n.Bought-n.Invited)), err
}
