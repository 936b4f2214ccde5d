package payment_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
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
		if broken := wallettest.Check(t, c.Wallets); len(broken) > 0 {
			t.Error(broken)
		}
	})
}

// sums returns what the ledger says of the gateways, by name; the money must add up.
func (c *server) sums(t testing.TB) map[string]wallet.GatewaySums {
	t.Helper()
	c.MustBeConsistent(t)
	found, err := c.Wallets.GatewaySums(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]wallet.GatewaySums{}
	for _, s := range found {
		sums[s.Gateway] = s
	}
	return sums
}

// paidBack notes a refund by hand.
func (c *server) paidBack(t testing.TB, r *wallet.Recharge, amount money.Amount) {
	t.Helper()
	g, err := c.Payments.GiveBack(t.Context(), payment.RefundWish{
		RechargeID: r.ID, Amount: amount, Reason: "paid back in cash", ByHand: true,
	})
	if err != nil || g.State != wallet.GatewayRefundDone {
		t.Fatal(g, err)
	}
}

func TestOutsidePayment_IsNoMoneyOfTheGateway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, bank := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		if err := c.outside(t, r, cashier); err != nil {
			t.Fatal(err)
		}
		c.paidBack(t, r, 1000)
		want := wallet.GatewaySums{Gateway: sandbox.Name, OutsideReceived: 3000, OutsideReturned: 1000}
		if got := c.sums(t)[sandbox.Name]; got != want {
			t.Errorf("after a payment past the gateway, and a part of it back: %+v, want %+v", got, want)
		}

		// What the gateway received it has still when staff pays it back from elsewhere.
		r = c.paidRecharge(t, user, 2000)
		c.paidBack(t, r, 500)
		want.Received, want.Owed, want.OutsideReturned = 2000, 2000, 1500
		if got := c.sums(t)[sandbox.Name]; got != want {
			t.Errorf("after a refund past the gateway: %+v, want %+v", got, want)
		}

		// A gateway without a platform is the hands of staff itself.
		r = bank.Recharge(t, c.Server, user, 4000)
		if err := c.byHand(t, r, cashier); err != nil {
			t.Fatal(err)
		}
		c.paidBack(t, r, 1500)
		want = wallet.GatewaySums{Gateway: "bank", Received: 4000, Returned: 1500, Owed: 2500}
		if got := c.sums(t)["bank"]; got != want {
			t.Errorf("of a gateway without a platform: %+v, want %+v", got, want)
		}
	})
}

// Earlier versions booked what came past a gateway on the account of that, where it stays.
func TestOutsidePayment_BookedOnTheGateway_IsPaidBackFromThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		c.paidRecharge(t, user, 100) // makes the account
		r := c.recharge(t, user, 3000)
		if err := c.outside(t, r, cashier); err != nil {
			t.Fatal(err)
		}
		c.rebook(t, r, wallet.Clearing)
		c.paidBack(t, r, 1000)
		want := wallet.GatewaySums{Gateway: sandbox.Name, Received: 3100, Returned: 1000, Owed: 2100}
		if got := c.sums(t)[sandbox.Name]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// rebook changes which account of its gateway a payment is on.
func (c *server) rebook(t testing.TB, r *wallet.Recharge, kind wallet.Kind) {
	t.Helper()
	if err := c.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE posting SET account_id = (SELECT id FROM ledger_account WHERE kind = ? AND name = ?)
			WHERE transaction_id = (SELECT id FROM ledger_transaction WHERE reference_kind = 'recharge' AND reference_id = ?)
			AND account_id IN (SELECT id FROM ledger_account WHERE user_id IS NULL)`, kind, r.Gateway, r.ID).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDoctor_PaymentOnTheWrongAccount_IsFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		if err := c.outside(t, c.recharge(t, user, 100), cashier); err != nil { // makes the account
			t.Fatal(err)
		}
		c.rebook(t, c.paidRecharge(t, user, 2000), wallet.Outside)
		if broken := wallettest.Check(t, c.Wallets); len(broken) != 1 {
			t.Errorf("a payment at the gateway that counts as received past it: %v", broken)
		}
	})
}

// A platform that calls its payments as those past it are called does not hide what it received.
func TestPlatform_NamesAPaymentAsOneOutside_IsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, _ := newManualServer(t, d)
		user := c.User(t)
		r := c.recharge(t, user, 3000)
		pay := paid(r)
		pay.TransactionID = r.OutsidePayment()
		c.notify(t.Context(), c.sandbox.Notice(pay))
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE sandbox_payment SET state = 'paid', transaction_id = ? WHERE trade_no = ?`,
				r.OutsidePayment(), r.TradeNo).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := c.byHand(t, r, cashier); err == nil || c.Balance(t, user).Posted != 0 {
			t.Errorf("%v, %+v", err, c.Balance(t, user))
		}
		if got := c.sums(t)[sandbox.Name]; got.OutsideReceived != 0 {
			t.Errorf("%+v", got)
		}
	})
}
