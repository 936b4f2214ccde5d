package shop_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// Ways to give a service back. Each takes the service of o, which its user bought in two periods, and a price to change
// to.
var waysToGiveBack = map[string]func(t *testing.T, c *counter, o *shop.Order, other int64){
	"a change": func(t *testing.T, c *counter, o *shop.Order, other int64) {
		c.buy(t, o.UserID, shop.Purchase{PriceID: other, ChangeServiceID: o.Service})
	},
	"a refund": func(t *testing.T, c *counter, o *shop.Order, _ int64) {
		if _, err := c.Refund(t.Context(), o.ID, "test", nil); err != nil {
			t.Fatal(err)
		}
	},
	"the closing of the account": func(t *testing.T, c *counter, o *shop.Order, _ int64) {
		if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return c.services.Close(ctx, tx,
				o.UserID)
		}); err != nil {
			t.Fatal(err)
		}
	},
}

func TestGivenBackService_NothingBringsItBackOrPaysForItAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		light := c.plan(t, func(p *shop.Plan) {
			p.Name, p.Prices = "Light", []shop.Price{{Months: 1, Amount: 1200}, {Months: 12, Amount: 12000}}
		})
		standard := c.plan(t, func(p *shop.Plan) {
			p.Name, p.Prices = "Standard",
				[]shop.Price{{Months: 12, Amount: 24000}}
		})
		for name, giveBack := range waysToGiveBack {
			t.Run(name, func(t *testing.T) {
				user := c.user(t, 100000)
				first := c.buy(t, user, shop.Purchase{PriceID: priceOf(light, 12), AutoRenew: true})
				last := c.buy(t, user, shop.Purchase{PriceID: priceOf(light, 12), RenewServiceID: first.Service})
				waiting := c.placeWithRecharge(t, user, shop.Purchase{
					PriceID:        priceOf(light, 12),
					RenewServiceID: first.Service,
				}, 75000)
				giveBack(t, c, first, standard.Prices[0].ID)
				before := c.balance(t, user)

				renewal := shop.Purchase{PriceID: priceOf(light, 1), RenewServiceID: first.Service}
				if _, err := c.PreOrder(t.Context(), user, renewal); !errors.Is(err, service.ErrGivenBack) {
					t.Errorf("the price of a renewal: %v, want %v", err, service.ErrGivenBack)
				}
				if _, err := c.Confirm(t.Context(), user, renewal); !errors.Is(err, service.ErrGivenBack) {
					t.Errorf("a renewal: %v, want %v", err, service.ErrGivenBack)
				}
				if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					return c.services.Extend(ctx, tx, service.Extension{
						UserID: user, ServiceID: *first.Service,
						Days: 1,
					})
				}); !errors.Is(err, service.ErrGivenBack) {
					t.Errorf("a gift: %v, want %v", err, service.ErrGivenBack)
				}
				if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					return c.services.SetAutoRenew(ctx, tx, user, *first.Service, true)
				}); !errors.Is(err, service.ErrGivenBack) {
					t.Errorf("automatic renewal, read before: %v, want %v", err, service.ErrGivenBack)
				}
				change := shop.Purchase{PriceID: standard.Prices[0].ID, ChangeServiceID: first.Service}
				if _, err := c.Confirm(t.Context(), user, change); !errors.Is(err, shop.ErrEnded) {
					t.Errorf("another change: %v, want %v", err, shop.ErrEnded)
				}
				if _, err := c.SetAutoRenew(t.Context(), user, *first.Service, true, nil); !errors.Is(err,
					shop.ErrEnded) {
					t.Errorf("automatic renewal: %v, want %v", err, shop.ErrEnded)
				}
				for _, o := range []*shop.Order{first, last} {
					if sum, err := c.Refundable(t.Context(), user, o.UUID.String()); err != nil || sum != 0 {
						t.Errorf("refundable of order %d: %s, %v", o.ID, sum, err)
					}
					if _, err := c.Refund(t.Context(), o.ID, "again", nil); !errors.Is(err, shop.ErrNothingToRefund) {
						t.Errorf("a refund of order %d: %v", o.ID, err)
					}
					if _, err := c.RequestRefund(t.Context(), user, o.UUID.String(), "again"); !errors.Is(err,
						shop.ErrNothingToRefund) {
						t.Errorf("a refund request for order %d: %v", o.ID, err)
					}
				}
				if got := c.balance(t, user); got != before {
					t.Errorf("the balance changed from %s to %s", before, got)
				}
				if state := c.payRecharge(t, waiting, "T-"+name); state != shop.Cancelled {
					t.Errorf("the renewal that waited for money is %s, want %s", state, shop.Cancelled)
				}
				if got := c.balance(t, user); got <= before {
					t.Errorf("the recharge of the cancelled order is not in the wallet: %s, %s before", got, before)
				}
				v, err := c.services.Get(t.Context(), user, *first.Service)
				if err != nil || v.Running(d.Now()) || v.AutoRenew {
					t.Errorf("the service runs again: %+v, %v", v, err)
				}
				c.sound(t)
			})
		}
	})
}

// A service that merely expired may be renewed. What was paid for the time before its end is used up.
func TestExpiredService_RenewsAndCreditsOnlyTheNewPeriod(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 12, Amount: 24000}} })
		user := c.user(t, 100000)
		first := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 3)})
		c.days(120)
		renewal := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1), RenewServiceID: first.Service})
		if renewal.Service == nil || *renewal.Service != *first.Service {
			t.Fatalf("the renewal led to %+v", renewal)
		}
		changed := c.buy(t, user, shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: first.Service})
		near(t, "credit", changed.Credit, 1000)
		c.sound(t)
	})
}

// Each renewal of a plan that never resets brings its quota. What was bought first is used first.
func TestNeverResetRenewal_BringsTrafficAndIsCreditedByIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, func(p *shop.Plan) { p.Reset = service.Never })
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 12, Amount: 24000}} })
		for name, one := range map[string]struct {
			used   int64 // after the first purchase
			more   int64 // after the renewal
			credit money.Amount
		}{
			"nothing used":                        {0, 0, 2000},
			"half of the first quota":             {50 << 30, 0, 1500},
			"the first quota, then a renewal":     {100 << 30, 0, 1000},
			"the first quota and more than it":    {130 << 30, 0, 700},
			"half of the quota that was added":    {100 << 30, 50 << 30, 500},
			"everything":                          {100 << 30, 120 << 30, 0},
			"renewed before anything was used up": {0, 100 << 30, 1000},
		} {
			t.Run(name, func(t *testing.T) {
				user := c.user(t, 30000)
				o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
				c.use(t, *o.Service, one.used)
				c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1), RenewServiceID: o.Service})
				a, err := c.services.Access(t.Context(), user)
				if err != nil || a.State != service.Active || *a.RemainingBytes != 200<<30-one.used {
					t.Errorf("after the renewal: %s, %d bytes left, %v", a.State, *a.RemainingBytes, err)
				}
				c.use(t, *o.Service, one.more)
				q, err := c.PreOrder(t.Context(), user, shop.Purchase{
					PriceID:         other.Prices[0].ID,
					ChangeServiceID: o.Service,
				})
				if err != nil {
					t.Fatal(err)
				}
				near(t, "credit", q.Credit, one.credit)
				if one.credit > 0 {
					near(t, "refund", must(c.Refund(t.Context(), o.ID, "test", nil)), one.credit)
				}
				c.sound(t)
			})
		}
	})
}

// What staff gives by beginning a quota anew is used first and is worth no money, however often it is given.
func TestQuotaBegunAnewByStaff_IsNotPaidBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 12, Amount: 24000}} })
		for _, reset := range []service.Reset{service.Anniversary, service.CalendarMonth, service.Never} {
			plan := c.plan(t, func(p *shop.Plan) { p.Name, p.Reset = string(reset), reset })
			for name, one := range map[string]struct {
				used   []int64 // GB before the first gift, between the gifts, and after the last one
				credit money.Amount
			}{
				"all was used":                 {[]int64{100, 0}, 0},
				"all was used again and again": {[]int64{100, 100, 100, 0}, 0},
				"some was used":                {[]int64{40, 0}, 600},
				"some, and less of the gift":   {[]int64{40, 30}, 600},
				"some, and more than the gift": {[]int64{40, 90}, 100},
				"little of a second gift":      {[]int64{40, 90, 10}, 100},
			} {
				t.Run(string(reset)+"/"+name, func(t *testing.T) {
					user := c.user(t, 30000)
					o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
					for i, gb := range one.used {
						if i > 0 {
							c.beginAnew(t, user, *o.Service)
						}
						c.use(t, *o.Service, gb<<30)
					}
					change := shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: o.Service}
					near(t, "credit", must(c.PreOrder(t.Context(), user, change)).Credit, one.credit)
					near(t, "refundable", must(c.Refundable(t.Context(), user, o.UUID.String())), one.credit)
					c.sound(t)
				})
			}
		}
	})
}

// A quota that its plan began anew is paid for, whatever was used and given in the one before.
func TestNextQuota_AfterAGiftOfStaff_IsPaidBackWhole(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, func(p *shop.Plan) { p.Prices = []shop.Price{{Months: 2, Amount: 2000}} })
		user := c.user(t, 30000)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 2)})
		c.use(t, *o.Service, 100<<30)
		c.beginAnew(t, user, *o.Service)
		near(t, "in the first month", must(c.Refundable(t.Context(), user, o.UUID.String())), 1000)
		c.days(32)
		timetable := job.New(d)
		c.services.Register(timetable)
		if err := timetable.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		left := must(c.Refundable(t.Context(), user, o.UUID.String()))
		if left < 850 || left > 1000 {
			t.Errorf("in the second month %s is left of 20.00, want what its days are worth", left)
		}
	})
}

func (c *counter) beginAnew(t *testing.T, user, serviceID int64) {
	t.Helper()
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return c.services.ResetTraffic(ctx, tx, user, serviceID)
	}); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// placeWithRecharge makes an order that waits for a recharge: all but a cent of what the user has is put aside
// meanwhile.
func (c *counter) placeWithRecharge(t *testing.T, user int64, what shop.Purchase, aside money.Amount) *shop.Order {
	t.Helper()
	hold := wallet.Reference{Kind: "test", ID: rand.Int64()}
	var no int64
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
		available, err := c.wallets.Lock(ctx, tx, user)
		if err != nil {
			return err
		}
		if kept := min(aside, available); kept > 0 {
			if err := c.wallets.Hold(ctx, tx, user, kept, hold); err != nil {
				return err
			}
		}
		no, err = c.Place(ctx, tx, user, what, c.bringing(user))
		if err != nil {
			return err
		}
		return c.wallets.EndHold(ctx, tx, hold)
	}); err != nil {
		t.Fatal(err)
	}
	o, err := c.Order(t.Context(), user, strconv.FormatInt(no, 10))
	if err != nil || o.State != shop.Pending {
		t.Fatal(o, err)
	}
	return o
}

// payRecharge pays the recharge that an order waits for, and gives the state of the order afterwards.
func (c *counter) payRecharge(t *testing.T, o *shop.Order, transaction string) shop.State {
	t.Helper()
	r, err := c.wallets.Recharge(t.Context(), o.UserID, o.RechargeUUID.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		if err := c.LockCompletion(ctx, tx, o); err != nil {
			return err
		}
		if _, err := c.wallets.Credit(ctx, tx, r, transaction); err != nil {
			return err
		}
		_, err := c.Complete(ctx, tx, o)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	after, err := c.Order(t.Context(), o.UserID, o.UUID.String())
	if err != nil {
		t.Fatal(err)
	}
	return after.State
}
