package shop_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/shop"
)

func TestARefundGivesTheUnusedPartBackAndEndsTheService(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan, user := c.plan(t, nil), c.user(t, 5000)
		first := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		renewal := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 3), RenewServiceID: first.Service})
		c.use(t, *first.Service, 50<<30)
		sum, err := c.Refund(t.Context(), renewal.ID, "of no use to me", nil)
		if err != nil || sum != 500+2700 || c.balance(t, user) != 5000-1000-2700+sum {
			t.Fatal(sum, c.balance(t, user), err)
		}
		for _, o := range []*shop.Order{first, renewal} {
			if o, err = c.Order(t.Context(), user, o.UUID.String()); err != nil || o.State != shop.Refunded {
				t.Error(o.State, err)
			}
			if _, err := c.Refund(t.Context(), o.ID, "again", nil); !errors.Is(err, shop.ErrNothingToRefund) {
				t.Error("refunded twice:", err)
			}
		}
		if access, err := c.services.Access(t.Context(), user); err != nil || access.Allowed {
			t.Error(access, err)
		}
		c.sound(t)
	})
}

func TestARefundOfAPackageGivesItsUnusedTraffic(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		pack := c.plan(t, func(p *shop.Plan) {
			p.Kind, p.TrafficBytes, p.Prices = shop.KindPackage, ptr[int64](10<<30), []shop.Price{{Amount: 500}}
		})
		user := c.user(t, 500)
		o := c.buy(t, user, shop.Purchase{PriceID: pack.Prices[0].ID})
		if sum, err := c.Refund(t.Context(), o.ID, "bought twice", nil); err != nil || sum != 500 || c.balance(t, user) != 500 {
			t.Fatal(sum, err)
		}
		if _, packages, err := c.services.List(t.Context(), user); err != nil || len(packages) != 0 {
			t.Error(packages, err)
		}
		c.sound(t)
	})
}

func TestARefundIsAskedForAndDecidedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan, user, stranger := c.plan(t, nil), c.user(t, 1000), c.user(t, 0)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		id := o.UUID.String()
		var f *fault.Error
		if _, err := c.RequestRefund(t.Context(), user, id, "  "); !errors.As(err, &f) || f.Fields[0].Name != "reason" {
			t.Error("without a reason:", err)
		}
		if _, err := c.RequestRefund(t.Context(), stranger, id, "mine"); !errors.Is(err, shop.ErrNoOrder) {
			t.Error("somebody else's order:", err)
		}
		declined, err := c.RequestRefund(t.Context(), user, id, "too slow")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.RequestRefund(t.Context(), user, id, "too slow"); !errors.Is(err, shop.ErrRequestExists) {
			t.Error("asked twice:", err)
		}
		if _, err := c.DecideRefund(t.Context(), declined.ID, false, "please try another node", nil); err != nil {
			t.Fatal(err)
		}
		if err := c.WithdrawRefundRequest(t.Context(), user, declined.ID); !errors.Is(err, shop.ErrRequestEnded) {
			t.Error("withdrawn after the end:", err)
		}
		granted, err := c.RequestRefund(t.Context(), user, id, "still too slow")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.WithdrawRefundRequest(t.Context(), stranger, granted.ID); !errors.Is(err, shop.ErrNoRequest) {
			t.Error("withdrawn by somebody else:", err)
		}
		var done atomic.Int32
		var wait sync.WaitGroup
		for range 8 { // two members of staff and their double clicks
			wait.Go(func() {
				_, err := c.DecideRefund(t.Context(), granted.ID, true, "sorry", nil)
				if err == nil {
					done.Add(1)
				} else if !errors.Is(err, shop.ErrRequestEnded) {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if done.Load() != 1 || c.balance(t, user) != 1000 {
			t.Error(done.Load(), c.balance(t, user))
		}
		all, total, err := c.RefundRequests(t.Context(), user, "", 10, 0)
		if err != nil || total != 2 || all[0].Answer != "please try another node" || all[1].State != shop.RequestGranted {
			t.Error(all, err)
		}
		c.sound(t)
	})
}
