package payment_test

import (
	"errors"
	"testing"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func (c *server) outside(t testing.TB, r *wallet.Recharge, staff int64) error {
	t.Helper()
	_, err := c.Payments.ConfirmByHand(t.Context(), payment.Confirmation{
		TradeNo: r.TradeNo, StaffID: staff, Outside: true, Reason: "paid in cash",
	})
	return err
}

// What was paid past the platform completes the order that waits for it, once, and counts as what the member gave.
func TestOutsidePayment_OfAnOrder_CompletesItAndCountsAsGiven(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		_, price := c.plan(t, shop.KindPlan, 6000, nil)
		user := c.User(t)
		order := func() (int64, *wallet.Recharge) {
			no, err := c.Payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
			if err != nil {
				t.Fatal(err)
			}
			found, err := c.Shop.OrdersByID(t.Context(), []int64{no})
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Wallets.RechargeByNo(t.Context(), d, *found[0].RechargeID)
			if err != nil {
				t.Fatal(err)
			}
			return no, r
		}
		no, r := order()
		for range 2 {
			if err := c.outside(t, r, cashier); err != nil {
				t.Fatal(err)
			}
		}
		if c.state(t, user, no) != shop.Paid || c.running(t, user) != 1 || c.Balance(t, user).Posted != 0 {
			t.Errorf("%s, %d services, %+v", c.state(t, user, no), c.running(t, user), c.Balance(t, user))
		}

		no, r = order() // 120.00 in all is beyond the limit of 100.00
		if err := c.outside(t, r, cashier); !errors.Is(err, approval.ErrSecondMember) {
			t.Fatal(err)
		}
		if waits, err := c.Payments.IsBeingConfirmed(t.Context(), r.ID); err != nil || !waits ||
			c.state(t, user, no) != shop.Pending {
			t.Errorf("%s, waits: %t, %v", c.state(t, user, no), waits, err)
		}
		if err := c.Payments.DecideByHand(t.Context(), r.ID, true, new(int64(second))); err != nil {
			t.Fatal(err)
		}
		if c.state(t, user, no) != shop.Paid {
			t.Error(c.state(t, user, no))
		}
	})
}

// The platform knows nothing of such a payment: it can neither give it back nor take it for its own.
func TestOutsidePayment_WhenThePlatformReportsOneToo_IsACaseAndNotPaidBackThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		if err := c.outside(t, r, cashier); err != nil {
			t.Fatal(err)
		}
		_, err := c.Payments.GiveBack(t.Context(), payment.RefundWish{
			RechargeID: r.ID, Amount: 3000, Reason: "changed their mind",
		})
		if !errors.Is(err, payment.ErrNoRefund) {
			t.Error(err)
		}
		c.pressButton(t, r, "pay")
		if ids, err := c.Payments.CasesOf(t.Context(), r.ID); err != nil || len(ids) != 1 {
			t.Errorf("cases %v, %v", ids, err)
		}
		if b := c.Balance(t, user); b.Posted != 3000 {
			t.Errorf("%+v", b)
		}
		if broken, err := c.Wallets.Check(t.Context()); err != nil || len(broken) > 0 {
			t.Error(broken, err)
		}
	})
}
