package invite

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
)

// Return is what comes back into the wallet of who bought: the refund of an order, or the rest of the credit of an
// order that changed the plan.
type Return struct {
	UserID  int64
	OrderID int64
	Amount  money.Amount     // that comes back
	Stays   money.Amount     // of the credit of a change, what pays for its order
	Credits []service.Credit // that led to the order, newest first
}

// LockHolders locks the commission accounts that have what the buyer's orders earned, in the order of their users' ids.
// Whoever is about to give something back calls it behind the lock of the buyer's wallet, and before rights change: all
// that changes rights waits for the revision of rights, so that whoever has that may wait for nothing.
func (i *Invites) LockHolders(ctx context.Context, tx bun.Tx, buyerID int64) error {
	var holders []int64
	err := tx.NewSelect().Model((*Commission)(nil)).Distinct().ColumnExpr("COALESCE(holder_id, inviter_id) AS holder").
		Where("user_id = ?", buyerID).Where(hasSpent).OrderExpr("holder").Scan(ctx, &holders)
	for _, id := range holders {
		if err == nil {
			_, err = i.wallets.LockCommission(ctx, tx, id)
		}
	}
	return err
}

// GiveBack counts what comes back into the buyer's wallet, of the money of the order and of the orders that were
// credited to it, the newest first, and takes back the share of their commissions. Money comes back before gifts do,
// and counts again when it is spent again. The caller has locked the buyer's wallet and called LockHolders, and calls
// it once for each order that is refunded or changes a plan, in the transaction that posts what comes back.
func (i *Invites) GiveBack(ctx context.Context, tx bun.Tx, r Return) error {
	ids := []int64{r.OrderID}
	for _, c := range r.Credits {
		ids = append(ids, c.From)
	}
	of, err := spentBy(ctx, tx, "order_id IN (?)", bun.List(ids))
	if err != nil || len(of) == 0 {
		return err
	}
	parts := r.parts(of)
	var counted money.Amount
	for _, p := range parts {
		counted += p.amount
	}
	if counted <= r.Stays {
		return nil
	}
	back := counted - r.Stays
	if err := i.bring(ctx, tx, r.UserID, back); err != nil {
		return err
	}
	for _, p := range parts {
		gone := min(back, p.amount)
		if gone == 0 {
			break
		}
		back -= gone
		if err := i.lose(ctx, tx, p, loss{givenBack: gone}); err != nil {
			return err
		}
	}
	return nil
}

// parts returns what of this money is in the order, that of the newest order first: what paid for the order itself, and
// of each order that was credited to it no more than was credited.
func (r *Return) parts(all []spent) (parts []spent) {
	of := map[int64]spent{}
	for _, s := range all {
		of[s.orderID] = s
	}
	sources := map[int64][]service.Credit{}
	for _, c := range r.Credits {
		sources[c.To] = append(sources[c.To], c)
	}
	var collect func(order int64, most money.Amount) money.Amount
	collect = func(order int64, most money.Amount) (sum money.Amount) {
		if own, ok := of[order]; ok {
			if own.amount = min(most, own.amount); own.amount > 0 {
				parts = append(parts, own)
			}
			sum = own.amount
		}
		for _, source := range sources[order] {
			if sum < most {
				sum += collect(source.From, min(source.Amount, most-sum))
			}
		}
		return sum
	}
	collect(r.OrderID, r.Amount+r.Stays)
	return parts
}

// book writes a new commission and holds it in its inviter's commission account.
func (i *Invites) book(ctx context.Context, tx bun.Tx, c *Commission, name string) error {
	if _, err := tx.NewInsert().Model(c).Exec(ctx); err != nil {
		return db.Error(err)
	}
	err := i.wallets.Post(ctx, tx, wallet.Commission, c.ref(), name,
		wallet.Entry{Account: wallet.Account{Kind: wallet.Sales}, Amount: -c.Amount},
		wallet.Entry{Account: wallet.Account{Kind: wallet.UserCommission, UserID: c.InviterID}, Amount: c.Amount})
	if err != nil {
		return err
	}
	return i.wallets.HoldCommission(ctx, tx, c.InviterID, c.Amount, c.ref())
}

// bring counts money that comes back into the user's wallet.
func (i *Invites) bring(ctx context.Context, tx bun.Tx, userID int64, amount money.Amount) error {
	if err := i.Follow(ctx, tx, userID); err != nil {
		return err
	}
	known := paidMoney{UserID: userID}
	if err := tx.NewSelect().Model(&known).WherePK().Scan(ctx); err != nil && !errors.Is(err, db.ErrNoRows) {
		return err
	}
	known.bring(amount)
	_, err := tx.NewUpdate().Model(&known).Column("amount", "owed").WherePK().Exec(ctx)
	return err
}
