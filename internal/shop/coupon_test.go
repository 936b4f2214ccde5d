package shop_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/money"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

func (c *counter) coupon(t *testing.T, coupon shop.Coupon) shop.Coupon {
	t.Helper()
	coupon.Enabled = true
	made, err := c.AddCoupon(t.Context(), coupon, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// bringing returns what begins the recharge of what an order of the user lacks.
func (c *counter) bringing(user int64) shop.RechargeFunc {
	return func(ctx context.Context, tx bun.Tx, missing money.Amount, waits time.Duration) (int64, error) {
		r, err := c.wallets.StartRecharge(ctx, tx, user, wallet.Charge{
			Gateway: "test", Amount: missing, PayAmount: missing, PayCurrency: "CNY", Waits: waits,
		})
		if err != nil {
			return 0, err
		}
		return r.ID, nil
	}
}

// wait places an order that the wallet does not cover, so that it waits for a recharge.
func (c *counter) wait(ctx context.Context, user int64, p shop.Purchase) (int64, error) {
	var no int64
	err := c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		no, err = c.Place(ctx, tx, user, p, c.bringing(user))
		return err
	})
	return no, err
}

// wrong tells the code of what is wrong with the field coupon.
func wrong(err error) string {
	if f, ok := fault.As(err); ok && len(f.Fields) == 1 && f.Fields[0].Name == "coupon" {
		return f.Fields[0].Code
	}
	return fmt.Sprint(err)
}

func TestACouponLowersThePriceAndTheOrderKeepsIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan, user := c.plan(t, nil), c.user(t, 10000)
		month := plan.Prices[0]
		c.coupon(t, shop.Coupon{Code: "third", Percent: ptr(33)})
		c.coupon(t, shop.Coupon{Code: "SEVEN", Amount: 700})
		c.coupon(t, shop.Coupon{Code: "MORE", Amount: 5000})
		c.coupon(t, shop.Coupon{Code: "ALL", Percent: ptr(100)})
		for _, want := range []struct {
			code             string
			discount, amount money.Amount
		}{{" Third ", 330, 670}, {"seven", 700, 300}, {"MORE", 1000, 0}, {"all", 1000, 0}} {
			what := shop.Purchase{PriceID: month.ID, Coupon: want.code}
			q, err := c.PreOrder(t.Context(), user, what)
			if err != nil || q.Discount != want.discount || q.Amount != want.amount || q.Missing != 0 {
				t.Fatalf("%s: %+v, %v", want.code, q, err)
			}
			o := c.buy(t, user, what)
			if o.Price != 1000 || o.Discount != want.discount || o.Amount != want.amount || o.Terms.Coupon == "" ||
				o.Service == nil {
				t.Fatalf("%s: %+v", want.code, o)
			}
		}
		if got := c.balance(t, user); got != 10000-670-300 {
			t.Error("the wallet has ", got)
		}
		coupons, total, err := c.Coupons(t.Context(), 10, 0)
		if err != nil || total != 4 || coupons[0].Code != "ALL" || coupons[0].Taken != 1 {
			t.Fatalf("%+v, %v", coupons, err)
		}
		c.sound(t)
	})
}

func TestACouponCountsOnlyWhereItShould(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		plan, user := c.plan(t, nil), c.user(t, 100000)
		other := c.plan(t, nil)
		month, quarter := plan.Prices[0].ID, plan.Prices[1].ID
		try := func(price int64, code string) string {
			t.Helper()
			what := shop.Purchase{PriceID: price, Coupon: code}
			_, asked := c.PreOrder(t.Context(), user, what)
			_, bought := c.Confirm(t.Context(), user, what)
			if wrong(asked) != wrong(bought) {
				t.Errorf("%s: asking says %v, buying %v", code, asked, bought)
			}
			return wrong(bought)
		}
		c.coupon(t, shop.Coupon{Code: "LATER", Percent: ptr(10), ValidFrom: now.Add(time.Hour)})
		c.coupon(t, shop.Coupon{Code: "PAST", Percent: ptr(10), ValidFrom: now.Add(-2 * time.Hour), ValidTo: ptr(now)})
		c.coupon(t, shop.Coupon{Code: "OTHER", Percent: ptr(10), Plans: []int64{other.ID}})
		c.coupon(t, shop.Coupon{Code: "LONG", Percent: ptr(10), Months: []int{3}})
		c.coupon(t, shop.Coupon{Code: "DEAR", Percent: ptr(10), Minimum: 1001})
		c.coupon(t, shop.Coupon{Code: "FIRST", Percent: ptr(10), FirstOnly: true})
		c.coupon(t, shop.Coupon{Code: "ONCE", Percent: ptr(10), PerUser: ptr(int64(1))})
		off := c.coupon(t, shop.Coupon{Code: "OFF", Percent: ptr(10)})
		if _, err := c.ChangeCoupon(t.Context(), off.ID, func(c *shop.Coupon) { c.Enabled = false }, nil); err != nil {
			t.Fatal(err)
		}
		for code, want := range map[string]string{
			"NONE": "unknown", "OFF": "unknown", "LATER": "not_yet",
			"PAST": "expired", "OTHER": "other_plan", "LONG": "other_plan", "DEAR": "minimum",
		} {
			if got := try(month, code); got != want {
				t.Errorf("%s: %s, want %s", code, got, want)
			}
		}
		for _, code := range []string{"FIRST", "LONG", "DEAR", "ONCE"} {
			c.buy(t, user, shop.Purchase{PriceID: quarter, Coupon: code})
		}
		for code, want := range map[string]string{"FIRST": "first_only", "ONCE": "per_user"} {
			if got := try(quarter, code); got != want {
				t.Errorf("%s again: %s, want %s", code, got, want)
			}
		}
		guess := func() error {
			_, err := c.PreOrder(t.Context(), user, shop.Purchase{PriceID: month, Coupon: "GUESS"})
			return err
		}
		for range 40 {
			if err := guess(); errors.Is(err, limit.ErrTooMany) {
				c.sound(t)
				return
			}
		}
		t.Error("one may guess for ever")
	})
}

func TestAnOrderThatEndsUnpaidGivesItsCouponBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		price := c.plan(t, nil).Prices[0].ID
		c.coupon(t, shop.Coupon{
			Code: "ONE", Percent: ptr(10), Total: ptr(int64(1)), PerUser: ptr(int64(1)),
			FirstOnly: true,
		})
		what := shop.Purchase{PriceID: price, Coupon: "ONE"}
		first, second := c.user(t, 0), c.user(t, 0)
		no, err := c.wait(t.Context(), first, what)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.wait(t.Context(), second, what); wrong(err) != "used_up" {
			t.Fatal("a reserved coupon: ", err)
		}
		if _, err := c.PreOrder(t.Context(), second, what); wrong(err) != "used_up" {
			t.Fatal("a reserved coupon: ", err)
		}
		c.sound(t)
		if err := c.Cancel(t.Context(), first, strconv.FormatInt(no, 10)); err != nil {
			t.Fatal(err)
		}
		if _, err = c.wait(t.Context(), second, what); err != nil {
			t.Fatal("given back: ", err)
		}
		now = now.Add(time.Hour)
		if err := c.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err = c.wait(t.Context(), first, what); err != nil {
			t.Fatal("given back by time: ", err)
		}
		c.sound(t)
	})
}

func TestACouponIsTakenExactlyAsOftenAsItMay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const users, tries = 50, 20
		c := open(t, d)
		price := c.plan(t, nil).Prices[0].ID
		c.coupon(t, shop.Coupon{Code: "TEN", Amount: 900, Total: ptr(int64(10)), PerUser: ptr(int64(2))})
		c.coupon(t, shop.Coupon{Code: "ELEVEN", Amount: 900, Total: ptr(int64(11)), FirstOnly: true})
		for range users {
			c.user(t, 10000)
		}
		var taken [2]atomic.Int64
		var wg sync.WaitGroup
		for i := range users * tries {
			wg.Go(func() {
				n := i % 2
				err := dbtest.Patiently(func() error {
					_, err := c.Confirm(t.Context(), int64(i%users)+1, shop.Purchase{
						PriceID: price,
						Coupon:  []string{"TEN", "ELEVEN"}[n],
					})
					return err
				})
				switch wrong(err) {
				case "<nil>":
					taken[n].Add(1)
				case "used_up", "per_user", "first_only":
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if taken[0].Load() != 10 || taken[1].Load() != 11 {
			t.Errorf("%d and %d orders have the coupons", taken[0].Load(), taken[1].Load())
		}
		c.sound(t)
	})
}

// Staff lowers how often one may while a user tries again: either may come first, but not both may have their way.
func TestACouponChangedBesideItsUseKeepsItsLimits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		price, user := c.plan(t, nil).Prices[0].ID, c.user(t, 100000)
		for round := range 30 {
			coupon := c.coupon(t, shop.Coupon{Code: fmt.Sprint("ROUND-", round), Amount: 900, PerUser: ptr(int64(2))})
			what := shop.Purchase{PriceID: price, Coupon: coupon.Code}
			c.buy(t, user, what)
			var bought, changed error
			var wg sync.WaitGroup
			wg.Go(func() { _, bought = c.Confirm(t.Context(), user, what) })
			wg.Go(func() {
				_, changed = c.ChangeCoupon(t.Context(), coupon.ID, func(c *shop.Coupon) { c.PerUser = ptr(int64(1)) },
					nil)
			})
			wg.Wait()
			if (bought == nil) == (changed == nil) {
				t.Fatalf("round %d: the purchase %v, the change %v", round, bought, changed)
			}
		}
		c.sound(t)
	})
}

func TestACouponChanges(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, nil)
		what := shop.Purchase{PriceID: plan.Prices[0].ID, Coupon: "SPRING"}
		coupon := c.coupon(t, shop.Coupon{
			Code: "SPRING", Percent: ptr(10), Total: ptr(int64(2)),
			PerUser: ptr(int64(2)),
		})
		first, second := c.user(t, 10000), c.user(t, 10000)
		c.buy(t, first, what)
		bought := c.buy(t, first, what)
		change := func(change func(*shop.Coupon)) (shop.Coupon, error) {
			return c.ChangeCoupon(t.Context(), coupon.ID, change, nil)
		}
		for field, lower := range map[string]func(*shop.Coupon){
			"total":    func(c *shop.Coupon) { c.Total = ptr(int64(1)) },
			"per_user": func(c *shop.Coupon) { c.PerUser = ptr(int64(1)) },
			"valid_to": func(c *shop.Coupon) { c.ValidTo = ptr(c.ValidFrom) },
			"plans":    func(c *shop.Coupon) { c.Plans = []int64{999} },
		} {
			_, err := change(lower)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		if _, err := c.Confirm(t.Context(), second, what); wrong(err) != "used_up" {
			t.Fatal(err)
		}
		until := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
		changed, err := change(func(c *shop.Coupon) {
			c.Total, c.PerUser, c.ValidTo, c.Plans, c.Minimum = ptr(int64(3)), nil, &until, []int64{plan.ID}, 1000
			c.Code, c.Percent, c.Amount, c.Taken = "OTHER", nil, 5, 0 // what a coupon is stays
		})
		if err != nil || changed.Code != "SPRING" || *changed.Percent != 10 || changed.Amount != 0 ||
			changed.Taken != 2 || *changed.Total != 3 || !changed.ValidTo.Equal(until) {
			t.Fatalf("%+v, %v", changed, err)
		}
		c.buy(t, second, what)
		if _, err := change(func(c *shop.Coupon) { c.Total, c.Enabled = nil, false }); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Confirm(t.Context(), second, what); wrong(err) != "unknown" {
			t.Fatal(err)
		}
		if _, err := change(func(c *shop.Coupon) { c.Enabled = true }); err != nil {
			t.Fatal(err)
		}
		c.buy(t, second, what)
		if o, err := c.Order(t.Context(), first, strconv.FormatInt(bought.ID, 10)); err != nil || o.Discount != 100 {
			t.Errorf("the order has %+v, %v", o, err)
		}
		if _, err := c.ChangeCoupon(t.Context(), 999, func(*shop.Coupon) {}, nil); !errors.Is(err, shop.ErrNoCoupon) {
			t.Error(err)
		}
		c.sound(t)
	})
}

func TestWrongCouponsNameTheField(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	c.coupon(t, shop.Coupon{Code: "THERE", Percent: ptr(10)})
	for name, coupon := range map[string]shop.Coupon{
		"code length":     {Code: "A!", Percent: ptr(10)},
		"code taken":      {Code: "there", Percent: ptr(10)},
		"percent neither": {Code: "ABC"},
		"percent both":    {Code: "ABC", Percent: ptr(10), Amount: 1},
		"percent range":   {Code: "ABC", Percent: ptr(101)},
		"amount range":    {Code: "ABC", Amount: -1},
		"valid_to order":  {Code: "ABC", Percent: ptr(10), ValidTo: ptr(time.Now().Add(-time.Hour))},
		"total range":     {Code: "ABC", Percent: ptr(10), Total: ptr(int64(0))},
		"per_user range":  {Code: "ABC", Percent: ptr(10), PerUser: ptr(int64(0))},
		"minimum range":   {Code: "ABC", Percent: ptr(10), Minimum: -1},
		"plans unknown":   {Code: "ABC", Percent: ptr(10), Plans: []int64{999}},
	} {
		var field string
		_, _ = fmt.Sscan(name, &field)
		_, err := c.AddCoupon(t.Context(), coupon, nil)
		if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v", name, err)
		}
	}
}
