package wallet_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

func open(t *testing.T, d *db.DB, users ...int64) *wallet.Wallets {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w := wallet.New(d, settings)
	for _, user := range users {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return w.Open(ctx, tx,
				user)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func of(user int64) wallet.Account { return wallet.Account{Kind: wallet.UserWallet, UserID: user} }

var sales = wallet.Account{Kind: wallet.Sales}

// give posts amount from the site's sales to the user; negative: the other way. ref must be new each time.
func give(t *testing.T, d *db.DB, w *wallet.Wallets, user, ref int64, amount money.Amount) error {
	return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return w.Post(ctx, tx, wallet.Purchase, wallet.Reference{Kind: "test", ID: ref}, "",
			wallet.Entry{Account: of(user), Amount: amount}, wallet.Entry{Account: sales, Amount: -amount})
	})
}

func sound(t *testing.T, w *wallet.Wallets) {
	t.Helper()
	if broken := check(t, w); len(broken) > 0 {
		t.Fatal(broken)
	}
}

// check leaves out the rule that movements have a reason of the product's: those of these tests have one of their own.
func check(t *testing.T, w *wallet.Wallets) []db.Violation {
	t.Helper()
	return slices.DeleteFunc(wallettest.Check(t, w), func(v db.Violation) bool {
		return v.Rule == "I11: a movement has a reason that there is, and what it refers to is there"
	})
}

func TestANewWalletIsEmpty(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		b, err := open(t, d, 7).Balance(t.Context(), 7)
		if err != nil || b.Posted != 0 || b.Available != 0 || b.CreatedAt.IsZero() {
			t.Fatalf("%+v, %v", b, err)
		}
	})
}

func TestMoneyNeverAppearsOrVanishes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d, 1)
		post := func(entries ...wallet.Entry) error {
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.Post(ctx, tx, wallet.Purchase, wallet.Reference{Kind: "test", ID: 1}, "", entries...)
			})
		}
		for name, err := range map[string]error{
			"one side": post(wallet.Entry{Account: of(1), Amount: 5}),
			"unequal sides": post(wallet.Entry{Account: of(1), Amount: 5}, wallet.Entry{
				Account: sales,
				Amount:  -4,
			}),
			"nothing at all": post(wallet.Entry{Account: of(1), Amount: 0}, wallet.Entry{Account: sales, Amount: 0}),
			"a wrap-around": post(wallet.Entry{Account: of(1), Amount: math.MaxInt64}, wallet.Entry{
				Account: sales,
				Amount:  math.MaxInt64,
			}, wallet.Entry{Account: of(2), Amount: 2}),
			"an unknown wallet": post(wallet.Entry{Account: of(2), Amount: 5}, wallet.Entry{
				Account: sales,
				Amount:  -5,
			}),
			"one account twice": post(wallet.Entry{Account: sales, Amount: 5}, wallet.Entry{
				Account: sales,
				Amount:  -5,
			}),
		} {
			if err == nil {
				t.Errorf("%s was posted", name)
			}
		}
		if err := give(t, d, w, 1, 1, -1); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Error("an empty wallet paid: ", err)
		}
		if err := give(t, d, w, 1, 1, 100); err != nil {
			t.Fatal(err)
		}
		if err := give(t, d, w, 1, 1, 100); !errors.Is(err, db.ErrUnique) {
			t.Error("the same thing was posted twice: ", err)
		}
		if err := give(t, d, w, 1, 2, math.MaxInt64-99); err == nil {
			t.Error("the balance overflowed")
		}
		if b, err := w.Balance(t.Context(), 1); err != nil || b.Posted != 100 || b.Movements != 1 {
			t.Errorf("%+v, %v", b, err)
		}
		sound(t, w)
	})
}

func TestWhatIsHeldCannotBeSpent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d, 1)
		if err := give(t, d, w, 1, 1, 100); err != nil {
			t.Fatal(err)
		}
		hold := func(ref int64, amount money.Amount) error {
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.Hold(ctx, tx, 1, amount, wallet.Reference{Kind: "test", ID: ref})
			})
		}
		if err := hold(1, 70); err != nil {
			t.Fatal(err)
		}
		if err := hold(2, 31); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Error("held more than there is: ", err)
		}
		if err := give(t, d, w, 1, 2, -31); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Error("spent what is held: ", err)
		}
		if b, err := w.Balance(t.Context(), 1); err != nil || b.Held != 70 || b.Available != 30 {
			t.Errorf("%+v, %v", b, err)
		}
		sound(t, w)
		for range 2 { // ending twice gives back once
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.EndHold(ctx, tx, wallet.Reference{Kind: "test", ID: 1})
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := give(t, d, w, 1, 2, -100); err != nil {
			t.Error(err)
		}
		sound(t, w)
	})
}

func TestTransfersInOppositeDirectionsDoNotBlockEachOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d, 1, 2)
		for user := range int64(2) {
			if err := give(t, d, w, user+1, user+1, 1000); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for i := range int64(100) {
			wg.Go(func() {
				from, to := of(1+i%2), of(2-i%2)
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					return w.Post(ctx, tx, wallet.Purchase, wallet.Reference{Kind: "transfer", ID: i}, "",
						wallet.Entry{Account: from, Amount: -10}, wallet.Entry{Account: to, Amount: 10})
				}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for user := range int64(2) {
			if b, err := w.Balance(t.Context(), user+1); err != nil || b.Posted != 1000 || b.Movements != 101 {
				t.Errorf("%+v, %v", b, err)
			}
		}
		sound(t, w)
	})
}

func TestAPageOfMovementsIsFastHoweverFarBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d, 1, 2)
		if err := give(t, d, w, 1, 1, 5); err != nil { // makes the account of sales
			t.Fatal(err)
		}
		const n = 20_000 // in each statement: the time of a statement is bounded
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for _, q := range []string{
				`INSERT INTO ledger_transaction (reason, reference_kind, reference_id, note, currency, created_at)
					WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?0)
					SELECT 'test', 'test', i, '', 'CNY', ?1 FROM n`,
				`INSERT INTO posting (transaction_id, account_id, amount, balance_after, version)
					SELECT t.id, a.id, 5, t.reference_id * 5, t.reference_id FROM ledger_transaction t, ledger_account a
					WHERE t.reference_id > 1 AND a.kind = 'wallet' AND a.user_id = 1`,
				`INSERT INTO posting (transaction_id, account_id, amount) SELECT t.id, a.id, -5
					FROM ledger_transaction t, ledger_account a WHERE t.reference_id > 1 AND a.kind = 'sales'`,
				`UPDATE ledger_account SET posted = 5 * ?0, version = ?0 WHERE kind = 'wallet' AND user_id = 1`,
			} {
				if _, err := tx.NewRaw(q, n, d.Now()).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		sound(t, w)
		var newest time.Duration
		for _, page := range []int64{1, 2, 1000, 2000} {
			var movements []wallet.Movement
			var total int64
			var err error
			best := time.Hour // of a few tries, since other tests run at the same time
			for range 5 {
				start := time.Now()
				movements, total, err = w.Movements(t.Context(), 1, page, 10)
				best = min(best, time.Since(start))
			}
			if page == 1 {
				newest = best
			}
			if best > 20*time.Millisecond && best > 10*newest { // a slow machine takes long for each
				t.Errorf("page %d took %v, the first %v", page, best, newest)
			}
			if err != nil || total != n || len(movements) != 10 {
				t.Fatalf("page %d: %d of %d, %v", page, len(movements), total, err)
			}
			for i, m := range movements {
				if want := money.Amount(5 * (n - (page-1)*10 - int64(i))); m.BalanceAfter != want || m.Amount != 5 {
					t.Fatalf("page %d, line %d: %+v", page, i, m)
				}
			}
		}
		if movements, _, err := w.Movements(t.Context(), 1, 2001, 10); err != nil || len(movements) != 0 {
			t.Error("past the end: ", movements, err)
		}
		if movements, total, err := w.Movements(t.Context(), 2, 1, 10); err != nil || total != 0 ||
			len(movements) != 0 {
			t.Error("another user: ", movements, total, err)
		}
	})
}

func TestAChangedLedgerShows(t *testing.T) {
	for name, damage := range map[string]string{
		"a balance": `UPDATE ledger_account SET posted = posted + 1 WHERE user_id = 1
			AND kind = 'wallet'`,
		"a posting":                  `UPDATE posting SET amount = amount * 2`,
		"both sides and the balance": `UPDATE posting SET amount = amount * 2, balance_after = balance_after * 2`,
		"a note":                     `UPDATE ledger_transaction SET note = 'x' WHERE reference_id = 2`,
		"a hold of nothing":          `UPDATE ledger_account SET held = 1 WHERE user_id = 1 AND kind = 'wallet'`,
		"another currency":           `UPDATE ledger_transaction SET currency = 'USD' WHERE reference_id = 2`,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := open(t, d, 1)
				early := time.Now()
				d.SetClock(func() time.Time { return early.Add(-time.Hour) })
				for ref := range int64(3) {
					if err := give(t, d, w, 1, ref+1, 100); err != nil {
						t.Fatal(err)
					}
				}
				d.SetClock(time.Now)
				for range 2 { // the second finds nothing new
					if err := w.Seal(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				sound(t, w)
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(damage).Exec(ctx)
					if err == nil && name == "both sides and the balance" {
						_, err = tx.NewRaw(`UPDATE ledger_account SET posted = posted * 2 WHERE user_id = 1
							AND kind = 'wallet'`).Exec(ctx)
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if len(check(t, w)) == 0 {
					t.Fatal("nobody noticed")
				}
			})
		})
	}
}

func TestTheDatabaseItselfRefusesADebt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		open(t, d, 1)
		for _, damage := range []string{
			`UPDATE ledger_account SET posted = -1 WHERE user_id = 1`,
			`UPDATE ledger_account SET held = 1 WHERE user_id = 1`,
			`UPDATE ledger_account SET held = -1 WHERE user_id = 1`,
		} {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(damage).Exec(ctx)
				return err
			})
			if !errors.Is(err, db.ErrCheck) {
				t.Errorf("%s: %v", damage, err)
			}
		}
	})
}
