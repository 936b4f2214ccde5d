package invite

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// reversal is a part of a commission that was taken back.
type reversal struct {
	bun.BaseModel `bun:"table:commission_reversal"`
	ID            int64 `bun:",pk,autoincrement"`
	CommissionID  int64
	HolderID      int64        // from whose commission account
	Amount        money.Amount // of the commission
	Withdrawn     money.Amount // of Amount, what was not there to be taken
	CreatedAt     time.Time
}

// loss is what is gone of the money that paid for an order.
type loss struct {
	returned  money.Amount // to who had paid it
	givenBack money.Amount // into the buyer's wallet
}

// lose counts a loss of the money that paid for an order, and takes back the share of its commission.
func (i *Invites) lose(ctx context.Context, tx bun.Tx, s spent, l loss) error {
	if s.commission == nil {
		return unspend(ctx, tx, s.orderID, l.returned+l.givenBack)
	}
	return i.lower(ctx, tx, s.commission, l)
}

// lower counts a loss of the commission's base, and takes back what its rate of the rest is less than what remains of
// it.
func (i *Invites) lower(ctx context.Context, tx bun.Tx, c *Commission, l loss) error {
	now, available, err := i.lockHeld(ctx, tx, c)
	if err != nil {
		return err
	}
	now.Returned += l.returned
	now.GivenBack += l.givenBack
	earned, err := (now.Base - now.Returned - now.GivenBack).Share(now.Permille, 1000)
	if err != nil {
		return err
	}
	return i.reduce(ctx, tx, now, available, max(0, now.remaining()-earned))
}

// reverse takes back what remains of a commission, since its inviter leaves.
func (i *Invites) reverse(ctx context.Context, tx bun.Tx, c *Commission) error {
	now, available, err := i.lockHeld(ctx, tx, c)
	if err != nil {
		return err
	}
	return i.reduce(ctx, tx, now, available, now.remaining())
}

// reduce saves c, less an amount that is taken back. Of a released one its holder owes what is not in the commission
// account any more. The caller has locked that account, which has so much available.
func (i *Invites) reduce(ctx context.Context, tx bun.Tx, c *Commission, available, amount money.Amount) error {
	r := &reversal{CommissionID: c.ID, HolderID: c.holder(), Amount: amount, CreatedAt: i.db.Now()}
	if c.State == Released && available < amount {
		free, err := i.freePayout(ctx, tx, r.HolderID)
		if err != nil {
			return err
		}
		r.Withdrawn = max(0, amount-available-free)
	}
	wasPending := c.State == Pending
	c.Reversed += amount
	c.Withdrawn += r.Withdrawn
	c.Owed += r.Withdrawn
	if c.State != Reversed && c.remaining() == 0 {
		c.State, c.EndedAt = Reversed, new(r.CreatedAt)
	}
	_, err := tx.NewUpdate().Model(c).
		Column("returned", "given_back", "reversed", "withdrawn", "owed", "state", "ended_at").WherePK().Exec(ctx)
	if err != nil || amount == 0 {
		return err
	}
	if _, err := tx.NewInsert().Model(r).Exec(ctx); err != nil {
		return err
	}
	if wasPending {
		if err := i.wallets.LowerHold(ctx, tx, c.ref(), amount); err != nil {
			return err
		}
	}
	taken := amount - r.Withdrawn
	if taken == 0 {
		return nil
	}
	ref := wallet.Reference{Kind: "commission_reversal", ID: r.ID}
	return i.takeBack(ctx, tx, wallet.CommissionReversed, ref, r.HolderID, taken)
}

// lockHeld locks the commission account that has what the commission brought, and returns the commission as it is
// behind the lock and what that account has available. A merge of accounts may have changed the holder meanwhile.
func (i *Invites) lockHeld(ctx context.Context, tx bun.Tx, c *Commission) (*Commission, money.Amount, error) {
	for {
		available, err := i.wallets.LockCommission(ctx, tx, c.holder())
		if err != nil {
			return nil, 0, err
		}
		now := &Commission{ID: c.ID}
		if err := tx.NewSelect().Model(now).WherePK().Scan(ctx); err != nil {
			return nil, 0, err
		}
		if now.holder() == c.holder() {
			return now, available, nil
		}
		c = now
	}
}

// takeBack posts an amount from a user's commission account back to the sales that it came from.
func (i *Invites) takeBack(ctx context.Context, tx bun.Tx, reason wallet.Reason, ref wallet.Reference, userID int64,
	amount money.Amount,
) error {
	return i.wallets.Post(ctx, tx, reason, ref, "",
		wallet.Entry{Account: wallet.Account{Kind: wallet.UserCommission, UserID: userID}, Amount: -amount},
		wallet.Entry{Account: wallet.Account{Kind: wallet.Sales}, Amount: amount})
}
