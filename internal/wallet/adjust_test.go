package wallet_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account/accounttest"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

// The members of staff of these tests.
var ann, bob = new(int64(11)), new(int64(12))

func has(t *testing.T, w *wallet.Wallets, user int64, want money.Amount) {
	t.Helper()
	if b, err := w.Balance(t.Context(), user); err != nil || b.Posted != want {
		t.Fatalf("user %d has %s, want %s; %v", user, b.Posted, want, err)
	}
	sound(t, w)
}

func TestAnAdjustmentIsAMovementThatTheUserSees(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d, 1)
		a, err := w.Adjust(t.Context(), 1, 500, " an outage ", ann)
		if err != nil || a.State != wallet.AdjustmentPosted || *a.MadeBy != *ann || a.DecidedBy != nil {
			t.Fatalf("%+v, %v", a, err)
		}
		if _, err := w.Adjust(t.Context(), 1, -200, "by mistake", ann); err != nil {
			t.Fatal(err)
		}
		movements, _, err := w.Movements(t.Context(), 1, 1, 10)
		if err != nil || len(movements) != 2 || movements[1].Note != "an outage" ||
			movements[1].Reason != wallet.Adjusted || movements[0].Amount != -200 || movements[0].BalanceAfter != 300 {
			t.Fatalf("%+v, %v", movements, err)
		}
		if _, err := w.Adjust(t.Context(), 1, -301, "too much", ann); !errors.Is(err, wallet.ErrBalanceTooLow) {
			t.Error("took more than there is: ", err)
		}
		has(t, w, 1, 300)
		for _, bad := range []struct {
			field  string
			user   int64
			amount money.Amount
			reason string
		}{
			{"amount", 1, 0, "x"},
			{"amount", 1, 100000001, "x"},
			{"amount", 1, -100000001, "x"},
			{"reason", 1, 1, " "},
			{"reason", 1, 1, strings.Repeat("x", 201)},
			{"user_id", 2, 1, "x"},
		} {
			_, err := w.Adjust(t.Context(), bad.user, bad.amount, bad.reason, ann)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != bad.field {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		ctx := idempotency.With(t.Context(), idempotency.Request{UserID: *ann, Key: "k", Hash: []byte("h")})
		for range 2 {
			if _, err := w.Adjust(ctx, 1, 100, "once", ann); err != nil {
				t.Fatal(err)
			}
		}
		has(t, w, 1, 400)
	})
}

func TestLargeSumsNeedASecondMember(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d, 1, *ann)
		accounttest.Add(t, d, permission.Finance, *ann, *bob)
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		const limit = 100000 // the default
		a, err := w.Adjust(t.Context(), 1, limit+1, "much", ann)
		if err != nil || a.State != wallet.AdjustmentPending {
			t.Fatalf("%+v, %v", a, err)
		}
		has(t, w, 1, 0)
		if _, err := w.ConfirmAdjustment(t.Context(), a.ID, ann); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal("confirmed their own: ", err)
		}
		if _, err := w.ConfirmAdjustment(t.Context(), a.ID, new(int64(1))); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal("confirmed into their own wallet: ", err)
		}
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := w.ConfirmAdjustment(t.Context(), a.ID, bob); err != nil &&
					!errors.Is(err, wallet.ErrDecided) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		has(t, w, 1, limit+1)

		own, err := w.Adjust(t.Context(), *ann, 1, "for myself", ann)
		if err != nil || own.State != wallet.AdjustmentPending {
			t.Fatalf("into their own wallet: %+v, %v", own, err)
		}
		if declined, err := w.DeclineAdjustment(t.Context(), own.ID, bob); err != nil ||
			declined.State != wallet.AdjustmentDeclined || *declined.DecidedBy != *bob {
			t.Fatalf("%+v, %v", declined, err)
		}
		if _, err := w.ConfirmAdjustment(t.Context(), own.ID, bob); !errors.Is(err, wallet.ErrDecided) {
			t.Fatal("declined before: ", err)
		}
		has(t, w, *ann, 0)

		// Small sums at once add up, into wallets and out of them.
		for i := range 30 {
			wg.Go(func() {
				amount := money.Amount(5000)
				if i%2 == 1 {
					amount = -5000
				}
				if _, err := w.Adjust(t.Context(), 1, amount, "a bit", ann); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		_, waiting, err := w.Adjustments(t.Context(), wallet.AdjustmentPending, 1, 100, 0)
		if err != nil || waiting != 10 {
			t.Fatalf("%d wait, %v", waiting, err)
		}
		if a, err := w.Adjust(t.Context(), 1, limit+1, "by the operator", nil); err != nil ||
			a.State != wallet.AdjustmentPosted {
			t.Fatalf("%+v, %v", a, err)
		}
		now = now.Add(24 * time.Hour)
		if a, err := w.Adjust(t.Context(), 1, limit, "the day after", ann); err != nil ||
			a.State != wallet.AdjustmentPosted {
			t.Fatalf("%+v, %v", a, err)
		}
		sound(t, w)
		if _, err := w.ConfirmAdjustment(t.Context(), 999, bob); !errors.Is(err, wallet.ErrNoAdjustment) {
			t.Error(err)
		}
	})
}

func TestADamagedAdjustmentShows(t *testing.T) {
	for _, damage := range []string{
		`UPDATE wallet_adjustment SET amount = amount + 1`,
		`UPDATE wallet_adjustment SET user_id = 2`,
		`UPDATE wallet_adjustment SET state = 'declined'`,
		`DELETE FROM wallet_adjustment`,
	} {
		t.Run(damage, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := open(t, d, 1, 2)
				if _, err := w.Adjust(t.Context(), 1, 500, "a gift", nil); err != nil {
					t.Fatal(err)
				}
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(damage).Exec(ctx)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if len(wallettest.Check(t, w)) == 0 {
					t.Fatal("nobody noticed")
				}
			})
		})
	}
}
