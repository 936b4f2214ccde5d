package account

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/wallet"
)

// ErrClosed is the fault of whatever is done by or to an account that was closed.
var ErrClosed = wallet.ErrClosed

// Acting returns the context in which the account acts. A call may have been admitted just before the account was
// closed: so each transaction that may write first finds the account open, and keeps it from being closed until its
// end, or is ErrClosed and does nothing. Both generations of the API put every call of a session or a user's token
// into it, so that no operation can forget to; whatever else writes what a user asked for, such as the reader of
// answers by mail, does the same.
func Acting(ctx context.Context, userID int64) context.Context {
	return db.Guarded(ctx, func(ctx context.Context, tx bun.Tx) error { return keepOpen(ctx, tx, userID) })
}

// keepOpen keeps the account from being closed until tx ends, or is ErrClosed. Its lock is the weakest of PostgreSQL:
// of all that locks an account, only LockToClose and changes of the columns that have a unique index wait for it.
func keepOpen(ctx context.Context, tx bun.Tx, userID int64) error {
	var closed bool
	err := db.ScanPrepared(ctx, tx, &closed, db.LockedFor("KEY SHARE", tx.NewSelect().Model((*row)(nil)).
		ColumnExpr("closed_at IS NOT NULL").Where("id = ?", bun.Safe("?"))).String(), userID)
	if closed || errors.Is(err, db.ErrNoRows) {
		err = ErrClosed
	}
	return err
}

// closing is Acting for the transaction by which the account closes itself: it waits until no other call acts as the
// account, and keeps others from beginning until it ends. Those then find the account closed.
func closing(ctx context.Context, userID int64) context.Context {
	return db.Guarded(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := lockToClose(ctx, tx, "", userID); err != nil {
			return err
		}
		return keepOpen(ctx, tx, userID)
	})
}

// LockToClose keeps calls from acting as one of the accounts until tx ends. Those then find the account closed. Where
// one acts already, tx is run again: it may have locks that the call waits for. It comes before tx reads anything of
// the accounts.
func LockToClose(ctx context.Context, tx bun.Tx, ids ...int64) error {
	return lockToClose(ctx, tx, " NOWAIT", ids...)
}

// lockToClose locks accounts, and that those who invited them exist, which PostgreSQL checks when a transaction changes
// an account twice.
func lockToClose(ctx context.Context, tx bun.Tx, wait string, ids ...int64) error {
	accounts := func() *bun.SelectQuery { return tx.NewSelect().Model((*row)(nil)).Column("id").OrderExpr("id") }
	_, err := db.LockedFor("UPDATE"+wait, accounts().Where("id IN (?)", bun.List(ids))).Exec(ctx)
	if err == nil {
		_, err = db.LockedFor("KEY SHARE"+wait, accounts().Where("id IN (SELECT invited_by FROM account WHERE id IN (?))",
			bun.List(ids))).Exec(ctx)
	}
	return err
}
