package payment_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// lives says how many random lives each engine sees where -rapid.checks does not: more of them where they are cheaper
// with the race detector, which slows SQLite more, since the rules and the model are the same for both. They are half
// as long as rapid would have them; -rapid.checks and -rapid.steps make them more and longer, as make stress does.
var lives = map[string]string{"sqlite": "20", "postgres": "40"}

// model says in the simplest way what a user's money, orders and services must be.
type model struct {
	balance   money.Amount
	recharges []*modelRecharge
	orders    []*modelOrder
	services  modelServices
	packages  int
	stock     int64
	gifts     modelGifts
}

type modelRecharge struct {
	*wallet.Recharge
	state wallet.RechargeState
	order *modelOrder
	until time.Time
	back  modelBack
}

type modelOrder struct {
	id    int64
	kind  shop.Kind
	held  money.Amount
	price money.Amount // what the wallet pays
	worth money.Amount // what it counts for: the price before a credit
	state shop.State

	coupon, stock bool         // whether it took one
	service       int64        // that it began or renewed, 0 while there is none
	pack          int64        // that it brought
	replaces      int64        // service that it ends
	credited      money.Amount // what had been paid for that service by then
	change        money.Amount // what the wallet gets back of that
	credits       []modelCredit
	base          money.Amount // of the price, what came through gateways and has not come back
	earning       bool         // whether the commission is pending
}

func (m *model) held() (sum money.Amount) {
	for _, o := range m.orders {
		if o.state == shop.Pending {
			sum += o.held
		}
	}
	for _, r := range m.recharges {
		for _, g := range r.back.pending {
			sum += g.amount
		}
	}
	return sum
}

func (m *model) pending(r *modelRecharge) bool { return r.state == wallet.RechargePending }

func (m *model) end(o *modelOrder, to shop.State) {
	o.state = to
	if o.stock {
		m.stock++
	}
	if o.coupon {
		m.gifts.coupons++
	}
}

func (m *model) deliver(o *modelOrder) {
	// The service that it ends has ended or was renewed meanwhile, or the one that it renews was given back.
	if o.replaces != 0 && (!m.services.running(o.replaces) || m.services.by[o.replaces].paid != o.credited) ||
		m.services.stopped[o.service] {
		m.end(o, shop.Cancelled)
		return
	}
	m.balance += o.change - o.price
	o.base, o.earning = m.gifts.spend(o.price), true
	m.gifts.pending += o.base * permille / 1000
	o.state = shop.Paid
	if o.replaces != 0 {
		o.credits = m.creditsTo(o.id)
		m.comesBack(o, o.change, o.worth)
	}
	if o.kind == shop.KindPackage {
		m.packages++
	}
	if o.kind == shop.KindRenewal {
		m.services.by[o.service].paid += o.worth
	}
	if o.replaces != 0 {
		m.services.stopped[o.replaces] = true
		m.endWaiting(o.replaces)
	}
}

// endWaiting cancels the orders that wait for money to renew or replace a service that was given back.
func (m *model) endWaiting(service int64) {
	for _, o := range m.orders {
		if o.state != shop.Pending || o.kind == shop.KindRenewal && o.service != service ||
			o.kind == shop.KindPlan && o.replaces != service || o.kind == shop.KindPackage {
			continue
		}
		m.end(o, shop.Cancelled)
		for _, r := range m.recharges {
			if r.order == o && m.pending(r) {
				r.state = wallet.RechargeExpired
			}
		}
	}
}

// paid is what a payment of r does, whenever it comes.
func (m *model) paid(r *modelRecharge) {
	if r.state == wallet.RechargeDone || r.state == wallet.RechargeRefunded {
		return
	}
	r.state = wallet.RechargeDone
	m.balance += r.Amount
	m.gifts.real += r.Amount
	if r.order != nil && r.order.state == shop.Pending {
		m.deliver(r.order)
	}
}

func TestAnySequenceKeepsTheInvariants(t *testing.T) {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["rapid.steps"] {
		flag.Set("rapid.steps", "15")
	}
	for engine, empty := range map[string]func(testing.TB) *db.DB{
		"sqlite":   dbtest.SQLite,
		"postgres": dbtest.Postgres,
	} {
		t.Run(engine, func(t *testing.T) {
			if !given["rapid.checks"] {
				flag.Set("rapid.checks", lives[engine])
			}
			// Ten users share a database: a new one for each would take most of the time, and one for all would make
			// the checks slow.
			var c *refundServer
			lived := 0
			rapid.Check(t, func(rt *rapid.T) {
				if lived%10 == 0 {
					if c != nil {
						c.DB.Close()
					}
					c = newRefundServer(t, empty(t), 0)
					if err := c.Settings.Set(t.Context(),
						map[string]json.RawMessage{"change_credit": json.RawMessage(`"wallet"`)}); err != nil {
						t.Fatal(err)
					}
				}
				lived++
				live(t, rt, c)
			})
		})
	}
}

// live is the life of one user, compared with a model of it.
func live(t *testing.T, rt *rapid.T, tl *refundServer) {
	c := tl.server
	ctx := context.Background()
	must := func(err error) {
		rt.Helper()
		if err != nil {
			rt.Fatal(err)
		}
	}
	inviter, user := c.User(t), c.User(t)
	m := &model{stock: rapid.Int64Range(0, 4).Draw(rt, "stock")}
	stock := m.stock
	price := rapid.SampledFrom([]money.Amount{0, 1, 990, 2500}).Draw(rt, "price")
	plan, planPrice := c.plan(t, shop.KindPlan, price, func(p *shop.Plan) { p.Stock = &stock })
	other, otherPrice := c.plan(t, shop.KindPlan, 1500, nil)
	_, packagePrice := c.plan(t, shop.KindPackage, 300, nil)

	g := newGifts(t, rt, c, m, inviter, user)
	m.services = newModelServices(c, map[int64]modelPrice{plan.ID: {planPrice, price}, other.ID: {otherPrice, 1500}})

	recharge := func(label string) *modelRecharge {
		if len(m.recharges) == 0 {
			rt.Skip("no recharge yet")
		}
		return rapid.SampledFrom(m.recharges).Draw(rt, label)
	}
	// buy does a purchase and tells the model; gateway may be empty.
	buy := func(kind shop.Kind, what shop.Purchase, price money.Amount, gateway string) {
		o := &modelOrder{kind: kind, state: shop.Pending, stock: kind == shop.KindPlan && what.PriceID == planPrice}
		soldOut := o.stock && m.stock == 0
		o.coupon = rapid.Bool().Draw(rt, "with the coupon")
		if o.coupon {
			what.Coupon = g.coupon
			price -= price / 2
		}
		var notChanged error
		var credit money.Amount
		if what.ChangeServiceID != nil {
			// Another test checks how much it is; this one checks where it goes.
			quote, err := c.Shop.PreOrder(ctx, user, what)
			switch o.replaces = *what.ChangeServiceID; {
			case !m.services.running(o.replaces):
				notChanged = shop.ErrEnded
			case m.services.by[o.replaces].price.id == what.PriceID:
				notChanged = shop.ErrSamePlan
			case err == nil:
				credit, o.credited = quote.Credit, m.services.by[o.replaces].paid
			}
		}
		o.worth = price
		price, o.change = max(0, price-credit), max(0, credit-price)
		o.price = price
		if kind == shop.KindRenewal {
			if o.service = *what.RenewServiceID; m.services.stopped[o.service] {
				notChanged = service.ErrGivenBack
			}
		}
		available := m.balance - m.held()
		var no int64
		var err error
		if gateway == "" {
			no, err = c.Shop.Confirm(ctx, user, what)
		} else {
			no, err = c.Payments.Confirm(ctx, user, what, gateway)
		}
		waiting := 0
		for _, o := range m.orders {
			if o.state == shop.Pending {
				waiting++
			}
		}
		unpaid := 0
		for _, r := range m.recharges {
			if m.pending(r) {
				unpaid++
			}
		}
		switch {
		case notChanged != nil:
			if !errors.Is(err, notChanged) {
				rt.Fatalf("%v, not %v", err, notChanged)
			}
			return
		case soldOut:
			if !errors.Is(err, shop.ErrSoldOut) {
				rt.Fatalf("sold out: %v", err)
			}
			return
		case o.coupon && m.gifts.coupons == 0:
			if !errors.Is(err, fault.ErrInvalid) {
				rt.Fatalf("no coupon is left: %v", err)
			}
			return
		case available < price && gateway == "":
			if !errors.Is(err, wallet.ErrBalanceTooLow) {
				rt.Fatalf("%s available of %s: %v", available, price, err)
			}
			return
		case available < price && waiting >= 5:
			if !errors.Is(err, shop.ErrTooManyOrders) {
				rt.Fatalf("%d orders wait: %v", waiting, err)
			}
			return
		case available < price && unpaid >= 20:
			if !errors.Is(err, wallet.ErrTooManyRecharges) {
				rt.Fatalf("%d recharges wait: %v", unpaid, err)
			}
			return
		}
		must(err)
		o.id = no
		m.orders = append(m.orders, o)
		if o.stock {
			m.stock--
		}
		if o.coupon {
			m.gifts.coupons--
		}
		if available >= price {
			m.deliver(o)
			return
		}
		o.held = available
		kept, err := c.Shop.Order(ctx, user, strconv.FormatInt(no, 10))
		must(err)
		r, err := c.Payments.Show(ctx, user, strconv.FormatInt(*kept.RechargeID, 10))
		must(err)
		if want := max(price-available, 100); r.Amount != want {
			rt.Fatalf("the recharge is of %s, not of %s", r.Amount, want)
		}
		m.recharges = append(m.recharges, &modelRecharge{
			Recharge: r, state: wallet.RechargePending, order: o,
			until: r.ExpiresAt,
		})
	}
	gateway := func() string { return rapid.SampledFrom([]string{"", sandbox.Name}).Draw(rt, "gateway") }

	pass := func(d time.Duration) {
		c.Advance(d)
		must(c.Payments.Expire(ctx))
		must(m.services.queue.Trigger(ctx, "service.expire"))
		now := c.DB.Now()
		for _, r := range m.recharges {
			over := !r.until.After(now)
			if over && m.pending(r) {
				r.state = wallet.RechargeExpired
			}
			if over && r.order != nil && r.order.state == shop.Pending {
				m.end(r.order, shop.Expired)
			}
		}
	}

	steps := 0
	sound := func() {
		c.MustBeConsistent(rt)
		g.rules(rt)
	}
	actions := g.actions(c, m, user)
	maps.Copy(actions, m.services.actions(c, m, user, pass))
	maps.Copy(actions, refundActions(tl, m, pass))
	maps.Copy(actions, map[string]func(*rapid.T){
		"recharge": func(rt *rapid.T) {
			r, err := c.Payments.Recharge(ctx, user, sandbox.Name, money.Amount(rapid.Int64Range(100, 4000).
				Draw(rt, "amount")))
			if errors.Is(err, wallet.ErrTooManyRecharges) {
				rt.Skip("enough of them wait")
			}
			must(err)
			m.recharges = append(m.recharges, &modelRecharge{
				Recharge: r, state: wallet.RechargePending,
				until: r.ExpiresAt,
			})
		},
		"pay": func(rt *rapid.T) {
			r := recharge("paid")
			said, err := c.sandbox.Ask(ctx, payment.Bill{TradeNo: r.TradeNo})
			must(err)
			c.pressButton(t, r.Recharge, "pay")
			if said.State != "failed" { // what failed at the sandbox stays failed
				m.paid(r)
			}
		},
		"fail": func(rt *rapid.T) {
			r := recharge("failed")
			said, err := c.sandbox.Ask(ctx, payment.Bill{TradeNo: r.TradeNo})
			must(err)
			c.pressButton(t, r.Recharge, "fail")
			if said.State == "paid" {
				m.paid(r) // the sandbox repeats what it knows
			} else if m.pending(r) {
				r.state = wallet.RechargeFailed
			}
		},
		"pay, but the notify is lost until somebody asks": func(rt *rapid.T) {
			r := recharge("lost")
			must(c.sandbox.Close(ctx, r.TradeNo, true))
			must(c.Payments.Check(ctx))
			for _, r := range m.recharges {
				said, err := c.sandbox.Ask(ctx, payment.Bill{TradeNo: r.TradeNo})
				must(err)
				if said.State == "paid" && c.DB.Now().Before(r.until.Add(2*time.Hour)) {
					m.paid(r)
				}
			}
		},
		"repeat a notify": func(rt *rapid.T) {
			r := recharge("repeated")
			w := c.notify(ctx, c.sandbox.Notice(paid(r.Recharge)))
			said, err := c.sandbox.Ask(ctx, payment.Bill{TradeNo: r.TradeNo})
			must(err)
			if accepted := w.Code == 200; accepted != (said.State == "paid") {
				rt.Fatalf("a notify of a payment that is %s: %d", said.State, w.Code)
			}
			if said.State == "paid" {
				m.paid(r)
			}
		},
		"buy a plan": func(rt *rapid.T) {
			buy(shop.KindPlan, shop.Purchase{PriceID: planPrice, AutoRenew: rapid.Bool().Draw(rt, "auto renew")}, price,
				gateway())
		},
		"buy a package": func(rt *rapid.T) {
			buy(shop.KindPackage, shop.Purchase{PriceID: packagePrice}, 300, gateway())
		},
		"renew": func(rt *rapid.T) {
			if len(m.services.list) == 0 {
				rt.Skip("nothing to renew")
			}
			v := rapid.SampledFrom(m.services.list).Draw(rt, "service")
			buy(shop.KindRenewal, shop.Purchase{PriceID: v.price.id, RenewServiceID: &v.id}, v.price.amount, gateway())
		},
		"change the plan": func(rt *rapid.T) {
			if len(m.services.list) == 0 {
				rt.Skip("nothing to change")
			}
			v := rapid.SampledFrom(m.services.list).Draw(rt, "service")
			to := rapid.SampledFrom([]modelPrice{{planPrice, price}, {otherPrice, 1500}}).Draw(rt, "to")
			buy(shop.KindPlan, shop.Purchase{PriceID: to.id, ChangeServiceID: &v.id}, to.amount, gateway())
		},
		"cancel": func(rt *rapid.T) {
			if len(m.orders) == 0 {
				rt.Skip("no order yet")
			}
			o := rapid.SampledFrom(m.orders).Draw(rt, "order")
			err := c.Shop.Cancel(ctx, user, strconv.FormatInt(o.id, 10))
			if o.state != shop.Pending {
				if !errors.Is(err, shop.ErrNotPending) {
					rt.Fatalf("cancelled when %s: %v", o.state, err)
				}
				return
			}
			must(err)
			m.end(o, shop.Cancelled)
			for _, r := range m.recharges {
				if r.order == o && m.pending(r) {
					r.state = wallet.RechargeExpired
				}
			}
		},
		"time passes": func(rt *rapid.T) {
			pass(time.Duration(rapid.IntRange(1, 40).Draw(rt, "minutes")) * time.Minute)
		},
		"": func(rt *rapid.T) {
			// What breaks a rule stays broken, so that asking now and then finds it too; it is most of the work.
			if steps++; steps%8 == 0 {
				sound()
			}
			g.sound(rt, c, m)
			b, err := c.Wallets.Balance(ctx, user)
			must(err)
			if b.Posted != m.balance || b.Held != m.held() {
				rt.Fatalf("balance %s, held %s; the model has %s and %s", b.Posted, b.Held, m.balance, m.held())
			}
			for _, r := range m.recharges {
				kept, err := c.Wallets.Recharge(ctx, user, strconv.FormatInt(r.ID, 10))
				must(err)
				if kept.State != r.state {
					rt.Fatalf("recharge %d is %s; the model has %s", r.ID, kept.State, r.state)
				}
			}
			sold := 0
			for _, o := range m.orders {
				kept, err := c.Shop.Order(ctx, user, strconv.FormatInt(o.id, 10))
				must(err)
				if kept.State != o.state {
					rt.Fatalf("order %d is %s; the model has %s", o.id, kept.State, o.state)
				}
				if kept.Service != nil {
					o.service = *kept.Service
				}
				if kept.Package != nil {
					o.pack = *kept.Package
				}
				if o.kind == shop.KindPlan && (o.state == shop.Paid || o.state == shop.Refunded) {
					sold++
				}
			}
			services, packages, err := c.Services.List(ctx, user)
			must(err)
			if len(services) != sold || len(packages) != m.packages {
				rt.Fatalf("%d services, %d packages; the model has %d and %d", len(services), len(packages), sold,
					m.packages)
			}
			m.services.read(rt, services)
			now, err := c.Shop.Plan(ctx, plan.ID)
			must(err)
			if *now.Stock != m.stock {
				rt.Fatalf("stock %d; the model has %d", *now.Stock, m.stock)
			}
		},
	})
	if rapid.Bool().Draw(rt, "begins with money") { // without any, little may happen
		actions["recharge"](rt)
		actions["pay"](rt)
	}
	rt.Repeat(actions)
	sound()
}
