package shop_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

type counter struct {
	*shop.Shop
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	services *service.Services
	users    int64
}

func open(t *testing.T, d *db.DB) *counter {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w, s := wallet.New(d, settings), service.New(d, seal.Key{1}, settings)
	return &counter{
		Shop: shop.New(d, settings, w, s, invite.New(d, settings, w)),
		db:   d, settings: settings, wallets: w, services: s,
	}
}

// user returns a new user with so much money.
func (c *counter) user(t *testing.T, amount money.Amount) int64 {
	t.Helper()
	c.users++
	user := c.users
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return errors.Join(c.wallets.Open(ctx, tx, user), c.services.Open(ctx, tx, user))
	}); err != nil {
		t.Fatal(err)
	}
	if amount != 0 {
		if _, err := c.wallets.Adjust(t.Context(), user, amount, "test", nil); err != nil {
			t.Fatal(err)
		}
	}
	return user
}

func ptr[T any](v T) *T { return &v }

// plan adds a plan of 10.00 for a month and 27.00 for three.
func (c *counter) plan(t *testing.T, change func(*shop.Plan)) *shop.Plan {
	t.Helper()
	p := shop.Plan{
		Name: "Standard", Kind: shop.KindPlan, TrafficBytes: ptr[int64](100 << 30), Reset: service.Anniversary,
		Class: 2, Groups: []int{1, 3}, SpeedMbps: ptr(200),
		Visible: true, Renewable: true, Prices: []shop.Price{{Months: 1, Amount: 1000}, {Months: 3, Amount: 2700}},
	}
	if change != nil {
		change(&p)
	}
	added, err := c.AddPlan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func (c *counter) buy(t *testing.T, user int64, p shop.Purchase) *shop.Order {
	t.Helper()
	no, err := c.Confirm(t.Context(), user, p)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Order(t.Context(), user, strconv.FormatInt(no, 10))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (c *counter) sound(t *testing.T) {
	t.Helper()
	orders, err := c.Check(t.Context())
	money := wallettest.Check(t, c.wallets)
	if err != nil || len(orders)+len(money) > 0 {
		t.Fatal(orders, money, err)
	}
}

func (c *counter) balance(t *testing.T, user int64) money.Amount {
	t.Helper()
	b, err := c.wallets.Balance(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return b.Posted
}

func TestBuyingGivesTheServiceThatWasPromised(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan, user := c.plan(t, nil), c.user(t, 3000)
		quarter := plan.Prices[1]
		q, err := c.PreOrder(t.Context(), user, shop.Purchase{PriceID: quarter.ID})
		if err != nil || q.Amount != 2700 || q.BalanceUsed != 2700 || q.Missing != 0 {
			t.Fatalf("%+v, %v", q, err)
		}
		o := c.buy(t, user, shop.Purchase{PriceID: quarter.ID, AutoRenew: true})
		if o.State != shop.Paid || o.Service == nil || !o.Renews || c.balance(t, user) != 300 {
			t.Fatalf("%+v", o)
		}
		v, err := c.services.Get(t.Context(), user, *o.Service)
		if err != nil || v.Class != 2 || len(v.Groups) != 2 || *v.QuotaBytes != 100<<30 || *v.SpeedMbps != 200 ||
			v.Devices != nil || v.PlanID != plan.ID || !v.AutoRenew {
			t.Fatalf("%+v, %v", v, err)
		}
		// from 31 January on it is a little less than 89
		if days := v.EndsAt.Sub(d.Now()).Hours() / 24; days < 88 || days > 93 {
			t.Errorf("three months end in %v days", days)
		}
		if q, err := c.PreOrder(t.Context(), user, shop.Purchase{PriceID: quarter.ID}); err != nil ||
			q.BalanceUsed != 300 || q.Missing != 2400 || q.Recharge != 2400 {
			t.Errorf("with too little: %+v, %v", q, err)
		}

		// What was sold stays as it was sold, and the period keeps its number.
		changed, err := c.ChangePlan(t.Context(), plan.ID, func(p *shop.Plan) {
			p.Name, p.Prices = "Standard plus", []shop.Price{{Months: 3, Amount: 9900}}
		})
		if err != nil || len(changed.Prices) != 1 || changed.Prices[0].ID != quarter.ID ||
			changed.Prices[0].Amount != 9900 {
			t.Fatalf("%+v, %v", changed, err)
		}
		if _, err := c.PreOrder(t.Context(), user, shop.Purchase{PriceID: plan.Prices[0].ID}); !errors.Is(err,
			shop.ErrNoPlan) {
			t.Error("a period that is no longer offered: ", err)
		}
		records, total, err := c.Purchases(t.Context(), user, 10, 0)
		if err != nil || total != 1 || records[0].Terms.Name != "Standard" || records[0].Amount != 2700 ||
			records[0].EndsAt == nil {
			t.Fatalf("%+v, %v", records, err)
		}
		c.sound(t)
	})
}

func TestRenewing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan, other, user := c.plan(t, nil), c.plan(t, nil), c.user(t, 10000)
		month := plan.Prices[0].ID
		o := c.buy(t, user, shop.Purchase{PriceID: month})
		first, err := c.services.Get(t.Context(), user, *o.Service)
		if err != nil {
			t.Fatal(err)
		}
		renewal := c.buy(t, user, shop.Purchase{PriceID: month, RenewServiceID: o.Service})
		if renewal.Kind != shop.KindRenewal || *renewal.Service != *o.Service || !renewal.EndsAt.After(first.EndsAt) {
			t.Fatalf("%+v", renewal)
		}
		try := func(user int64, price int64, id *int64) error {
			_, err := c.Confirm(t.Context(), user, shop.Purchase{PriceID: price, RenewServiceID: id})
			_, quote := c.PreOrder(t.Context(), user, shop.Purchase{PriceID: price, RenewServiceID: id})
			if (err == nil) != (quote == nil) {
				t.Errorf("the quote says %v, the order %v", quote, err)
			}
			return err
		}
		if err := try(c.user(t, 5000), month, o.Service); !errors.Is(err, service.ErrNoService) {
			t.Error("another user's service: ", err)
		}
		if err := try(user, other.Prices[0].ID, o.Service); !errors.Is(err, fault.ErrInvalid) {
			t.Error("at the price of another plan: ", err)
		}
		hide := func(renewable bool) {
			if _, err := c.ChangePlan(t.Context(), plan.ID, func(p *shop.Plan) {
				p.Visible, p.Renewable = false,
					renewable
			}); err != nil {
				t.Fatal(err)
			}
		}
		hide(true)
		if err := try(user, month, nil); !errors.Is(err, shop.ErrNoPlan) {
			t.Error("a hidden plan anew: ", err)
		}
		if _, err := c.Price(t.Context(), c.user(t, 0), month); !errors.Is(err, shop.ErrNoPlan) {
			t.Error("a hidden plan shows to others: ", err)
		}
		if err := try(user, month, o.Service); err != nil {
			t.Error("renewing a hidden plan: ", err)
		}
		if p, err := c.PlanOf(t.Context(), user, *o.Service); err != nil || p.ID != plan.ID {
			t.Error(p, err)
		}
		hide(false)
		if err := try(user, month, o.Service); !errors.Is(err, shop.ErrNotRenewable) {
			t.Error("renewing what cannot be renewed: ", err)
		}
		if err := c.RemovePlan(t.Context(), plan.ID); err != nil {
			t.Fatal(err)
		}
		if err := try(user, month, o.Service); !errors.Is(err, shop.ErrNoPlan) {
			t.Error("renewing at a plan that is gone: ", err)
		}
		if err := c.RemovePlan(t.Context(), plan.ID); !errors.Is(err, shop.ErrNoPlan) {
			t.Error("removed twice: ", err)
		}
		c.sound(t)
	})
}

func TestPackagesAndFreePlans(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		user := c.user(t, 500)
		bag := c.plan(t, func(p *shop.Plan) {
			p.Kind, p.TrafficBytes, p.ValidDays, p.Prices = shop.KindPackage, ptr[int64](10<<30), ptr(30),
				[]shop.Price{{Amount: 500}}
		})
		o := c.buy(t, user, shop.Purchase{PriceID: bag.Prices[0].ID})
		if o.Package == nil || o.Service != nil || o.EndsAt == nil || o.EndsAt.Sub(d.Now()) > 30*24*time.Hour {
			t.Fatalf("%+v", o)
		}
		if err := c.StopRenewing(t.Context(), user, o.UUID.String()); !errors.Is(err, shop.ErrNotRenewable) {
			t.Error("a package renews itself: ", err)
		}
		free := c.plan(t, func(p *shop.Plan) { p.PerUser, p.Prices = ptr(1), []shop.Price{{Months: 1}} })
		got := c.buy(t, user, shop.Purchase{PriceID: free.Prices[0].ID, AutoRenew: true})
		if got.State != shop.Paid || got.Service == nil || c.balance(t, user) != 0 {
			t.Fatalf("a free plan: %+v", got)
		}
		if _, err := c.Confirm(t.Context(), user, shop.Purchase{PriceID: free.Prices[0].ID}); !errors.Is(err,
			shop.ErrBoughtEnough) {
			t.Error("a second time: ", err)
		}
		if err := c.StopRenewing(t.Context(), c.user(t, 0), got.UUID.String()); !errors.Is(err, shop.ErrNoOrder) {
			t.Error("another user's order: ", err)
		}
		if err := c.StopRenewing(t.Context(), user, got.UUID.String()); err != nil {
			t.Error(err)
		}
		if v, err := c.services.Get(t.Context(), user, *got.Service); err != nil || v.AutoRenew {
			t.Error("it still renews itself: ", err)
		}
		c.sound(t)
	})
}

func TestOnlyTheNewServiceRenewsItselfWhereAsked(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan, user := c.plan(t, nil), c.user(t, 5000)
		month := plan.Prices[0].ID
		first := c.buy(t, user, shop.Purchase{PriceID: month, AutoRenew: true})
		second := c.buy(t, user, shop.Purchase{PriceID: month, AutoRenew: true, OnlyRenewal: true})
		for o, want := range map[*shop.Order]bool{first: false, second: true} {
			if v, err := c.services.Get(t.Context(), user, *o.Service); err != nil || v.AutoRenew != want {
				t.Errorf("service %d renews itself: %v, %v", v.ID, v.AutoRenew, err)
			}
		}
	})
}

func TestStockAndLimitsHoldUnderARace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, func(p *shop.Plan) { p.Stock, p.PerUser = ptr[int64](7), ptr(2) })
		var users []int64
		for range 50 {
			users = append(users, c.user(t, 10000))
		}
		var sold atomic.Int64
		var wg sync.WaitGroup
		for i := range 1000 {
			wg.Go(func() {
				err := dbtest.Patiently(func() error {
					_, err := c.Confirm(t.Context(), users[i%len(users)], shop.Purchase{PriceID: plan.Prices[0].ID})
					return err
				})
				switch {
				case err == nil:
					sold.Add(1)
				case !errors.Is(err, shop.ErrSoldOut) && !errors.Is(err, shop.ErrBoughtEnough):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		left, err := c.Plan(t.Context(), plan.ID)
		if err != nil || sold.Load() != 7 || *left.Stock != 0 {
			t.Fatalf("%d sold, %d left, %v", sold.Load(), *left.Stock, err)
		}
		one := c.plan(t, func(p *shop.Plan) { p.PerUser = ptr(2) })
		greedy := c.user(t, 100000)
		sold.Store(0)
		for range 30 {
			wg.Go(func() {
				_, err := c.Confirm(t.Context(), greedy, shop.Purchase{PriceID: one.Prices[0].ID})
				if err == nil {
					sold.Add(1)
				} else if !errors.Is(err, shop.ErrBoughtEnough) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if sold.Load() != 2 || c.balance(t, greedy) != 98000 {
			t.Fatalf("%d sold to one who may have 2, balance %s", sold.Load(), c.balance(t, greedy))
		}
		c.sound(t)
	})
}

func TestAPlanThatMakesNoSenseIsRefusedByName(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	for field, change := range map[string]func(*shop.Plan){
		"name":       func(p *shop.Plan) { p.Name = "" },
		"kind":       func(p *shop.Plan) { p.Kind = shop.KindRenewal },
		"traffic":    func(p *shop.Plan) { p.TrafficBytes = ptr[int64](0) },
		"reset":      func(p *shop.Plan) { p.Reset = "sometimes" },
		"class":      func(p *shop.Plan) { p.Class = -1 },
		"speed":      func(p *shop.Plan) { p.SpeedMbps = ptr(0) },
		"devices":    func(p *shop.Plan) { p.Devices = ptr(0) },
		"valid_days": func(p *shop.Plan) { p.ValidDays = ptr(30) },
		"stock":      func(p *shop.Plan) { p.Stock = ptr[int64](-1) },
		"per_user":   func(p *shop.Plan) { p.PerUser = ptr(0) },
		"prices":     func(p *shop.Plan) { p.Prices[0].Amount = -1 },
	} {
		p := shop.Plan{
			Name: "x", Kind: shop.KindPlan, Reset: service.Never,
			Prices: []shop.Price{{Months: 1, Amount: 1}},
		}
		change(&p)
		_, err := c.AddPlan(t.Context(), p)
		if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for name, prices := range map[string][]shop.Price{
		"none": nil, "one period twice": {{Months: 1}, {Months: 1}},
		"no period": {{Months: 0}},
	} {
		if _, err := c.AddPlan(t.Context(), shop.Plan{
			Name: "x", Kind: shop.KindPlan, Reset: service.Never,
			Prices: prices,
		}); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("prices, %s: %v", name, err)
		}
	}
}

func TestPlan_BeyondItsBounds_IsRefusedByName(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	plan := shop.Plan{
		Name: "x", Kind: shop.KindPlan, Reset: service.Never, Class: 1_000_000, SpeedMbps: new(1_000_000),
		Devices: new(100_000), Stock: new(int64(1_000_000_000)), PerUser: new(1_000_000_000),
		Prices: []shop.Price{{Months: 1, Amount: 1}},
	}
	stored, err := c.AddPlan(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*shop.Plan){
		"class":    func(p *shop.Plan) { p.Class = 1_000_001 },
		"speed":    func(p *shop.Plan) { p.SpeedMbps = new(1_000_001) },
		"devices":  func(p *shop.Plan) { p.Devices = new(100_001) },
		"stock":    func(p *shop.Plan) { p.Stock = new(int64(1_000_000_001)) },
		"per_user": func(p *shop.Plan) { p.PerUser = new(math.MaxInt) },
	} {
		p := plan
		change(&p)
		_, added := c.AddPlan(t.Context(), p)
		_, changed := c.ChangePlan(t.Context(), stored.ID, change)
		for _, err := range []error{added, changed} {
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
				t.Errorf("%s: %v", field, err)
			}
		}
	}
}

func TestChangePlan_StoredBeyondItsBounds_KeepsIt(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	stored, err := c.AddPlan(t.Context(), shop.Plan{
		Name: "x", Kind: shop.KindPlan, Reset: service.Never, Prices: []shop.Price{{Months: 1, Amount: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE plan SET class = 1000001, devices = ?`, math.MaxInt64).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	p, err := c.ChangePlan(t.Context(), stored.ID, func(p *shop.Plan) { p.Name, p.Devices = "y", new(*p.Devices) })
	if err != nil || p.Name != "y" || p.Class != 1_000_001 || *p.Devices != math.MaxInt64 {
		t.Errorf("%+v, %v", p, err)
	}
}
