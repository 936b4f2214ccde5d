package shop_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
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
		if sum, err := c.Refund(t.Context(), o.ID, "bought twice", nil); err != nil || sum != 500 ||
			c.balance(t, user) != 500 {
			t.Fatal(sum, err)
		}
		if _, packages, err := c.services.List(t.Context(), user); err != nil || len(packages) != 0 {
			t.Error(packages, err)
		}
		c.sound(t)
	})
}

// Of a package that expires, as of a period of a service, the smaller of what is left of its time and of its traffic is
// given back.
func TestRefund_PackageThatExpires_CountsTimeAndTraffic(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		start := time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC)
		pack := func(days *int) *shop.Plan {
			return c.plan(t, func(p *shop.Plan) {
				p.Kind, p.TrafficBytes, p.ValidDays, p.Prices = shop.KindPackage, ptr[int64](1000), days,
					[]shop.Price{{Amount: 500}}
			})
		}
		ofTenDays, endless := pack(ptr(10)), pack(nil)
		for name, one := range map[string]struct {
			plan *shop.Plan
			days int
			used int64
			want money.Amount
		}{
			"at once":                        {ofTenDays, 0, 0, 500},
			"half of the time":               {ofTenDays, 5, 0, 250},
			"half of the time, less traffic": {ofTenDays, 5, 900, 50},
			"half of the traffic, less time": {ofTenDays, 8, 500, 100},
			"rounded down":                   {ofTenDays, 0, 333, 333},
			"expired":                        {ofTenDays, 10, 0, 0},
			"without an expiry":              {endless, 5000, 100, 450},
		} {
			t.Run(name, func(t *testing.T) {
				c.db.SetClock(func() time.Time { return start })
				user := c.user(t, 500)
				o := c.buy(t, user, shop.Purchase{PriceID: one.plan.Prices[0].ID})
				if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(`UPDATE package SET used = ?0, down = ?0 WHERE id = ?1`, one.used, *o.Package).
						Exec(ctx)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				c.days(one.days)
				quote, err := c.Refundable(t.Context(), user, o.UUID.String())
				if err != nil || quote != one.want {
					t.Errorf("the quote of a refund is %s, %v; want %s", quote, err, one.want)
				}
				sum, err := c.Refund(t.Context(), o.ID, "not needed", nil)
				if (err == nil) != (one.want > 0) || sum != one.want || c.balance(t, user) != one.want {
					t.Errorf("a refund gave %s, %v, and the wallet has %s; want %s", sum, err, c.balance(t, user),
						one.want)
				}
				c.sound(t)
			})
		}
	})
}

func TestARefundIsAskedForAndDecidedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan, user, other := c.plan(t, nil), c.user(t, 1000), c.user(t, 0)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		id := o.UUID.String()
		var f *fault.Error
		if _, err := c.RequestRefund(t.Context(), user, id, "  "); !errors.As(err, &f) || f.Fields[0].Name != "reason" {
			t.Error("without a reason:", err)
		}
		if _, err := c.RequestRefund(t.Context(), other, id, "mine"); !errors.Is(err, shop.ErrNoOrder) {
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
		if err := c.WithdrawRefundRequest(t.Context(), other, granted.ID); !errors.Is(err, shop.ErrNoRequest) {
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
		all, total, err := c.RefundRequests(t.Context(), shop.RequestFilter{UserID: user, Limit: 10})
		if err != nil || total != 2 || all[0].Answer != "please try another node" ||
			all[1].State != shop.RequestGranted {
			t.Error(all, err)
		}
		c.sound(t)
	})
}
