package invite_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/seal"
)

// earner makes a user who has this much released commission of one order, and gives the order.
func (c *circle) earner(t *testing.T) (user, order int64) {
	t.Helper()
	user = c.user(t, 0)
	buyer := c.user(t, user)
	c.pays(t, buyer, 1000)
	order = c.buys(t, buyer)
	c.release(t, 20)
	return user, order
}

func (c *circle) asks(t *testing.T, user int64, amount money.Amount) *invite.Payout {
	t.Helper()
	p, err := c.AskPayout(t.Context(), user, amount, "alipay", "lin@example.com")
	if err != nil {
		t.Fatal(err)
	}
	c.sound(t)
	return p
}

// member makes a member of staff.
func (c *circle) member(t *testing.T) *int64 {
	t.Helper()
	id := c.user(t, 0)
	c.do(t, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE account SET role = 'finance' WHERE id = ?`, id).Exec(ctx)
		return err
	})
	return &id
}

// held fails the test unless the user has so much commission free and so much held for a payout.
func (c *circle) held(t *testing.T, user int64, free, paying money.Amount) {
	t.Helper()
	b, err := c.wallets.Balance(t.Context(), user)
	if err != nil || b.Commission != free || b.PayingOut != paying || b.Pending != 0 {
		t.Fatalf("%+v, %v; want %s free and %s held", b, err, free, paying)
	}
	c.sound(t)
}

func (c *circle) payoutState(t *testing.T, p *invite.Payout) invite.PayoutState {
	t.Helper()
	all, _, err := c.Payouts(t.Context(), invite.PayoutFilter{UserID: p.UserID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range all {
		if now.ID == p.ID {
			return now.State
		}
	}
	t.Fatalf("payout %d is not listed", p.ID)
	return ""
}

func TestPayout_HoldsItsAmount_UntilItIsPaidOrNot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user, _ := c.earner(t)
		if _, err := c.AskPayout(t.Context(), user, 50, "bank", "1"); !errors.Is(err, invite.ErrNoPayouts) {
			t.Fatal("on a site without payouts: ", err)
		}
		c.set(t, "payout_min", "0.10")
		for name, err := range map[string]error{
			"too little":  second(c.AskPayout(t.Context(), user, 9, "bank", "1")),
			"no account":  second(c.AskPayout(t.Context(), user, 50, "bank", " ")),
			"no method":   second(c.AskPayout(t.Context(), user, 50, "cash", "1")),
			"an unseen 1": second(c.AskPayout(t.Context(), user, 50, "bank", "1\u202e2")),
		} {
			if !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := c.AskPayout(t.Context(), user, 101, "bank", "1"); !errors.Is(err, invite.ErrTooLittle) {
			t.Errorf("more than there is: %v", err)
		}
		p := c.asks(t, user, 60)
		c.held(t, user, 40, 60)
		if p.Account != "lin@example.com" {
			t.Errorf("%+v", p)
		}
		if _, err := c.AskPayout(t.Context(), user, 40, "bank", "1"); !errors.Is(err, invite.ErrPayoutOpen) {
			t.Errorf("a second one: %v", err)
		}
		if err := c.Withdraw(t.Context(), user, 41); !errors.Is(err, invite.ErrTooLittle) {
			t.Errorf("what is held moves to the wallet: %v", err)
		}
		if err := c.WithdrawPayout(t.Context(), c.user(t, 0), p.ID); !errors.Is(err, invite.ErrNoPayout) {
			t.Errorf("another user's: %v", err)
		}
		if err := c.WithdrawPayout(t.Context(), user, p.ID); err != nil {
			t.Fatal(err)
		}
		c.held(t, user, 100, 0)

		p = c.asks(t, user, 100)
		if err := c.RefusePayout(t.Context(), p.ID, "wrong name", nil); err != nil {
			t.Fatal(err)
		}
		c.held(t, user, 100, 0)

		p = c.asks(t, user, 70)
		if err := c.PayPayout(t.Context(), p.ID, "T1", nil); err != nil {
			t.Fatal(err)
		}
		c.held(t, user, 30, 0)
		for name, err := range map[string]error{
			"paid again": c.PayPayout(t.Context(), p.ID, "T2", nil),
			"refused":    c.RefusePayout(t.Context(), p.ID, "x", nil),
			"withdrawn":  c.WithdrawPayout(t.Context(), user, p.ID),
		} {
			if !errors.Is(err, invite.ErrPayoutEnded) {
				t.Errorf("after it was paid, %s: %v", name, err)
			}
		}
		if closed, err := invite.Sealed(t.Context(), d, seal.Key{1}); err != nil || len(closed) > 0 {
			t.Error(closed, err)
		}
		if closed, err := invite.Sealed(t.Context(), d, seal.Key{2}); err != nil || len(closed) != 3 {
			t.Error("another key opens: ", closed, err)
		}
	})
}

func second(_ *invite.Payout, err error) error { return err }

func TestPayout_PaidAndWithdrawnAtOnce_EndsOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "payout_min", "0.10")
		user, _ := c.earner(t)
		p := c.asks(t, user, 100)
		var wg sync.WaitGroup
		var ended atomic.Int64
		for n := range 30 {
			wg.Go(func() {
				var err error
				switch n % 3 {
				case 0:
					err = c.PayPayout(t.Context(), p.ID, "", nil)
				case 1:
					err = c.RefusePayout(t.Context(), p.ID, "x", nil)
				case 2:
					err = c.WithdrawPayout(t.Context(), user, p.ID)
				}
				if err == nil {
					ended.Add(1)
				} else if !errors.Is(err, invite.ErrPayoutEnded) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if ended.Load() != 1 {
			t.Errorf("it ended %d times", ended.Load())
		}
		c.sound(t)
	})
}

func TestPayout_WorthMuch_WaitsForASecondMember(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "payout_min", "0.10")
		c.set(t, "staff_credit_limit", "0.50")
		user, _ := c.earner(t)
		ann, bob := c.member(t), c.member(t)
		p := c.asks(t, user, 60)
		wait := func() {
			t.Helper()
			if err := c.PayPayout(t.Context(), p.ID, "T1", ann); !errors.Is(err, approval.ErrSecondMember) {
				t.Fatal(err)
			}
			c.held(t, user, 40, 60)
			if state := c.payoutState(t, p); state != invite.PayoutWaiting {
				t.Fatal(state)
			}
		}
		wait()
		if err := c.WithdrawPayout(t.Context(), user, p.ID); !errors.Is(err, invite.ErrPayoutWaiting) {
			t.Errorf("the user takes back what may be paid already: %v", err)
		}
		if err := c.PayPayout(t.Context(), p.ID, "T1", bob); !errors.Is(err, invite.ErrPayoutWaiting) {
			t.Errorf("it is paid a second time while it waits: %v", err)
		}
		if err := c.DecidePayout(t.Context(), p.ID, true, ann); !errors.Is(err, approval.ErrSecondMember) {
			t.Errorf("who wants to pay it approves that: %v", err)
		}
		if err := c.DecidePayout(t.Context(), p.ID, false, bob); err != nil {
			t.Fatal(err)
		}
		if state := c.payoutState(t, p); state != invite.PayoutOpen {
			t.Fatal(state)
		}
		wait()
		if err := c.DecidePayout(t.Context(), p.ID, true, bob); err != nil {
			t.Fatal(err)
		}
		c.held(t, user, 40, 0)
		if state := c.payoutState(t, p); state != invite.PayoutPaid {
			t.Fatal(state)
		}
		p = c.asks(t, user, 40)
		if err := c.PayPayout(t.Context(), p.ID, "T2", ann); err != nil { // worth little
			t.Fatal(err)
		}
		c.held(t, user, 0, 0)
	})
}

func TestPayout_OfCommissionThatIsReclaimed_IsRefused(t *testing.T) {
	for _, waits := range []bool{false, true} {
		dbtest.Each(t, func(t *testing.T, d *db.DB) {
			c := open(t, d)
			c.set(t, "payout_min", "0.10")
			c.set(t, "staff_credit_limit", "0.00")
			user, order := c.earner(t)
			var told []invite.PayoutState
			c.OnDecision(func(_ context.Context, _ bun.Tx, p *invite.Payout) error {
				told = append(told, p.State)
				return nil
			})
			p := c.asks(t, user, 80)
			if waits {
				if err := c.PayPayout(t.Context(), p.ID, "", c.member(t)); !errors.Is(err, approval.ErrSecondMember) {
					t.Fatal(err)
				}
			}
			c.refunds(t, order)
			c.held(t, user, 0, 0)
			c.owes(t, user, 0)
			if state := c.payoutState(t, p); state != invite.PayoutRefused {
				t.Errorf("it is %s", state)
			}
			if !slices.Equal(told, []invite.PayoutState{invite.PayoutRefused}) {
				t.Errorf("the user was told %v, want that it was refused, once", told)
			}
			if broken, err := approval.New(d, c.settings).Check(t.Context()); err != nil || len(broken) > 0 {
				t.Error(broken, err)
			}
		})
	}
}

func TestPayout_ThatWasPaid_IsOwedWhenItsCommissionIsReclaimed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "payout_min", "0.10")
		user, order := c.earner(t)
		if err := c.PayPayout(t.Context(), c.asks(t, user, 80).ID, "", nil); err != nil {
			t.Fatal(err)
		}
		c.refunds(t, order)
		c.held(t, user, 0, 0)
		c.owes(t, user, 80)
	})
}

func TestPayout_OfAnAccountThatCloses_EndsAndIsForgotten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.set(t, "payout_min", "0.10")
		user, _ := c.earner(t)
		p := c.asks(t, user, 80)
		c.do(t, func(ctx context.Context, tx bun.Tx) error { return c.Close(ctx, tx, user) })
		c.held(t, user, 100, 0)
		all, _, err := c.Payouts(t.Context(), invite.PayoutFilter{UserID: user, Limit: 10})
		if err != nil || all[0].State != invite.PayoutWithdrawn || all[0].Account != "" || all[0].ID != p.ID {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestADamagedPayout_Shows(t *testing.T) {
	for i, damage := range []string{
		`UPDATE commission_payout SET amount = amount - 1 WHERE state = 'open'`,
		`UPDATE commission_payout SET amount = amount - 1 WHERE state = 'paid'`,
		`UPDATE commission_payout SET state = 'paid', ended_at = created_at WHERE state = 'open'`,
		`UPDATE commission_payout SET state = 'refused' WHERE state = 'paid'`,
		`DELETE FROM commission_payout`,
		`UPDATE commission_payout SET user_id = 999`,
		`UPDATE ledger_hold SET ended_at = created_at WHERE reference_kind = 'commission_payout'`,
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				c := open(t, d)
				c.set(t, "payout_min", "0.10")
				user, _ := c.earner(t)
				if err := c.PayPayout(t.Context(), c.asks(t, user, 30).ID, "", nil); err != nil {
					t.Fatal(err)
				}
				c.asks(t, user, 40)
				c.do(t, func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(damage).Exec(ctx)
					return err
				})
				if broken, err := c.Check(t.Context()); err != nil || len(broken) == 0 {
					t.Fatal("nobody noticed: ", err)
				}
			})
		})
	}
}
