// Package wallet owns the money of users: the double-entry ledger, the recharges that bring money in, their refunds,
// the adjustments by staff, and the invoices. The entries of every ledger transaction sum to zero, and rows of the
// ledger are only added, never changed. The database itself keeps a user's account from going below what is held in it.
// Every movement has a reason and a reference to what caused it, and happens at most once for the two. The package
// knows users by their id alone.
package wallet

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	sealing "airstrip/internal/seal"
	"airstrip/internal/setting"
)

// Wallets are all users' wallets.
type Wallets struct {
	db        *db.DB
	settings  *setting.Settings
	approvals *approval.Approvals
	key       sealing.Key
	ofUser    *db.Prepared // a user's accounts in the ledger
	lockText  string       // locks one of them; rows that refer to it need not wait
	onCredit  []func(ctx context.Context, tx bun.Tx, r *Recharge) error
}

// New returns the wallets stored in d. From now on settings refuse another currency once money has moved.
func New(d *db.DB, settings *setting.Settings) *Wallets {
	settings.OnCurrencyChange(hasMoney)
	return &Wallets{
		db: d, settings: settings, approvals: approval.New(d, settings),
		ofUser: d.Prepared(userAccounts),
		lockText: db.LockedFor("NO KEY UPDATE", d.NewSelect().Model((*account)(nil)).
			ColumnExpr("posted - held AS available, closed").
			Where("user_id = ? AND kind = ?", bun.Safe("?"), bun.Safe("?"))).String(),
	}
}

// hasMoney reports whether anything was booked or is about to be paid.
func hasMoney(ctx context.Context, tx bun.Tx) (yes bool, err error) {
	err = tx.NewRaw(`SELECT EXISTS (SELECT 1 FROM ledger_transaction UNION ALL SELECT 1 FROM recharge)`).Scan(ctx, &yes)
	return yes, err
}

// ErrBalanceTooLow is the fault of a payment that the wallet does not cover.
var ErrBalanceTooLow = fault.Conflict("balance_too_low", "余额不足", "The balance is too low")

// Open gives new users an empty wallet each.
func (w *Wallets) Open(ctx context.Context, tx bun.Tx, userIDs ...int64) error {
	var zero int64
	accounts := make([]account, 0, 2*len(userIDs))
	for _, id := range userIDs {
		for _, kind := range []Kind{UserWallet, UserCommission} {
			accounts = append(accounts, account{
				Kind: kind, UserID: &id, Posted: &zero, Held: &zero, Version: &zero, CreatedAt: w.db.Now(),
			})
		}
	}
	_, err := tx.NewInsert().Model(&accounts).Exec(ctx)
	return db.Error(err)
}

// Exists reports whether the user has a wallet.
func (w *Wallets) Exists(ctx context.Context, idb bun.IDB, userID int64) (bool, error) {
	return idb.NewSelect().Model((*account)(nil)).Where("user_id = ? AND kind = ?", userID, UserWallet).Exists(ctx)
}

// ErrClosed is the fault of what an account that was closed would do or gain, be it money, a plan or traffic.
var ErrClosed = fault.Conflict("account_closed", "该账号已注销，不能再更改，也不能再获得余额、套餐或流量",
	"This account was closed; nothing of it can change any more, and it can gain nothing")

// LockPending locks the user's recharges that wait, as part of the closing of the account: see LockRecharges.
func (w *Wallets) LockPending(ctx context.Context, tx bun.Tx, userID int64) error {
	return db.LockRows(ctx, tx.NewSelect().Model((*Recharge)(nil)).Where("user_id = ? AND state = ?", userID,
		RechargePending))
}

// Close keeps the user's wallet from gaining anything from now on, and ends the recharges that wait: a payment that
// comes all the same is a case for staff. Neither the balance nor the commission changes until tx ends.
func (w *Wallets) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewUpdate().Model((*Recharge)(nil)).Set("state = ?", RechargeExpired).Set("updated_at = ?", w.db.Now()).
		Where("user_id = ? AND state = ?", userID, RechargePending).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewUpdate().Model((*account)(nil)).Set("closed = (kind = ?)", UserWallet).Where("user_id = ?", userID).
		Exec(ctx)
	return err
}

// MayGain is ErrClosed where the user's account was closed.
func (w *Wallets) MayGain(ctx context.Context, idb bun.IDB, userID int64) error {
	closed, err := idb.NewSelect().Model((*account)(nil)).Where("user_id = ? AND kind = ? AND closed", userID,
		UserWallet).Exists(ctx)
	if err == nil && closed {
		err = ErrClosed
	}
	return err
}

// Balance is what a user owns.
type Balance struct {
	Posted     money.Amount // all of the wallet
	Held       money.Amount // the part that pending orders keep
	Available  money.Amount // Posted − Held
	Commission money.Amount // earned by invites and released, in an account of its own
	Pending    money.Amount // earned by invites and not yet released
	PayingOut  money.Amount // released commission that is held until staff has paid it outside of the site
	Movements  int64        // how many postings the wallet has
	CreatedAt  time.Time
}

// Balance returns the balance of a user's wallet.
func (w *Wallets) Balance(ctx context.Context, userID int64) (Balance, error) {
	var accounts []userAccount
	if err := w.ofUser.Models(ctx, []any{userID}, &accounts); err != nil {
		return Balance{}, err
	}
	return balanceOf(userID, accounts)
}

// Available returns what the wallets of users have available; of users without a wallet there is nothing.
func (w *Wallets) Available(ctx context.Context, userIDs []int64) (map[int64]money.Amount, error) {
	available := make(map[int64]money.Amount, len(userIDs))
	if len(userIDs) == 0 {
		return available, nil
	}
	var accounts []account
	err := w.db.NewSelect().Model(&accounts).Where("kind = ? AND user_id IN (?)", UserWallet, bun.List(userIDs)).Scan(ctx)
	for _, a := range accounts {
		available[*a.UserID] = money.Amount(*a.Posted - *a.Held)
	}
	return available, err
}

// BalanceIn is Balance as idb, which may be a transaction, sees it.
func (w *Wallets) BalanceIn(ctx context.Context, idb bun.IDB, userID int64) (Balance, error) {
	var accounts []userAccount
	if err := idb.NewRaw(userAccounts, userID).Scan(ctx, &accounts); err != nil {
		return Balance{}, err
	}
	return balanceOf(userID, accounts)
}

// userAccounts selects a user's accounts in the ledger, with what is held of each until staff has paid it out.
const userAccounts = `SELECT kind, posted, held, version, created_at,
		(SELECT CAST(COALESCE(SUM(h.amount), 0) AS BIGINT) FROM ledger_hold AS h WHERE h.account_id = a.id
			AND h.reference_kind = '` + PayoutHold + `' AND h.ended_at IS NULL) AS paying_out
	FROM ledger_account AS a WHERE user_id = ?`

type userAccount struct {
	account
	PayingOut money.Amount
}

func balanceOf(userID int64, accounts []userAccount) (Balance, error) {
	var b Balance
	found := false
	for _, a := range accounts {
		switch a.Kind {
		case UserWallet:
			found = true
			b.Posted, b.Held, b.Available = money.Amount(*a.Posted), money.Amount(*a.Held),
				money.Amount(*a.Posted-*a.Held)
			b.Movements, b.CreatedAt = *a.Version, a.CreatedAt
		case UserCommission:
			b.Commission, b.PayingOut = money.Amount(*a.Posted-*a.Held), a.PayingOut
			b.Pending = money.Amount(*a.Held) - a.PayingOut
		}
	}
	if !found {
		return Balance{}, fmt.Errorf("user %d has no wallet", userID)
	}
	return b, nil
}
