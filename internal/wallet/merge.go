package wallet

import (
	"context"

	"github.com/uptrace/bun"
)

// Merged is the reason of the movement by which all that a user owns goes to another account of the same person.
const Merged Reason = "account_merge"

// LockBoth locks the wallets of two users and then their commission accounts, each pair in the order of the users' ids,
// so that two transactions that lock the same pair do not wait for each other.
func (w *Wallets) LockBoth(ctx context.Context, tx bun.Tx, one, other int64) error {
	for _, kind := range []Kind{UserWallet, UserCommission} {
		for _, id := range []int64{min(one, other), max(one, other)} {
			if _, err := w.lock(ctx, tx, id, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// MoveAll moves the balance and the released commission of one user to another one, in one movement; where there is
// neither, it does nothing. Nothing may be held: ErrBalanceTooLow.
func (w *Wallets) MoveAll(ctx context.Context, tx bun.Tx, from, into int64, ref Reference) error {
	b, err := w.BalanceIn(ctx, tx, from)
	if err != nil {
		return err
	}
	var entries []Entry
	if b.Posted > 0 {
		entries = append(entries, Entry{Account{Kind: UserWallet, UserID: from}, -b.Posted},
			Entry{Account{Kind: UserWallet, UserID: into}, b.Posted})
	}
	if b.Commission > 0 {
		entries = append(entries, Entry{Account{Kind: UserCommission, UserID: from}, -b.Commission},
			Entry{Account{Kind: UserCommission, UserID: into}, b.Commission})
	}
	if len(entries) == 0 {
		return nil
	}
	return w.Post(ctx, tx, Merged, ref, "", entries...)
}

// Unsettled returns the numbers of the user's recharges that wait to be paid, and of refunds of recharges that have not
// ended.
func (w *Wallets) Unsettled(ctx context.Context, idb bun.IDB, userID int64) (recharges, refunds []int64, err error) {
	err = idb.NewSelect().Model((*Recharge)(nil)).Column("id").Where("user_id = ? AND state = ?", userID,
		RechargePending).OrderExpr("id").Scan(ctx, &recharges)
	if err != nil {
		return nil, nil, err
	}
	err = idb.NewSelect().Model((*GatewayRefund)(nil)).Column("id").Where("user_id = ? AND state = ?", userID,
		GatewayRefundPending).OrderExpr("id").Scan(ctx, &refunds)
	return recharges, refunds, err
}
