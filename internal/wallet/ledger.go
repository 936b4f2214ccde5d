package wallet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/money"
)

// Kind is what an account is for.
type Kind string

// The kinds of accounts. The first two belong to a user each, the others to the site.
const (
	UserWallet     Kind = "wallet"
	UserCommission Kind = "commission"
	Clearing       Kind = "clearing" // what a gateway has received and not yet paid out; one for each gateway
	Outside        Kind = "outside"  // what staff received and paid past a gateway, by hand; one for each gateway
	Sales          Kind = "sales"
	Refunds        Kind = "refunds" // what was given back of sales
)

// Account names an account: by its user, or for clearing and outside by its gateway.
type Account struct {
	Kind   Kind
	UserID int64
	Name   string
}

// Reason says why money moved.
type Reason string

// The reasons of movements.
const (
	RechargePaid Reason = "recharge"
	Purchase     Reason = "purchase"
	PlanChange   Reason = "plan_change" // what the credit for the old service was more than the new one's price
	Refund       Reason = "refund"
)

// MovementReasons are the reasons for which a user's wallet gains or loses. Post moves it for no other, so that each
// movement of a statement has a name and a filter.
var MovementReasons = []Reason{
	RechargePaid, Purchase, PlanChange, Refund, Refunded, CDKey, CommissionMoved, InvitesBought, Adjusted, CaseCredited,
	Merged,
}

// Reference is the thing that a movement, a hold or an invoice belongs to. Of one thing there is at most one
// transaction for each reason, one hold and one invoice.
type Reference struct {
	Kind string `bun:"reference_kind"` // order or recharge
	ID   int64  `bun:"reference_id"`
}

// Entry is one side of a transaction.
type Entry struct {
	Account Account
	Amount  money.Amount // what the account gains; negative: loses
}

type account struct {
	bun.BaseModel `bun:"table:ledger_account"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          Kind
	UserID        *int64
	Name          string
	Posted        *int64
	Held          *int64
	Version       *int64
	CreatedAt     time.Time
}

type transaction struct {
	bun.BaseModel `bun:"table:ledger_transaction"`
	ID            int64 `bun:",pk,autoincrement"`
	Reason        Reason
	Reference
	Note      string
	Currency  string
	CreatedAt time.Time
}

type posting struct {
	bun.BaseModel `bun:"table:posting"`
	ID            int64 `bun:",pk,autoincrement"`
	TransactionID int64
	AccountID     int64
	Amount        int64
	BalanceAfter  *int64
	Version       *int64
}

var errNoMovement = errors.New("wallet: a wallet does not move for this reason")

var errUnbalanced = errors.New("wallet: the entries of a transaction must sum to zero, none of them zero")

// Post moves money between accounts. The entries sum to zero and name each account once. A user's account that would
// keep less than its holds is ErrBalanceTooLow, a wallet that would gain after its account was closed ErrClosed; a
// second posting for the same reason and reference is db.ErrUnique.
func (w *Wallets) Post(ctx context.Context, tx bun.Tx, reason Reason, ref Reference, note string,
	entries ...Entry,
) error {
	var sum money.Amount
	for _, e := range entries {
		var err error
		if sum, err = sum.Add(e.Amount); err != nil {
			return err
		}
		if e.Amount == 0 {
			return errUnbalanced
		}
		if e.Account.Kind == UserWallet && !slices.Contains(MovementReasons, reason) {
			return fmt.Errorf("%w: %s", errNoMovement, reason)
		}
		if e.Account.Kind == UserWallet && e.Amount > 0 {
			if err := approval.Covered(ctx); err != nil {
				return err
			}
		}
	}
	if sum != 0 || len(entries) < 2 {
		return errUnbalanced
	}
	var transactionID int64
	if err := db.ScanPrepared(ctx, tx, &transactionID, `INSERT INTO ledger_transaction
		(reason, reference_kind, reference_id, note, currency, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
		reason, ref.Kind, ref.ID, note, w.settings.Get().Currency, w.db.Now()); err != nil {
		return db.Error(err)
	}
	ids, err := w.accounts(ctx, tx, entries)
	if err != nil {
		return err
	}
	// User accounts are locked in ascending order of id, so that no two transactions wait for each other.
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(ids[a.Account], ids[b.Account]) })
	var values []any
	for _, e := range entries {
		var after balance
		if e.Account.UserID != 0 {
			if after, err = move(ctx, tx, ids[e.Account], e.Amount); err != nil {
				return err
			}
		}
		values = append(values, transactionID, ids[e.Account], e.Amount, after.Posted, after.Version)
	}
	return db.Error(db.ExecPrepared(ctx, tx, `INSERT INTO posting (transaction_id, account_id, amount, balance_after, version)
		VALUES (?, ?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?, ?)`, len(entries)-1), values...))
}

// balance is a user's account after a posting.
type balance struct{ Posted, Version *int64 }

// move changes the stored balance of a user's account.
func move(ctx context.Context, tx bun.Tx, accountID int64, by money.Amount) (after balance, err error) {
	guard := "posted - held >= ?"
	bound := -by
	if by > 0 {
		guard, bound = "NOT closed AND posted <= ?", math.MaxInt64-by
	}
	err = db.ScanPrepared(ctx, tx, &after, `UPDATE ledger_account SET posted = posted + ?, version = version + 1
		WHERE id = ? AND `+guard+` RETURNING posted, version`, by, accountID, bound)
	switch {
	case !errors.Is(err, db.ErrNoRows):
		return after, err
	case by < 0:
		return after, ErrBalanceTooLow
	}
	closed, err := tx.NewSelect().Model((*account)(nil)).Where("id = ? AND closed", accountID).Exists(ctx)
	if err == nil && closed {
		err = ErrClosed
	}
	return after, cmp.Or(err, money.ErrOverflow)
}

// accounts finds the accounts of the entries. Those of the site are made when they are first needed.
func (w *Wallets) accounts(ctx context.Context, tx bun.Tx, entries []Entry) (map[Account]int64, error) {
	found := make(map[Account]int64, len(entries))
	find := func() error {
		var rows []account
		text := `SELECT id, kind, user_id, name FROM ledger_account WHERE`
		var values []any
		for i, e := range entries {
			if i > 0 {
				text += ` OR`
			}
			if e.Account.UserID != 0 {
				text += ` (user_id = ? AND kind = ?)`
				values = append(values, e.Account.UserID, e.Account.Kind)
			} else {
				text += ` (user_id IS NULL AND kind = ? AND name = ?)`
				values = append(values, e.Account.Kind, e.Account.Name)
			}
		}
		err := db.ScanPrepared(ctx, tx, &rows, text, values...)
		for _, row := range rows {
			name := Account{Kind: row.Kind, Name: row.Name}
			if row.UserID != nil {
				name.UserID = *row.UserID
			}
			found[name] = row.ID
		}
		return err
	}
	if err := find(); err != nil {
		return nil, err
	}
	var missing []account
	for _, e := range entries {
		if _, ok := found[e.Account]; ok {
			continue
		}
		if e.Account.UserID != 0 {
			return nil, fmt.Errorf("user %d has no %s account", e.Account.UserID, e.Account.Kind)
		}
		missing = append(missing, account{Kind: e.Account.Kind, Name: e.Account.Name, CreatedAt: w.db.Now()})
	}
	if len(missing) == 0 {
		return found, nil
	}
	if _, err := tx.NewInsert().Model(&missing).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
		return nil, err
	}
	return found, find()
}
