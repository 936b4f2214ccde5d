package invite_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestARefundTakesTheCommissionBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		c.pays(t, buyer, 1000)
		order := c.buys(t, buyer)
		c.has(t, inviter, 0, 100)
		sum, err := c.shop.Refund(t.Context(), order, "unhappy", nil)
		if err != nil || sum != 1000 {
			t.Fatal(sum, err)
		}
		c.has(t, inviter, 0, 0)
		c.buys(t, buyer) // with the money that came back
		c.has(t, inviter, 0, 100)
		c.now = c.now.AddDate(0, 0, 20)
		if err := c.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		orders, _, err := c.shop.Purchases(t.Context(), buyer, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.shop.Refund(t.Context(), orders[0].ID, "late", nil); err != nil {
			t.Fatal(err)
		}
		c.has(t, inviter, 0, 0) // what was released is reclaimed
	})
}

// back has the user's recharge go back to who paid it, as far as the ledger sees.
func (c *circle) back(t *testing.T, recharge *wallet.Recharge, amount money.Amount) {
	t.Helper()
	c.do(t, func(ctx context.Context, tx bun.Tx) error {
		g := &wallet.GatewayRefund{Amount: amount, Reason: "unused"}
		if err := c.wallets.StartGatewayRefund(ctx, tx, recharge, g); err != nil {
			return err
		}
		_, err := c.wallets.EndGatewayRefund(ctx, tx, g, wallet.GatewayRefundDone, "", nil)
		return errors.Join(err, c.Follow(ctx, tx, g.UserID))
	})
}

func TestMoneyThatWentBackCountsForNoCommission(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)

		// What was not spent goes first: the commission stays.
		frugal := c.user(t, inviter)
		r := c.pays(t, frugal, 2000)
		c.buys(t, frugal)
		c.has(t, inviter, 0, 100)
		c.back(t, r, 1000)
		c.has(t, inviter, 0, 100)
		c.gets(t, frugal, 1000)
		c.buys(t, frugal)
		c.has(t, inviter, 0, 100)

		// What was spent goes back in the place of a gift: so the gift paid for the order.
		swapper := c.user(t, inviter)
		r = c.pays(t, swapper, 1000)
		c.buys(t, swapper)
		c.gets(t, swapper, 1000)
		c.has(t, inviter, 0, 200)
		c.back(t, r, 1000)
		c.has(t, inviter, 0, 100)
		c.pays(t, swapper, 1000)
		c.buys(t, swapper)
		c.has(t, inviter, 0, 200)

		// Of an order that is refunded later only what did not go back counts again.
		partly := c.user(t, inviter)
		r = c.pays(t, partly, 1000)
		order := c.buys(t, partly)
		c.gets(t, partly, 400)
		c.back(t, r, 400)
		c.has(t, inviter, 0, 260)
		c.refunds(t, order)
		c.has(t, inviter, 0, 200)
		c.buys(t, partly)
		c.has(t, inviter, 0, 260)
	})
}

// release lets so many days pass and releases what is due.
func (c *circle) release(t *testing.T, days int) {
	t.Helper()
	c.now = c.now.AddDate(0, 0, days)
	if err := c.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// owes fails the test unless the user owes so much commission.
func (c *circle) owes(t *testing.T, user int64, amount money.Amount) {
	t.Helper()
	e, err := c.Earnings(t.Context(), user)
	if err != nil || e.Owed != amount {
		t.Fatalf("user %d owes commission of %s, want %s; %v", user, e.Owed, amount, err)
	}
}

func (c *circle) withdraws(t *testing.T, user int64, amount money.Amount) {
	t.Helper()
	if err := c.Withdraw(t.Context(), user, amount); err != nil {
		t.Fatal(err)
	}
}

func (c *circle) refunds(t *testing.T, order int64) {
	t.Helper()
	if _, err := c.shop.Refund(t.Context(), order, "not wanted", nil); err != nil {
		t.Fatal(err)
	}
}

func TestCommission_RechargeGoesBackAfterRelease_IsReclaimed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.release(t, 15)
		c.has(t, inviter, 100, 0)
		c.gets(t, buyer, 1000)
		c.back(t, r, 1000)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 0)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.has(t, inviter, 0, 100)
	})
}

func TestCommission_ReclaimedAfterWithdrawal_IsPaidByLaterCommission(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer, other := c.user(t, inviter), c.user(t, inviter)
		c.pays(t, buyer, 2000)
		first, second := c.buys(t, buyer), c.buys(t, buyer)
		c.release(t, 15)
		c.has(t, inviter, 200, 0)
		c.withdraws(t, inviter, 130)
		c.refunds(t, first)
		c.has(t, inviter, 0, 0) // 70 were available
		c.owes(t, inviter, 30)
		c.refunds(t, second)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 130)

		c.pays(t, other, 2000)
		c.buys(t, other)
		c.has(t, inviter, 0, 100)
		c.release(t, 15)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 30)
		last := c.buys(t, other)
		c.release(t, 15)
		c.has(t, inviter, 70, 0)
		c.owes(t, inviter, 0)

		// What paid for another is reclaimed too.
		c.refunds(t, last)
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, 30)

		earned, total, err := c.Commissions(t.Context(), invite.CommissionFilter{InviterID: inviter}, 10, 0)
		if err != nil || total != 4 {
			t.Fatal(total, err)
		}
		owing, total, err := c.Commissions(t.Context(), invite.CommissionFilter{Owed: true}, 10, 0)
		if err != nil || total != 1 || owing[0].ID != earned[0].ID {
			t.Fatalf("owed of %+v, %d in all, %v", owing, total, err)
		}
		var owed, settled []money.Amount
		for _, e := range earned {
			owed, settled = append(owed, e.Owed), append(settled, e.Settled)
		}
		if fmt.Sprint(owed, settled) != "[0.30 0.00 0.00 0.00] [0.30 1.00 0.00 0.00]" {
			t.Fatal("newest first, owed and settled: ", owed, settled)
		}
	})
}

func TestCommission_BuyersMoneyIsOnItsWayBack_IsNotReleased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		begin := func(buyer int64, r *wallet.Recharge, amount money.Amount) *wallet.GatewayRefund {
			g := &wallet.GatewayRefund{Amount: amount, Reason: "unused"}
			c.do(t, func(ctx context.Context, tx bun.Tx) error { return c.wallets.StartGatewayRefund(ctx, tx, r, g) })
			return g
		}
		end := func(g *wallet.GatewayRefund, to wallet.GatewayRefundState) {
			c.do(t, func(ctx context.Context, tx bun.Tx) error {
				_, err := c.wallets.EndGatewayRefund(ctx, tx, g, to, "", nil)
				return errors.Join(err, c.Follow(ctx, tx, g.UserID))
			})
		}

		// The gateway takes its time: the order counted what is on its way back.
		buyer := c.user(t, inviter)
		r := c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.gets(t, buyer, 1000)
		g := begin(buyer, r, 1000)
		c.release(t, 15)
		c.has(t, inviter, 0, 100)
		end(g, wallet.GatewayRefundFailed)
		c.release(t, 0)
		c.has(t, inviter, 100, 0)

		// Money that was never spent may go back: no order counted it.
		frugal := c.user(t, inviter)
		r = c.pays(t, frugal, 2000)
		c.buys(t, frugal)
		begin(frugal, r, 1000)
		c.release(t, 15)
		c.has(t, inviter, 200, 0)

		// Of two orders the newer one counted it.
		both := c.user(t, inviter)
		r = c.pays(t, both, 1000)
		c.buys(t, both)
		c.pays(t, both, 1000)
		c.buys(t, both)
		c.gets(t, both, 500)
		g = begin(both, r, 500)
		c.release(t, 15)
		c.has(t, inviter, 300, 100)
		end(g, wallet.GatewayRefundDone)
		c.has(t, inviter, 300, 50)
		c.release(t, 0)
		c.has(t, inviter, 350, 0)
	})
}

func TestCommission_ReclaimedAndReleasedAtOnce_StaysSound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		var orders []int64
		for range 10 {
			buyer := c.user(t, inviter)
			c.pays(t, buyer, 2000)
			orders = append(orders, c.buys(t, buyer))
			c.now = c.now.AddDate(0, 0, 1)
			orders = append(orders, c.buys(t, buyer))
		}
		c.release(t, 10)
		b, err := c.wallets.Balance(t.Context(), inviter)
		if err != nil || b.Commission == 0 || b.Pending == 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		c.withdraws(t, inviter, b.Commission)
		c.now = c.now.AddDate(0, 0, 5)
		var wg sync.WaitGroup
		for _, order := range orders {
			wg.Go(func() {
				_, err := c.shop.Refund(t.Context(), order, "not wanted", nil)
				if err != nil && !errors.Is(err, shop.ErrNothingToRefund) {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if err := c.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c.has(t, inviter, 0, 0)
		c.owes(t, inviter, b.Commission)
	})
}

func TestAClosedAccountEarnsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		leaves, stays := c.user(t, 0), c.user(t, 0)
		buyer, other := c.user(t, leaves), c.user(t, stays)
		for _, user := range []int64{buyer, other} {
			c.pays(t, user, 2000)
			c.buys(t, user)
		}
		c.has(t, leaves, 0, 100)
		c.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET closed_at = ? WHERE id = ?`, c.now, leaves).Exec(ctx)
			return errors.Join(err, c.Close(ctx, tx, leaves), c.wallets.Close(ctx, tx, leaves))
		})
		c.has(t, leaves, 0, 0)
		c.buys(t, buyer)
		c.has(t, leaves, 0, 0)
		c.has(t, stays, 0, 100)
	})
}

// What closings left behind before they took it back is found by the doctor, and is never released.
func TestWhatAClosedAccountStillWaitsFor_IsTakenBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		leaves := c.user(t, 0)
		buyer := c.user(t, leaves)
		c.pays(t, buyer, 1000)
		c.buys(t, buyer)
		c.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET closed_at = ? WHERE id = ?`, c.now, leaves).Exec(ctx)
			return errors.Join(err, c.wallets.Close(ctx, tx, leaves))
		})
		if broken, err := c.Check(t.Context()); err != nil || len(broken) != 1 || broken[0].What != "commission 1" {
			t.Fatal(broken, err)
		}
		c.now = c.now.AddDate(0, 0, 15)
		if err := c.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.has(t, leaves, 0, 0)
	})
}
