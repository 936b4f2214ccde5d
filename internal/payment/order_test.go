package payment_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestAnOrderCompletesWithItsRecharge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		stock := int64(1)
		plan, price := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		user := c.userWithMoney(t, 400)
		if _, err := c.Shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price}); !errors.Is(err,
			wallet.ErrBalanceTooLow) || !strings.Contains(err.Error(), "6.00") {
			t.Fatal("without a gateway: ", err)
		}
		begin := func() (int64, *wallet.Recharge) {
			t.Helper()
			no, err := c.Payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
			if err != nil {
				t.Fatal(err)
			}
			o, err := c.Shop.Order(t.Context(), user, strconv.FormatInt(no, 10))
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(*o.RechargeID, 10))
			if err != nil {
				t.Fatal(err)
			}
			c.MustBeConsistent(t)
			return no, r
		}
		holds := func(held money.Amount, stock int64) {
			t.Helper()
			p, err := c.Shop.Plan(t.Context(), plan.ID)
			if b := c.Balance(t, user); err != nil || b.Held != held || *p.Stock != stock {
				t.Fatalf("held %v, stock %d, %v; want %v and %d", b.Held, *p.Stock, err, held, stock)
			}
			c.MustBeConsistent(t)
		}

		no, r := begin()
		holds(400, 0)
		if r.Amount != 600 {
			t.Fatal("the recharge is of ", r.Amount)
		}
		other := c.userWithMoney(t, 5000)
		if _, err := c.Shop.Confirm(t.Context(), other, shop.Purchase{PriceID: price}); !errors.Is(err,
			shop.ErrSoldOut) {
			t.Fatal("what a pending order holds was sold: ", err)
		}
		if err := c.Shop.Cancel(t.Context(), user, strconv.FormatInt(no, 10)); err != nil {
			t.Fatal(err)
		}
		holds(0, 1)
		if err := c.Shop.Cancel(t.Context(), user, strconv.FormatInt(no, 10)); !errors.Is(err, shop.ErrNotPending) {
			t.Fatal("cancelled twice: ", err)
		}
		c.pressButton(t, r, "pay") // the money arrives late: it stays in the wallet
		if got := c.state(t, user, no); got != shop.Cancelled || c.Balance(t, user).Available != 1000 ||
			c.running(t, user) != 0 {
			t.Fatalf("a late payment: order %s, %+v", got, c.Balance(t, user))
		}
		if _, err := c.Shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price}); err != nil {
			t.Fatal(err)
		}
		stock = 2
		if _, err := c.Shop.ChangePlan(t.Context(), plan.ID, func(p *shop.Plan) { p.Stock = &stock }); err != nil {
			t.Fatal(err)
		}

		no, r = begin()
		holds(0, 1)
		c.Advance(31 * time.Minute)
		if err := c.Payments.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		holds(0, 2)
		if got := c.state(t, user, no); got != shop.Expired {
			t.Fatal("after its time the order is ", got)
		}
		c.pressButton(t, r, "pay")
		if b := c.Balance(t, user); b.Available != 1000 || c.running(t, user) != 1 {
			t.Fatalf("paid after expiry: %+v", b)
		}

		_, dear := c.plan(t, shop.KindPlan, 1500, nil)
		price = dear
		no, r = begin()
		c.pressButton(t, r, "pay")
		if got := c.state(t, user, no); got != shop.Paid || c.running(t, user) != 2 || c.Balance(t, user).Posted != 0 {
			t.Fatalf("order %s, %+v", got, c.Balance(t, user))
		}
		c.MustBeConsistent(t)
	})
}

func TestMoneyIsCreditedEvenWhereItsOrderCannotBeCompleted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		_, price := c.plan(t, shop.KindPlan, 1000, nil)
		user := c.User(t)
		no, err := c.Payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
		if err != nil {
			t.Fatal(err)
		}
		recharges, _, err := c.Wallets.Recharges(t.Context(), user, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(recharges[0].ID, 10))
		if err != nil {
			t.Fatal(err)
		}
		// A fulfilment that should not be there makes the completion fail.
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := c.Services.AddPackage(ctx, tx, service.PackageTerms{
				UserID: user, OrderID: &no, Name: "x",
				Kind: service.Grant, Bytes: 1,
			})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		c.pressButton(t, r, "pay")
		if b := c.Balance(t, user); b.Posted != 1000 || c.state(t, user, no) != shop.Pending {
			t.Fatalf("%+v, order %s", b, c.state(t, user, no))
		}
	})
}

func TestCancelAndNotifyAtTheSameTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		stock := int64(1000)
		plan, price := c.plan(t, shop.KindPlan, 1000, func(p *shop.Plan) { p.Stock = &stock })
		completed := 0
		for range 20 {
			user := c.userWithMoney(t, 400)
			no, err := c.Payments.Confirm(t.Context(), user, shop.Purchase{PriceID: price}, sandbox.Name)
			if err != nil {
				t.Fatal(err)
			}
			recharges, _, err := c.Wallets.Recharges(t.Context(), user, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Payments.Show(t.Context(), user, strconv.FormatInt(recharges[0].ID, 10))
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			wg.Go(func() { c.pressButton(t, r, "pay") })
			wg.Go(func() {
				if err := c.Shop.Cancel(t.Context(), user, strconv.FormatInt(no, 10)); err != nil &&
					!errors.Is(err, shop.ErrNotPending) {
					t.Error(err)
				}
			})
			wg.Wait()
			b := c.Balance(t, user)
			switch c.state(t, user, no) {
			case shop.Paid:
				completed++
				if b.Posted != 0 || c.running(t, user) != 1 {
					t.Fatalf("completed: %+v", b)
				}
			case shop.Cancelled:
				if b.Available != 1000 || c.running(t, user) != 0 {
					t.Fatalf("cancelled: %+v", b)
				}
			default:
				t.Fatal("neither completed nor cancelled")
			}
		}
		if p, err := c.Shop.Plan(t.Context(), plan.ID); err != nil || *p.Stock != int64(1000-completed) {
			t.Fatalf("stock %d after %d sales, %v", *p.Stock, completed, err)
		}
		c.MustBeConsistent(t)
	})
}

func TestFiveHundredPurchasesWithMoneyForFifty(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newServer(t, d)
		_, price := c.plan(t, shop.KindPackage, 100, nil)
		user := c.userWithMoney(t, 5000)
		var bought, refused atomic.Int64
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				err := dbtest.Patiently(func() error {
					_, err := c.Shop.Confirm(t.Context(), user, shop.Purchase{PriceID: price})
					return err
				})
				switch {
				case err == nil:
					bought.Add(1)
				case errors.Is(err, wallet.ErrBalanceTooLow):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if b := c.Balance(t, user); bought.Load() != 50 || refused.Load() != 450 || b.Posted != 0 || b.Movements != 51 {
			t.Fatalf("%d bought, %d refused, %+v", bought.Load(), refused.Load(), b)
		}
		_, packages, err := c.Services.List(t.Context(), user)
		if err != nil || len(packages) != 50 {
			t.Fatalf("%d packages, %v", len(packages), err)
		}
		c.MustBeConsistent(t)
	})
}
