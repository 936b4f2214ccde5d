package shop_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func TestAClosedAccountsPendingOrdersEndAndGiveBackWhatTheyHold(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, func(p *shop.Plan) { p.Stock = ptr[int64](3) })
		price := plan.Prices[0].ID
		c.coupon(t, shop.Coupon{Code: "ONE", Percent: ptr(10), Total: ptr(int64(1))})
		leaver, other := c.user(t, 1300), c.user(t, 0)
		paid := c.buy(t, leaver, shop.Purchase{PriceID: price})
		waiting := func(user int64, p shop.Purchase) *shop.Order {
			t.Helper()
			no, err := c.wait(t.Context(), user, p)
			if err != nil {
				t.Fatal(err)
			}
			return c.order(t, user, no)
		}
		pending := waiting(leaver, shop.Purchase{PriceID: price, Coupon: "ONE"})
		others := waiting(other, shop.Purchase{PriceID: price})
		if b, err := c.wallets.Balance(t.Context(), leaver); err != nil || b.Held != 300 {
			t.Fatalf("before: %+v, %v", b, err)
		}

		closing := func() error {
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error { return c.Close(ctx, tx, leaver) })
		}
		if err := closing(); err != nil {
			t.Fatal(err)
		}

		for o, want := range map[*shop.Order]shop.State{
			paid: shop.Paid, pending: shop.Cancelled,
			others: shop.Pending,
		} {
			if got := c.order(t, o.UserID, o.ID); got.State != want {
				t.Errorf("order %d is %s, want %s", o.ID, got.State, want)
			}
		}
		if b, err := c.wallets.Balance(t.Context(), leaver); err != nil || b.Held != 0 || b.Posted != 300 {
			t.Errorf("the wallet has %+v, %v", b, err)
		}
		recharges, _, err := c.wallets.Recharges(t.Context(), leaver, 10, 0)
		if err != nil || len(recharges) != 1 || recharges[0].State != wallet.RechargeExpired {
			t.Errorf("%+v, %v", recharges, err)
		}
		if left, err := c.Plan(t.Context(), plan.ID); err != nil || *left.Stock != 1 {
			t.Errorf("%d are left, %v", *left.Stock, err)
		}
		waiting(other, shop.Purchase{PriceID: price, Coupon: "ONE"})
		if err := closing(); err != nil {
			t.Error("with nothing pending: ", err)
		}
		c.sound(t)
	})
}

func (c *counter) order(t *testing.T, user, no int64) *shop.Order {
	t.Helper()
	o, err := c.Order(t.Context(), user, strconv.FormatInt(no, 10))
	if err != nil {
		t.Fatal(err)
	}
	return o
}
