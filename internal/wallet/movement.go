package wallet

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
)

// Movement is one posting of a user's wallet.
type Movement struct {
	ID           int64
	CreatedAt    time.Time
	Reason       Reason
	Note         string // the name of what was bought, the gateway of a recharge
	Amount       money.Amount
	BalanceAfter money.Amount
	Reference
	Version int64 // counts the wallet's movements from 1
}

// Movements returns one page of a user's movements, newest first, and how many there are in all. Pages count from 1 and
// take the same time however far back they are.
func (w *Wallets) Movements(ctx context.Context, userID, page, size int64) (movements []Movement, total int64,
	err error,
) {
	var accounts []account
	if err := w.db.NewSelect().Model(&accounts).Where("user_id = ? AND kind = ?", userID, UserWallet).
		Scan(ctx); err != nil || len(accounts) == 0 {
		return nil, 0, err
	}
	total = *accounts[0].Version
	newest := total - (page-1)*size
	err = w.db.NewRaw(`SELECT p.id, t.created_at, t.reason, t.note, p.amount, p.balance_after, t.reference_kind, t.reference_id, p.version
		FROM posting p JOIN ledger_transaction t ON t.id = p.transaction_id
		WHERE p.account_id = ? AND p.version <= ? AND p.version > ? ORDER BY p.version DESC`,
		accounts[0].ID, newest, newest-size).Scan(ctx, &movements)
	return movements, total, err
}

// MovementsFor returns one page of those of a user's movements that have this reason, newest first, and how many they
// are.
func (w *Wallets) MovementsFor(ctx context.Context, userID int64, reason Reason, page,
	size int64,
) (movements []Movement, total int64, err error) {
	which := bun.SafeQuery(`posting p JOIN ledger_transaction t ON t.id = p.transaction_id
		WHERE p.account_id = (SELECT id FROM ledger_account WHERE user_id = ? AND kind = ?)
		AND t.reason = ?`, userID, UserWallet, reason)
	if err := w.db.NewRaw(`SELECT count(*) FROM ?`, which).Scan(ctx, &total); err != nil || total == 0 {
		return nil, 0, err
	}
	err = w.db.NewRaw(`SELECT p.id, t.created_at, t.reason, t.note, p.amount, p.balance_after, t.reference_kind, t.reference_id, p.version
		FROM ? ORDER BY p.version DESC LIMIT ? OFFSET ?`, which, size, (page-1)*size).Scan(ctx, &movements)
	return movements, total, err
}

// MovementsAfter returns the movements of a user's wallet after the one with this version, oldest first, as tx sees
// them.
func (w *Wallets) MovementsAfter(ctx context.Context, tx bun.Tx, userID, version int64) (movements []Movement,
	err error,
) {
	err = tx.NewRaw(`SELECT p.id, t.created_at, t.reason, t.note, p.amount, p.balance_after, t.reference_kind, t.reference_id, p.version
		FROM posting p JOIN ledger_transaction t ON t.id = p.transaction_id
		WHERE p.account_id = (SELECT id FROM ledger_account WHERE user_id = ? AND kind = ?) AND p.version > ?
		ORDER BY p.version`,
		userID, UserWallet, version).Scan(ctx, &movements)
	return movements, err
}
