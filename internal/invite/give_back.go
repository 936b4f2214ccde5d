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
	Name    string           // of what the order sold
	Amount  money.Amount     // that comes back
	Stays   money.Amount     // of the credit of a change, what pays for its order
	Credits []service.Credit // that led to the order, newest first
}

// GiveBack counts what comes back into the buyer's wallet, and takes back the commissions that counted it: those of the
// order and of the orders that were credited to it, newest first, each whole. Money comes back before gifts do, and
// counts again when it is spent again. Where a change keeps a part of what a commission counted, its order has a
// commission of that part. The caller has locked the buyer's wallet, and calls it once for each order that is refunded
// or changes a plan, in the transaction that posts what comes back.
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
		if back == 0 {
			break
		}
		gone := min(back, p.amount)
		back -= gone
		if p.commission == nil {
			if err := unspend(ctx, tx, p.orderID, gone); err != nil {
				return err
			}
			continue
		}
		reversed, err := i.reverse(ctx, tx, p.commission)
		if err != nil {
			return err
		}
		if reversed && gone < p.amount {
			kept, err := i.keep(ctx, tx, r, p.commission.ID, p.amount-gone)
			if err != nil {
				return err
			}
			gone += kept
		}
		_, err = tx.NewUpdate().Model((*Commission)(nil)).Set("given_back = given_back + ?", gone).
			Where("id = ?", p.commission.ID).Exec(ctx)
		if err != nil {
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

// keep books a commission of the order for a part of the base of another one, which was just reversed, and returns the
// part. It has the rate and the time of release of the other one. It is nothing where that part earns less than a cent,
// or the holder has left or is the buyer since a merge.
func (i *Invites) keep(ctx context.Context, tx bun.Tx, r Return, of int64, base money.Amount) (money.Amount, error) {
	was := Commission{ID: of}
	if err := tx.NewSelect().Model(&was).WherePK().Scan(ctx); err != nil {
		return 0, err
	}
	c := &Commission{
		OrderID: r.OrderID, InviterID: was.holder(), UserID: r.UserID, Base: base, Permille: was.Permille,
		State: Pending, CreatedAt: i.db.Now(), ReleaseAt: was.ReleaseAt,
	}
	closed, err := hasLeft(ctx, tx, c.InviterID)
	if err != nil || closed || c.InviterID == c.UserID {
		return 0, err
	}
	if c.Amount, err = c.Base.Share(c.Permille, 1000); err != nil || c.Amount == 0 {
		return 0, err
	}
	return base, i.book(ctx, tx, c, r.Name)
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
