package shop_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// use counts bytes on the user's service.
func (c *counter) use(t *testing.T, serviceID, bytes int64) {
	t.Helper()
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE service_cycle SET down = down + ?0, billed = billed + ?0 WHERE service_id = ?1
			AND ended_at IS NULL`, bytes, serviceID).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func (c *counter) days(n int) {
	then := c.db.Now().AddDate(0, 0, n)
	c.db.SetClock(func() time.Time { return then })
}

func near(t *testing.T, what string, got, want money.Amount) {
	t.Helper()
	if got > want || got < want-1 {
		t.Errorf("%s: %s, want %s or a cent less", what, got, want)
	}
}

func TestChangingThePlanCreditsWhatIsUnused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		start := time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC)
		c.db.SetClock(func() time.Time { return start })
		plan := c.plan(t, nil)
		better := c.plan(t, func(p *shop.Plan) {
			p.Name, p.Class = "Better", 3
			p.Prices = []shop.Price{{Months: 1, Amount: 3000}, {Months: 12, Amount: 30000}}
		})
		for name, one := range map[string]struct {
			months, renewals, days int
			used                   int64
			credit                 money.Amount
		}{
			"at once":                             {1, 0, 0, 0, 1000},
			"time is used":                        {1, 0, 15, 0, 500},
			"traffic is used":                     {1, 0, 0, 75 << 30, 250},
			"all traffic is used":                 {1, 0, 0, 100 << 30, 0},
			"overuse is no debt":                  {1, 0, 0, 120 << 30, 0},
			"the traffic of later months is left": {3, 0, 0, 100 << 30, 1800},
			"a renewal that has not begun":        {1, 1, 15, 50 << 30, 500 + 1000},
		} {
			t.Run(name, func(t *testing.T) {
				c.db.SetClock(func() time.Time { return start })
				user := c.user(t, 10000)
				first := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, one.months), AutoRenew: true})
				for range one.renewals {
					c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, one.months), RenewServiceID: first.Service})
				}
				c.days(one.days)
				c.use(t, *first.Service, one.used)
				before := c.balance(t, user)
				what := shop.Purchase{PriceID: priceOf(better, 1), ChangeServiceID: first.Service}
				q, err := c.PreOrder(t.Context(), user, what)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "credit", q.Credit, one.credit)
				if q.Amount != 3000-q.Credit || q.Change != 0 {
					t.Errorf("amount %s, change %s", q.Amount, q.Change)
				}
				o := c.buy(t, user, what)
				if paid := before - c.balance(t, user); paid != q.Amount || o.Credit != q.Credit {
					t.Errorf("paid %s, the quote said %s", paid, q.Amount)
				}
				services, _, err := c.services.List(t.Context(), user)
				if err != nil || len(services) != 2 || services[0].Name != "Better" || services[1].Running(c.db.Now()) {
					t.Fatal(services, err)
				}
				if access, err := c.services.Access(t.Context(), user); err != nil || access.Class != 3 {
					t.Error(access, err)
				}
				if _, err := c.PreOrder(t.Context(), user, what); !errors.Is(err, shop.ErrEnded) {
					t.Error("a service is credited twice:", err)
				}
				c.sound(t)
			})
		}
	})
}

func TestAChangeToACheaperPlanGivesTheRestToTheWallet(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0) // the clock does not move: no time is used
		if err := c.settings.Set(t.Context(),
			map[string]json.RawMessage{"change_credit": json.RawMessage(`"wallet"`)}); err != nil {
			t.Fatal(err)
		}
		dear := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Dear", []shop.Price{{Months: 12, Amount: 12000}} })
		cheap := c.plan(t, nil)
		user := c.user(t, 12000)
		o := c.buy(t, user, shop.Purchase{PriceID: dear.Prices[0].ID})
		changed := c.buy(t, user, shop.Purchase{PriceID: priceOf(cheap, 1), ChangeServiceID: o.Service})
		near(t, "balance", c.balance(t, user), 11000)
		if changed.Amount != 0 || changed.Change() != c.balance(t, user) {
			t.Errorf("%+v", changed)
		}
		movements, _, err := c.wallets.Movements(t.Context(), user, 1, 10)
		if err != nil || movements[0].Reason != wallet.PlanChange || movements[0].Amount != changed.Change() {
			t.Error(movements, err)
		}
		// What the cheap one is worth is its price, not what came back.
		back := c.buy(t, user, shop.Purchase{PriceID: dear.Prices[0].ID, ChangeServiceID: changed.Service})
		if back.Credit > 1000 {
			t.Error("credit of", back.Credit)
		}
		c.sound(t)
	})
}

// By default no change pays money out: what is left of the credit makes the new service longer, and is all that was
// paid for it.
func TestChange_KeepsTheRestOfTheCreditAsTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		start := time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC)
		c.db.SetClock(func() time.Time { return start })
		dear := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Dear", []shop.Price{{Months: 12, Amount: 12000}} })
		cheap := c.plan(t, nil)
		never := c.plan(t, func(p *shop.Plan) { p.Name, p.Reset = "Never", service.Never })
		free := c.plan(t, func(p *shop.Plan) {
			p.Name, p.Prices = "Free", []shop.Price{{Months: 1, Amount: 0}, {Months: 12, Amount: 1}}
		})
		for _, to := range []*shop.Plan{cheap, never} {
			c.db.SetClock(func() time.Time { return start })
			user := c.user(t, 12000)
			o := c.buy(t, user, shop.Purchase{PriceID: dear.Prices[0].ID})
			for _, price := range free.Prices {
				if _, err := c.PreOrder(t.Context(), user, shop.Purchase{
					PriceID:         price.ID,
					ChangeServiceID: o.Service,
				}); !errors.Is(err, shop.ErrCreditTooLarge) {
					t.Errorf("%d months for %s: %v, want %v", price.Months, price.Amount, err, shop.ErrCreditTooLarge)
				}
			}
			what := shop.Purchase{PriceID: priceOf(to, 1), ChangeServiceID: o.Service}
			q, err := c.PreOrder(t.Context(), user, what)
			if err != nil || q.Amount != 0 || q.Change != 0 || q.Kept != 11000 ||
				!q.EndsAt.Equal(start.AddDate(0, 0, 12*30)) {
				t.Fatalf("the quote is %+v, %v", q, err)
			}
			changed := c.buy(t, user, what)
			if c.balance(t, user) != 0 || changed.Change() != 0 || !changed.EndsAt.Equal(*q.EndsAt) {
				t.Errorf("%s in the wallet, the order is %+v", c.balance(t, user), changed)
			}
			v, err := c.services.Get(t.Context(), user, *changed.Service)
			if want := map[bool]int64{true: 1200 << 30, false: 100 << 30}[to == never]; err != nil ||
				*v.QuotaBytes != want {
				t.Errorf("the quota is %d, want %d; %v", *v.QuotaBytes, want, err)
			}
			c.days(90)
			sum, err := c.Refundable(t.Context(), user, changed.UUID.String())
			if err != nil || sum > 9000 || sum < 8999 {
				t.Errorf("after a quarter of the time %s of 120.00 is left, %v", sum, err)
			}
			again, err := c.PreOrder(t.Context(), user, shop.Purchase{
				PriceID:         dear.Prices[0].ID,
				ChangeServiceID: changed.Service,
			})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "the credit of the longer service", again.Credit, 9000)
			c.sound(t)
		}
	})
}

func TestOneServiceIsReplacedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name = "Other" })
		user := c.user(t, 100000)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		var done, refused atomic.Int32
		var wait sync.WaitGroup
		for range 16 {
			wait.Go(func() {
				_, err := c.Confirm(t.Context(), user, shop.Purchase{
					PriceID:         priceOf(other, 1),
					ChangeServiceID: o.Service,
				})
				switch {
				case err == nil:
					done.Add(1)
				case errors.Is(err, shop.ErrEnded):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if done.Load() != 1 || refused.Load() != 15 {
			t.Error(done.Load(), refused.Load())
		}
		c.sound(t)
	})
}

func TestAChangeIsRefusedWhereItMakesNoSense(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, nil)
		pack := c.plan(t, func(p *shop.Plan) { p.Kind, p.Prices = shop.KindPackage, []shop.Price{{Amount: 500}} })
		user, other := c.user(t, 10000), c.user(t, 10000)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		for name, one := range map[string]struct {
			user int64
			what shop.Purchase
			want error
		}{
			"the same plan": {
				user,
				shop.Purchase{PriceID: priceOf(plan, 3), ChangeServiceID: o.Service},
				shop.ErrSamePlan,
			},
			"a package": {
				user,
				shop.Purchase{PriceID: pack.Prices[0].ID, ChangeServiceID: o.Service},
				shop.ErrNoChange,
			},
			"somebody else's": {
				other,
				shop.Purchase{PriceID: priceOf(plan, 3), ChangeServiceID: o.Service},
				service.ErrNoService,
			},
			"one that never was": {
				user,
				shop.Purchase{PriceID: priceOf(plan, 3), ChangeServiceID: ptr[int64](99999)},
				service.ErrNoService,
			},
		} {
			if _, err := c.Confirm(t.Context(), one.user, one.what); !errors.Is(err, one.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		c.sound(t)
	})
}

// While its recharge is under way the old service may be used up; an order keeps its price, so it ends instead.
func TestAChangeWhoseCreditWasUsedUpMeanwhileIsCancelled(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 1, Amount: 5000}} })
		c.days(0)
		user := c.user(t, 1000)
		old := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		place := func() *shop.Order {
			t.Helper()
			var no int64
			if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
				no, err = c.Place(ctx, tx, user, shop.Purchase{
					PriceID:         other.Prices[0].ID,
					ChangeServiceID: old.Service,
				}, c.bringing(user))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			o, err := c.Order(t.Context(), user, strconv.FormatInt(no, 10))
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		pay := func(o *shop.Order, transaction string) shop.State {
			t.Helper()
			r, err := c.wallets.Recharge(t.Context(), user, o.RechargeUUID.String())
			if err != nil {
				t.Fatal(err)
			}
			if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				if _, err := c.wallets.Credit(ctx, tx, r, transaction); err != nil {
					return err
				}
				_, err := c.Complete(ctx, tx, o)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			after, err := c.Order(t.Context(), user, o.UUID.String())
			if err != nil {
				t.Fatal(err)
			}
			return after.State
		}
		first := place()
		c.use(t, *old.Service, 90<<30)
		if state := pay(first, "T1"); state != shop.Cancelled || c.balance(t, user) != first.Amount {
			t.Error(state, c.balance(t, user))
		}
		if v, err := c.services.Get(t.Context(), user, *old.Service); err != nil || !v.Running(c.db.Now()) {
			t.Error("the old service ended", err)
		}
		second := place()
		if state := pay(second, "T2"); state != shop.Paid || c.balance(t, user) != 0 {
			t.Error(state, c.balance(t, user))
		}
		c.sound(t)
	})
}

// The time between the order and its payment is used, so it is not credited: the credit is that of the moment at which
// the order expires, and the quote says the same.
func TestPendingChange_CreditsNoTimeThatPassesBeforeItIsPaid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		start := time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC)
		if err := c.settings.Set(t.Context(),
			map[string]json.RawMessage{"recharge_minutes": json.RawMessage(`1200`)}); err != nil {
			t.Fatal(err)
		}
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 1, Amount: 5000}} })
		for name, one := range map[string]struct {
			hours  int // until the order is paid
			state  shop.State
			credit money.Amount // by the time that is left of a service of 10.00 in 30 days
		}{
			"paid at once":           {0, shop.Paid, 972},
			"paid in the last hour":  {19, shop.Paid, 972},
			"paid after it expired":  {21, shop.Expired, 972},
			"paid after the service": {31 * 24, shop.Expired, 972},
		} {
			t.Run(name, func(t *testing.T) {
				c.db.SetClock(func() time.Time { return start })
				user := c.user(t, 1000)
				old := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
				what := shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: old.Service}
				q, err := c.PreOrder(t.Context(), user, what)
				if err != nil || q.Credit != one.credit || q.Amount != 5000-one.credit || q.Missing != q.Amount {
					t.Fatalf("the quote is %+v, %v; the credit should be %s", q, err, one.credit)
				}
				o := c.placeWithRecharge(t, user, what, 0)
				if o.Credit != q.Credit || o.Amount != q.Amount {
					t.Errorf("the order has a credit of %s and costs %s; the quote said %s and %s", o.Credit, o.Amount,
						q.Credit, q.Amount)
				}
				paidAt := start.Add(time.Duration(one.hours) * time.Hour)
				c.db.SetClock(func() time.Time { return paidAt })
				if state := c.payRecharge(t, o, "T-"+name); state != one.state {
					t.Errorf("the order is %s, want %s", state, one.state)
				}
				v, err := c.services.Get(t.Context(), user, *old.Service)
				if ended := v.EndedAt != nil; err != nil || ended != (one.state == shop.Paid) {
					t.Errorf("the old service: %+v, %v", v, err)
				}
				if want := map[bool]money.Amount{true: 0, false: o.Amount}[one.state == shop.Paid]; c.balance(t,
					user) != want {
					t.Errorf("the balance is %s, want %s", c.balance(t, user), want)
				}
				c.sound(t)
			})
		}
	})
}

// A wallet that covers the price pays at once, so nothing is taken off the credit.
func TestChange_PaidAtOnce_CreditsTheTimeThatIsLeftNow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 1, Amount: 5000}} })
		user := c.user(t, 5000)
		old := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		if o := c.buy(t, user, shop.Purchase{
			PriceID:         other.Prices[0].ID,
			ChangeServiceID: old.Service,
		}); o.Credit != 1000 || o.Amount != 4000 {
			t.Errorf("a credit of %s, %s to pay", o.Credit, o.Amount)
		}
		c.sound(t)
	})
}

func priceOf(p *shop.Plan, months int) int64 {
	for _, price := range p.Prices {
		if price.Months == months {
			return price.ID
		}
	}
	return 0
}

func TestPricesHaveAHistoryAndOrdersKeepTheirs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		now := time.Date(2026, 4, 1, 4, 0, 0, 0, time.UTC)
		c.db.SetClock(func() time.Time { return now })
		plan := c.plan(t, nil)
		user := c.user(t, 10000)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		c.days(1)
		if _, err := c.ChangePlan(t.Context(), plan.ID,
			func(p *shop.Plan) { p.Prices = []shop.Price{{Months: 1, Amount: 1500}} }); err != nil {
			t.Fatal(err)
		}
		c.days(1)
		if _, err := c.ChangePlan(t.Context(), plan.ID, func(p *shop.Plan) { p.Info = "the same prices" }); err != nil {
			t.Fatal(err)
		}
		var history []struct {
			Months  int
			Since   time.Time
			Amount  money.Amount
			Offered bool
		}
		if err := d.NewRaw(`SELECT p.months, h.since, h.amount, h.offered FROM price_history h JOIN price p
			ON p.id = h.price_id WHERE p.plan_id = ? ORDER BY h.since DESC, p.months`, plan.ID).
			Scan(t.Context(), &history); err != nil || len(history) != 4 {
			t.Fatal(history, err)
		}
		if h := history[0]; h.Months != 1 || h.Amount != 1500 || !h.Offered || !h.Since.Equal(now.AddDate(0, 0, 1)) {
			t.Error(h)
		}
		if h := history[1]; h.Months != 3 || h.Offered {
			t.Error(h)
		}
		if again, err := c.Order(t.Context(), user, o.UUID.String()); err != nil || again.Price != 1000 {
			t.Error(again, err)
		}
	})
}
