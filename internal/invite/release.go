package invite

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/wallet"
)

// Release gives inviters what they earned long enough ago, less what they owe of commissions that were taken back. A
// commission waits while a gateway refund that would take it back is pending. From an account that was closed it is
// taken back: an order may have been paid while the account was being closed.
func (i *Invites) Release(ctx context.Context) error {
	var due []Commission
	err := i.db.NewSelect().Model(&due).Where("state = ? AND release_at <= ?", Pending, i.db.Now()).
		OrderExpr("release_at").Limit(10_000).Scan(ctx)
	if err != nil {
		return err
	}
	var failed error
	for n := range due { // one that fails must not keep the others waiting
		failed = errors.Join(failed, i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			return i.release(ctx, tx, &due[n])
		}))
	}
	return failed
}

// release gives a commission that is due to its inviter. The buyer's wallet is locked before the inviter's account, as
// a refund locks them.
func (i *Invites) release(ctx context.Context, tx bun.Tx, c *Commission) error {
	if _, err := i.wallets.Lock(ctx, tx, c.UserID); err != nil {
		return err
	}
	closed, err := hasLeft(ctx, tx, c.InviterID)
	if err != nil {
		return err
	}
	if closed {
		return i.reverse(ctx, tx, c)
	}
	if waits, err := i.isGoingBack(ctx, tx, c); err != nil || waits {
		return err
	}
	now, _, err := i.lockHeld(ctx, tx, c)
	if err != nil || now.State != Pending {
		return err
	}
	_, err = tx.NewUpdate().Model((*Commission)(nil)).Set("state = ?", Released).Set("ended_at = ?", i.db.Now()).
		Where("id = ?", now.ID).Exec(ctx)
	if err != nil {
		return err
	}
	if err := i.wallets.EndHold(ctx, tx, now.ref()); err != nil {
		return err
	}
	return i.settle(ctx, tx, now)
}

// hasLeft tells whether an account was closed or merged into another one. One that is open stays so until tx ends:
// whatever ends an account takes back what it has still to get, and would not see what tx adds. Of all that locks an
// account, only account.LockToClose and changes of columns with a unique index wait for this lock. Where the account is
// being ended, tx is run again: it has locked wallets, for which whatever ends the account may wait.
func hasLeft(ctx context.Context, tx bun.Tx, userID int64) (left bool, err error) {
	err = db.ScanPrepared(ctx, tx, &left, db.LockedFor("KEY SHARE NOWAIT", tx.NewSelect().Table("account").
		ColumnExpr("closed_at IS NOT NULL").Where("id = ?", bun.Safe("?"))).String(), userID)
	return left, err
}

// isGoingBack reports whether the commission would be taken back if all pending gateway refunds of the buyer were done
// now. The caller has locked the buyer's wallet.
func (i *Invites) isGoingBack(ctx context.Context, tx bun.Tx, c *Commission) (bool, error) {
	pending, err := i.wallets.PendingGatewayRefunds(ctx, tx, c.UserID)
	if err != nil || pending == 0 {
		return false, err
	}
	if err := i.Follow(ctx, tx, c.UserID); err != nil {
		return false, err
	}
	unspent := paidMoney{UserID: c.UserID}
	if err := tx.NewSelect().Model(&unspent).WherePK().Scan(ctx); err != nil {
		return false, err
	}
	list, err := allSpent(ctx, tx, c.UserID)
	if err != nil {
		return false, err
	}
	gone := pending - unspent.Amount
	for _, s := range list {
		if gone <= 0 || s.orderID == c.OrderID {
			break
		}
		gone -= s.amount
	}
	return gone > 0, nil
}

// settle pays with a commission that was just released what its inviter owes of others, oldest first. The caller has
// locked the inviter's commission account.
func (i *Invites) settle(ctx context.Context, tx bun.Tx, c *Commission) error {
	var owing []Commission
	err := tx.NewSelect().Model(&owing).Where(heldBy+" AND owed > 0", c.InviterID).OrderExpr("id").Scan(ctx)
	if err != nil {
		return err
	}
	rest := c.remaining()
	for _, debt := range owing {
		paid := min(rest, debt.Owed)
		if paid == 0 {
			break
		}
		_, err := tx.NewUpdate().Model((*Commission)(nil)).Set("owed = owed - ?", paid).Where("id = ?", debt.ID).
			Exec(ctx)
		if err != nil {
			return err
		}
		rest -= paid
	}
	settled := c.remaining() - rest
	if settled == 0 {
		return nil
	}
	_, err = tx.NewUpdate().Model((*Commission)(nil)).Set("settled = ?", settled).Where("id = ?", c.ID).Exec(ctx)
	if err != nil {
		return err
	}
	return i.takeBack(ctx, tx, wallet.CommissionSettled, c.ref(), c.InviterID, settled)
}

// MoveTo makes into the holder of the released commissions that from has, as part of the merge of both accounts, which
// moves the money.
func (i *Invites) MoveTo(ctx context.Context, tx bun.Tx, from, into int64) error {
	_, err := tx.NewUpdate().Model((*Commission)(nil)).Set("holder_id = ?", into).Where(heldBy, from).
		Where("state = ?", Released).Exec(ctx)
	return err
}
