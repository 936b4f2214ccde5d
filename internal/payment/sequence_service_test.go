package payment_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/job"
	"airstrip/internal/mail"
	"airstrip/internal/money"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/renewal"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// modelServices is the part of the model that is about what runs, and how it goes on or ends.
type modelServices struct {
	c        *server
	prices   map[int64]modelPrice // of a month, by plan
	list     []*modelService
	by       map[int64]*modelService
	stopped  map[int64]bool // ended by a change or a refund, before its time
	queue    *job.Queue
	renewals *renewal.Renewals
}

type modelPrice struct {
	id     int64
	amount money.Amount
}

type modelService struct {
	id    int64
	price modelPrice
	ends  time.Time
	tried time.Time    // last try to renew it, of this end
	paid  money.Amount // for renewals
}

func newModelServices(c *server, prices map[int64]modelPrice) modelServices {
	secrets := secret.New(c.DB, seal.Key{1})
	accounts := account.New(account.Config{
		PasswordMemory: 64,
		DB:             c.DB, Key: seal.Key{1}, Settings: c.Settings,
		Mails:    mail.New(c.DB, seal.Key{1}, c.Settings, secrets, paymenttest.Site),
		Captchas: captcha.New(c.DB, seal.Key{1}, c.Settings, secrets), Wallets: c.Wallets, Services: c.Services,
		Site: paymenttest.Site,
	})
	s := modelServices{
		c: c, prices: prices, by: map[int64]*modelService{}, stopped: map[int64]bool{},
		queue: job.New(c.DB),
	}
	c.Services.Register(s.queue)
	s.renewals = renewal.New(c.DB, c.Settings, accounts, c.Wallets, c.Shop)
	return s
}

func (s *modelServices) running(id int64) bool {
	return !s.stopped[id] && s.by[id].ends.After(s.c.DB.Now())
}

// read takes what the database has and holds what the model says of it.
func (s *modelServices) read(rt *rapid.T, services []service.Service) {
	for _, v := range services {
		known := s.by[v.ID]
		if known == nil {
			known = &modelService{id: v.ID, price: s.prices[v.PlanID]}
			s.by[v.ID], s.list = known, append(s.list, known)
		}
		if !known.ends.Equal(v.EndsAt) {
			known.ends, known.tried = v.EndsAt, time.Time{}
		}
		if runs := v.Running(s.c.DB.Now()); runs != s.running(v.ID) {
			rt.Fatalf("service %d runs: %t; the model says %t", v.ID, runs, !runs)
		}
	}
}

// actions are what may happen to services besides purchases; pass lets time pass.
func (s *modelServices) actions(c *server, m *model, user int64, pass func(time.Duration)) map[string]func(*rapid.T) {
	ctx := context.Background()
	return map[string]func(*rapid.T){
		"refund": func(rt *rapid.T) {
			if len(m.orders) == 0 {
				rt.Skip("no order yet")
			}
			s.refund(rt, m, user, rapid.SampledFrom(m.orders).Draw(rt, "order"))
		},
		"turn auto-renewal on or off": func(rt *rapid.T) {
			if len(s.list) == 0 {
				rt.Skip("nothing to renew")
			}
			v := rapid.SampledFrom(s.list).Draw(rt, "service")
			if _, err := c.Shop.SetAutoRenew(ctx, user, v.id, rapid.Bool().Draw(rt, "on"), nil); err != nil &&
				(s.running(v.id) || !errors.Is(err, shop.ErrEnded)) {
				rt.Fatal(err)
			}
		},
		"days pass, and what is due renews itself": func(rt *rapid.T) {
			span := time.Duration(rapid.IntRange(1, 20*24).Draw(rt, "hours")) * time.Hour
			if len(s.list) > 0 && rapid.Bool().Draw(rt, "to an end") {
				v := rapid.SampledFrom(s.list).Draw(rt, "service")
				span = max(time.Hour, v.ends.Sub(c.DB.Now())+time.Duration(rapid.IntRange(-30, 30).
					Draw(rt, "hours after the end"))*time.Hour)
			}
			pass(span)
			s.renew(rt, m, user)
		},
	}
}

// refund gives an order back: with all that is unused of its service.
func (s *modelServices) refund(rt *rapid.T, m *model, user int64, o *modelOrder) {
	ctx := context.Background()
	want, err := s.c.Shop.Refundable(ctx, user, strconv.FormatInt(o.id, 10))
	if err != nil {
		rt.Fatal(err)
	}
	if want > 0 && (o.state != shop.Paid || (o.service != 0 && !s.running(o.service))) {
		rt.Fatalf("order %d, %s, of a service that ended, would bring %s", o.id, o.state, want)
	}
	before, err := s.c.Wallets.Balance(ctx, user)
	if err != nil {
		rt.Fatal(err)
	}
	sum, err := s.c.Shop.Refund(ctx, o.id, "wanted", nil)
	if want == 0 {
		if !errors.Is(err, shop.ErrNothingToRefund) {
			rt.Fatalf("nothing to give back: %v", err)
		}
		return
	}
	if err != nil || sum != want {
		rt.Fatalf("%s given back, not %s: %v", sum, want, err)
	}
	movements, _, err := s.c.Wallets.Movements(ctx, user, 1, 100)
	if err != nil {
		rt.Fatal(err)
	}
	for _, moved := range movements {
		if moved.Version <= before.Movements {
			break
		}
		at := slices.IndexFunc(m.orders, func(o *modelOrder) bool { return o.id == moved.Reference.ID })
		part := m.orders[at]
		if moved.Reason != wallet.Refund || part.state != shop.Paid || part.service != o.service ||
			part.pack != o.pack {
			rt.Fatalf("order %d, %s, was given back with order %d", part.id, part.state, o.id)
		}
		part.state = shop.Refunded
		sum -= moved.Amount
		m.balance += moved.Amount
		m.comesBack(part, moved.Amount, 0)
	}
	if sum != 0 { // the order itself may be used up, and what renewed it not
		rt.Fatalf("the parts are %s less than the whole", sum)
	}
	if o.service != 0 {
		s.stopped[o.service] = true
		m.endWaiting(o.service)
	} else {
		m.packages--
	}
}

// renew lets renew itself what is due: from a day before its end until a day after, and once in six hours.
func (s *modelServices) renew(rt *rapid.T, m *model, user int64) {
	ctx := context.Background()
	services, _, err := s.c.Services.List(ctx, user)
	if err != nil {
		rt.Fatal(err)
	}
	slices.SortFunc(services, func(a, b service.Service) int {
		return cmp.Or(a.EndsAt.Compare(b.EndsAt),
			cmp.Compare(a.ID, b.ID))
	})
	now := s.c.DB.Now()
	var renewed []*modelOrder
	for _, v := range services {
		known := s.by[v.ID]
		if !v.AutoRenew || s.stopped[v.ID] || v.EndsAt.After(now.Add(24*time.Hour)) ||
			!v.EndsAt.After(now.Add(-24*time.Hour)) || now.Sub(known.tried) < 6*time.Hour {
			continue
		}
		known.tried = now
		if m.balance-m.held() < known.price.amount {
			continue
		}
		o := &modelOrder{
			kind: shop.KindRenewal, service: v.ID, price: known.price.amount, worth: known.price.amount,
			state: shop.Pending,
		}
		m.deliver(o)
		renewed = append(renewed, o)
	}
	if err := s.renewals.Renew(ctx); err != nil {
		rt.Fatal(err)
	}
	orders, _, err := s.c.Shop.Purchases(ctx, user, 500, 0)
	if err != nil {
		rt.Fatal(err)
	}
	slices.Reverse(orders)
	for _, o := range orders {
		if slices.ContainsFunc(m.orders, func(known *modelOrder) bool { return known.id == o.ID }) {
			continue
		}
		if len(renewed) == 0 || o.Kind != shop.KindRenewal || *o.Service != renewed[0].service ||
			o.Amount != renewed[0].price {
			rt.Fatalf("order %d, a %s of %s: not what was due", o.ID, o.Kind, o.Amount)
		}
		renewed[0].id = o.ID
		m.orders, renewed = append(m.orders, renewed[0]), renewed[1:]
	}
	if len(renewed) > 0 {
		rt.Fatalf("service %d did not renew itself", renewed[0].service)
	}
}
