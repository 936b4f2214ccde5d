package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// What follows is part of the merge of two accounts of one person; see package merge.

// Banned reports whether a ban of the user runs or is due to begin.
func (b *Bans) Banned(ctx context.Context, idb bun.IDB, userID int64) (bool, error) {
	return idb.NewSelect().Model((*BanTask)(nil)).Where("account_id = ? AND ended_at IS NULL", userID).Exists(ctx)
}

// TakeInvited makes into the inviter of those whom from invited, and returns how many they are. Those who were there
// before into stay with from: nobody is invited by somebody who came later, into themselves included.
func (a *Accounts) TakeInvited(ctx context.Context, tx bun.Tx, from, into int64) (int64, error) {
	// One of them may be about to close, which waits for the account of from.
	if _, err := db.LockedFor("NO KEY UPDATE NOWAIT", tx.NewSelect().Model((*row)(nil)).Column("id").
		Where("invited_by = ?", from).OrderExpr("id")).Exec(ctx); err != nil {
		return 0, err
	}
	return db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("invited_by = ?", into).
		Where("invited_by = ? AND id > ?", from, into).Exec(ctx))
}

// CloseEmpty closes the account of a user, on which tx began with LockToClose and who has no money left, as Close does.
func (a *Accounts) CloseEmpty(ctx context.Context, tx bun.Tx, userID int64) error {
	r, err := find(ctx, tx, "id = ? AND closed_at IS NULL", userID)
	if err != nil {
		return err
	}
	return a.closeRow(ctx, tx, r, 0, Client{Lang: r.Lang})
}
