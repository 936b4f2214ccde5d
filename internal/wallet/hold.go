package wallet

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/money"
)

// Lock keeps other transactions from changing the user's wallet until tx ends and gives what it has available. A
// transaction that needs other rows too locks them first: wallets always come last, and commission accounts after
// wallets.
func (w *Wallets) Lock(ctx context.Context, tx bun.Tx, userID int64) (available money.Amount, err error) {
	l, err := w.lock(ctx, tx, userID, UserWallet)
	return l.Available, err
}

// LockOpen is Lock for what the user gains or buys: ErrClosed where the account was closed. Until tx ends it is not.
func (w *Wallets) LockOpen(ctx context.Context, tx bun.Tx, userID int64) (available money.Amount, err error) {
	l, err := w.lock(ctx, tx, userID, UserWallet)
	if err == nil && l.Closed {
		err = ErrClosed
	}
	return l.Available, err
}

// LockCommission does the same as Lock with the user's commission account. Rows of commissions are locked after it.
func (w *Wallets) LockCommission(ctx context.Context, tx bun.Tx, userID int64) (available money.Amount, err error) {
	l, err := w.lock(ctx, tx, userID, UserCommission)
	return l.Available, err
}

// locked is an account of a user behind its lock.
type locked struct {
	Available money.Amount
	Closed    bool
}

func (w *Wallets) lock(ctx context.Context, tx bun.Tx, userID int64, kind Kind) (l locked, err error) {
	err = db.ScanPrepared(ctx, tx, &l, w.lockText, userID, kind)
	if errors.Is(err, db.ErrNoRows) {
		err = fmt.Errorf("user %d has no %s account", userID, kind)
	}
	return l, err
}

// Hold sets a part of the user's wallet aside for ref, or is ErrBalanceTooLow. Nothing else can spend it until EndHold.
func (w *Wallets) Hold(ctx context.Context, tx bun.Tx, userID int64, amount money.Amount, ref Reference) error {
	return w.hold(ctx, tx, userID, UserWallet, amount, ref)
}

// HoldCommission sets a part of the user's commission aside in the same way.
func (w *Wallets) HoldCommission(ctx context.Context, tx bun.Tx, userID int64, amount money.Amount,
	ref Reference,
) error {
	return w.hold(ctx, tx, userID, UserCommission, amount, ref)
}

func (w *Wallets) hold(ctx context.Context, tx bun.Tx, userID int64, kind Kind, amount money.Amount,
	ref Reference,
) error {
	var ids []int64
	err := tx.NewRaw(`UPDATE ledger_account SET held = held + ? WHERE user_id = ? AND kind = ? AND posted - held >= ?
		RETURNING id`,
		int64(amount), userID, kind, int64(amount)).Scan(ctx, &ids)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return ErrBalanceTooLow
	}
	_, err = tx.NewRaw(`INSERT INTO ledger_hold (account_id, amount, reference_kind, reference_id, created_at)
		VALUES (?, ?, ?, ?, ?)`,
		ids[0], int64(amount), ref.Kind, ref.ID, w.db.Now()).Exec(ctx)
	return db.Error(err)
}

// EndHold gives back what is held for ref; where nothing is, it does nothing.
func (w *Wallets) EndHold(ctx context.Context, tx bun.Tx, ref Reference) error {
	var ended []struct{ AccountID, Amount int64 }
	err := tx.NewRaw(`UPDATE ledger_hold SET ended_at = ? WHERE reference_kind = ? AND reference_id = ?
		AND ended_at IS NULL RETURNING account_id, amount`,
		w.db.Now(), ref.Kind, ref.ID).Scan(ctx, &ended)
	if err != nil || len(ended) == 0 {
		return err
	}
	_, err = tx.NewRaw(`UPDATE ledger_account SET held = held - ? WHERE id = ?`, ended[0].Amount, ended[0].AccountID).
		Exec(ctx)
	return db.Error(err)
}

// LowerHold gives back an amount of what is held for ref, and ends the hold where that is all of it. There is a hold of
// no less than the amount.
func (w *Wallets) LowerHold(ctx context.Context, tx bun.Tx, ref Reference, amount money.Amount) error {
	var lowered []struct{ AccountID int64 }
	err := tx.NewRaw(`UPDATE ledger_hold SET amount = amount - ? WHERE reference_kind = ? AND reference_id = ?
		AND ended_at IS NULL AND amount > ? RETURNING account_id`,
		int64(amount), ref.Kind, ref.ID, int64(amount)).Scan(ctx, &lowered)
	if err != nil {
		return err
	}
	if len(lowered) == 0 {
		return w.EndHold(ctx, tx, ref)
	}
	_, err = tx.NewRaw(`UPDATE ledger_account SET held = held - ? WHERE id = ?`, int64(amount), lowered[0].AccountID).
		Exec(ctx)
	return db.Error(err)
}
