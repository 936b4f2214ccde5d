package shop_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

// held is what a user has of one order in a plain reckoning: so much money for this time.
type held struct {
	worth    money.Amount
	from, to time.Time
}

// Whatever somebody buys, changes, renews early and gives back, over ends of months and a 29th of February, the time
// that they had costs them what it was sold for, but for a cent a step.
func TestNoSequenceGivesMoreThanWasPaid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		now := time.Date(2027, 1, 1, 4, 0, 0, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		var plans []*shop.Plan
		for _, one := range []struct {
			reset  service.Reset
			prices []shop.Price
		}{
			{service.Anniversary, []shop.Price{{Months: 1, Amount: 1000}, {Months: 12, Amount: 9000}}},
			{service.CalendarMonth, []shop.Price{{Months: 1, Amount: 333}, {Months: 3, Amount: 999}}},
			{service.Never, []shop.Price{{Months: 1, Amount: 4999}, {Months: 24, Amount: 50001}}},
		} {
			plans = append(plans, c.plan(t, func(p *shop.Plan) { p.Reset, p.Prices = one.reset, one.prices }))
		}
		timetable := job.New(d)
		c.services.Register(timetable)
		rapid.Check(t, func(rt *rapid.T) {
			ctx := context.Background()
			const begin = money.Amount(100_000_000)
			user := c.user(t, begin)
			now = time.Date(2027, 12, 28, 0, 0, 0, 0, time.UTC).
				Add(time.Duration(rapid.IntRange(0, 70*24).Draw(rt, "start")) * time.Hour)
			var running *shop.Order
			var periods []held // of the running service
			var fair float64   // what the time that was used is worth
			var spent, back money.Amount
			steps := 0
			settle := func() { // what of the running service was used by now
				for _, p := range periods {
					used := now.Sub(p.from)
					used = max(0, min(used, p.to.Sub(p.from)))
					fair += float64(p.worth) * float64(used) / float64(p.to.Sub(p.from))
				}
				running, periods = nil, nil
			}
			ended := func() bool { return running != nil && !now.Before(periods[len(periods)-1].to) }
			buy := func(what shop.Purchase, from time.Time) {
				before := c.balance(t, user)
				if _, err := c.PreOrder(ctx, user, what); errors.Is(err, shop.ErrCreditTooLarge) {
					rt.Skip("worth more than ten years")
				}
				o := c.buy(t, user, what)
				spent += before - c.balance(t, user)
				if what.ChangeServiceID != nil {
					settle()
				}
				periods = append(periods, held{o.Worth(), from, *o.EndsAt})
				if running == nil {
					running = o
				}
			}
			price := func() (int64, int64) {
				p := rapid.SampledFrom(plans).Draw(rt, "plan")
				return rapid.SampledFrom(p.Prices).Draw(rt, "price").ID, p.ID
			}
			rt.Repeat(map[string]func(*rapid.T){
				"wait": func(rt *rapid.T) {
					now = now.Add(time.Duration(rapid.IntRange(1, 40*24*60).Draw(rt, "minutes")) * time.Minute)
				},
				"buy": func(rt *rapid.T) {
					if ended() {
						settle()
					}
					if running != nil {
						rt.Skip("one at a time")
					}
					id, _ := price()
					buy(shop.Purchase{PriceID: id}, now)
					steps++
				},
				"change": func(rt *rapid.T) {
					id, plan := price()
					if running == nil || ended() || plan == running.PlanID {
						rt.Skip("nothing to change")
					}
					buy(shop.Purchase{PriceID: id, ChangeServiceID: running.Service}, now)
					steps += len(periods) + 1
				},
				"renew early": func(rt *rapid.T) {
					if running == nil || ended() || len(periods) > 4 {
						rt.Skip("nothing to renew")
					}
					for _, p := range plans {
						if p.ID == running.PlanID {
							buy(shop.Purchase{
								PriceID:        rapid.SampledFrom(p.Prices).Draw(rt, "price").ID,
								RenewServiceID: running.Service,
							}, periods[len(periods)-1].to)
						}
					}
					steps++
				},
				"use": func(rt *rapid.T) {
					if running == nil || ended() {
						rt.Skip("nothing to use")
					}
					c.use(t, *running.Service, rapid.Int64Range(0, 60<<30).Draw(rt, "bytes"))
				},
				"give back": func(rt *rapid.T) {
					if running == nil || ended() {
						rt.Skip("nothing to give back")
					}
					sum, err := c.Refund(ctx, running.ID, "test", nil)
					if errors.Is(err, shop.ErrNothingToRefund) {
						rt.Skip("all is used")
					}
					if err != nil {
						rt.Fatal(err)
					}
					back += sum
					steps += len(periods)
					settle()
				},
				"": func(rt *rapid.T) {
					if err := timetable.Work(ctx); err != nil { // ends services and begins their cycles
						rt.Fatal(err)
					}
					if b := c.balance(t, user); b != begin-spent+back {
						rt.Fatalf("the wallet has %s, %s was paid and %s came back", b, spent, back)
					}
					if paid := float64(spent - back); running == nil && paid < fair-float64(steps) {
						rt.Fatalf("%.2f was paid for what is worth %.2f", paid/100, fair/100)
					}
				},
			})
		})
		c.sound(t)
	})
}

func TestMain(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "rapid.checks" })
	if !set {
		flag.Set("rapid.checks", "12") // make stress gives more
	}
	os.Exit(m.Run())
}
