package payment_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"airstrip/internal/cdkey"
	"airstrip/internal/db"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/seal"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// modelGifts is the part of the model that is about what is not paid: keys, adjustments, coupons, commission.
type modelGifts struct {
	real     money.Amount // the part of the balance that came through gateways; it is spent first
	wrong    []time.Time  // tries with keys that failed
	coupons  int64        // left of the coupon
	pending  money.Amount // commission of the inviter
	released money.Amount
	moved    money.Amount // into the inviter's wallet
	debt     money.Amount // commission that was taken back after it had been moved
}

const permille = 100 // the default

// spend takes money out of the balance and gives how much of it was real.
func (g *modelGifts) spend(amount money.Amount) (real money.Amount) {
	real = min(g.real, amount)
	g.real -= real
	return real
}

// lower takes back what the order earned by a part of its base. Of a released commission the inviter owes what was
// moved.
func (g *modelGifts) lower(o *modelOrder, part money.Amount) {
	before := o.base * permille / 1000
	o.base -= part
	amount := before - o.base*permille/1000
	if o.earning {
		g.pending -= amount
		return
	}
	taken := min(amount, g.released)
	g.released -= taken
	g.debt += amount - taken
}

// modelCredit is what a change of plan took of what was paid for another order.
type modelCredit struct {
	of     *modelOrder
	amount money.Amount
}

// creditsTo asks what was credited to the order, newest order first: how much that is, another test checks.
func (m *model) creditsTo(order int64) (credits []modelCredit) {
	found, err := m.services.c.Services.CreditsTo(context.Background(), m.services.c.DB, order)
	if err != nil {
		panic(err)
	}
	for _, c := range found {
		if c.To == order {
			at := slices.IndexFunc(m.orders, func(o *modelOrder) bool { return o.id == c.From })
			credits = append(credits, modelCredit{m.orders[at], c.Amount})
		}
	}
	return credits
}

// money returns the parts of an amount that money paid, of what the order itself took and then of its credits.
func (o *modelOrder) money(amount money.Amount) (parts []modelCredit) {
	own := min(amount, o.base)
	parts = []modelCredit{{o, own}}
	amount -= own
	for _, c := range o.credits {
		for _, p := range c.of.money(min(amount, c.amount)) {
			parts = append(parts, p)
			amount -= p.amount
		}
	}
	return parts
}

// comesBack has an amount of what was paid for the order come back into the wallet while the rest of its credits stays.
func (m *model) comesBack(o *modelOrder, amount, stays money.Amount) {
	parts := o.money(amount + stays)
	back := -stays
	for _, p := range parts {
		back += p.amount
	}
	for _, p := range parts {
		if back > 0 {
			part := min(back, p.amount)
			m.gifts.real += part
			m.gifts.lower(p.of, part)
			back -= part
		}
	}
}

// counting returns the orders that money paid for which has not come back, the newest one first.
func (m *model) counting() []*modelOrder {
	found := slices.DeleteFunc(slices.Clone(m.orders), func(o *modelOrder) bool { return o.base == 0 })
	slices.SortFunc(found, func(a, b *modelOrder) int { return cmp.Compare(b.id, a.id) })
	return found
}

// release gives the inviter what orders earned, less the debt, unless money that they counted is on its way back.
func (m *model) release() {
	back := -m.gifts.real
	for _, r := range m.recharges {
		back += r.back.underway()
	}
	for _, o := range m.counting() {
		if back > 0 {
			back -= o.base
			continue
		}
		if !o.earning {
			continue
		}
		amount := o.base * permille / 1000
		settled := min(amount, m.gifts.debt)
		m.gifts.debt -= settled
		m.gifts.pending -= amount
		m.gifts.released += amount - settled
		o.earning = false
	}
}

// gifts are the keys and invites of a life.
type gifts struct {
	keys     *cdkey.Keys
	invites  *invite.Invites
	coupon   string // its code
	inviter  int64
	redeemed []string
}

func newGifts(t *testing.T, rt *rapid.T, c *server, m *model, inviter, user int64) *gifts {
	t.Helper()
	g := &gifts{cdkey.New(c.DB, seal.Key{1}, c.Settings, c.Wallets, c.Services), invite.New(c.DB, c.Settings,
		c.Wallets), fmt.Sprintf("HALF%d", user), inviter, nil}
	m.gifts.coupons = rapid.Int64Range(1, 3).Draw(rt, "coupons")
	half := 50
	_, err := c.Shop.AddCoupon(t.Context(), shop.Coupon{
		Code: g.coupon, Enabled: true, Percent: &half,
		Total: &m.gifts.coupons,
	}, nil)
	if err == nil {
		err = c.Settings.Set(t.Context(), map[string]json.RawMessage{"commission_days": json.RawMessage("0")})
	}
	if err != nil {
		rt.Fatal(err)
	}
	for _, person := range []struct {
		id int64
		by *int64
	}{{inviter, nil}, {user, &inviter}} {
		if err := c.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version, password_changed_at, invite_code, invited_by, created_at)
				VALUES (?, ?, ?, 'x', '', '', ?, ?, ?, ?, ?)`, person.id, uuid.New(), fmt.Sprintf("u%d@example.com", person.id), uuid.New(), c.DB.Now(),
				fmt.Sprint(person.id), person.by, c.DB.Now()).Exec(ctx)
			return err
		}); err != nil {
			rt.Fatal(err)
		}
	}
	return g
}

// actions are what may happen in a life besides payments and purchases.
func (g *gifts) actions(c *server, m *model, user int64) map[string]func(*rapid.T) {
	ctx := context.Background()
	try := func(rt *rapid.T, key string, want error) bool {
		now := c.DB.Now()
		m.gifts.wrong = slices.DeleteFunc(m.gifts.wrong, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
		if len(m.gifts.wrong) >= 10 {
			want = cdkey.ErrTooMany
		}
		_, err := g.keys.Redeem(ctx, user, key)
		if !errors.Is(err, want) {
			rt.Fatalf("key %s: %v, want %v", key, err, want)
		}
		if errors.Is(err, cdkey.ErrInvalid) {
			m.gifts.wrong = append(m.gifts.wrong, now)
		}
		return err == nil
	}
	return map[string]func(*rapid.T){
		"redeem": func(rt *rapid.T) {
			amount := money.Amount(rapid.Int64Range(1, 3000).Draw(rt, "amount"))
			_, keys, err := g.keys.Make(ctx, cdkey.Batch{
				Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: amount}, Size: 1,
				MaxUses: rapid.IntRange(1, 2).Draw(rt, "uses"),
			}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			if try(rt, keys[0], nil) {
				m.balance += amount
				g.redeemed = append(g.redeemed, keys[0])
			}
		},
		"redeem again": func(rt *rapid.T) {
			if len(g.redeemed) == 0 {
				rt.Skip("nothing redeemed yet")
			}
			try(rt, rapid.SampledFrom(g.redeemed).Draw(rt, "key"), cdkey.ErrRedeemed)
		},
		"redeem nothing": func(rt *rapid.T) { try(rt, "00000-00000-00000-00000", cdkey.ErrInvalid) },
		"adjust": func(rt *rapid.T) {
			amount := money.Amount(rapid.Int64Range(-2000, 2000).Filter(func(n int64) bool { return n != 0 }).
				Draw(rt, "amount"))
			_, err := c.Wallets.Adjust(ctx, user, amount, "by staff", nil)
			if amount < 0 && m.balance-m.held() < -amount {
				if !errors.Is(err, wallet.ErrBalanceTooLow) {
					rt.Fatalf("%s of %s: %v", amount, m.balance, err)
				}
				return
			}
			if err != nil {
				rt.Fatal(err)
			}
			m.balance += amount
			if amount < 0 {
				m.gifts.real = min(m.gifts.real, m.balance)
			}
		},
		"release": func(rt *rapid.T) {
			if err := g.invites.Release(ctx); err != nil {
				rt.Fatal(err)
			}
			m.release()
		},
		"withdraw": func(rt *rapid.T) {
			amount := money.Amount(rapid.Int64Range(1, 200).Draw(rt, "amount"))
			err := g.invites.Withdraw(ctx, g.inviter, amount)
			if amount > m.gifts.released {
				if !errors.Is(err, invite.ErrTooLittle) {
					rt.Fatalf("%s of %s: %v", amount, m.gifts.released, err)
				}
				return
			}
			if err != nil {
				rt.Fatal(err)
			}
			m.gifts.released -= amount
			m.gifts.moved += amount
		},
	}
}

// rules asks the database.
func (g *gifts) rules(rt *rapid.T) {
	for _, part := range []interface {
		Check(context.Context) ([]db.Violation, error)
	}{g.keys, g.invites} {
		if broken, err := part.Check(context.Background()); err != nil || len(broken) > 0 {
			rt.Fatal(broken, err)
		}
	}
}

// sound compares the database with the model.
func (g *gifts) sound(rt *rapid.T, c *server, m *model) {
	b, err := c.Wallets.Balance(context.Background(), g.inviter)
	if err != nil || b.Pending != m.gifts.pending || b.Commission != m.gifts.released || b.Posted != m.gifts.moved {
		rt.Fatalf("the inviter has %+v, %v; the model has %+v", b, err, m.gifts)
	}
	e, err := g.invites.Earnings(context.Background(), g.inviter)
	if err != nil || e.Owed != m.gifts.debt {
		rt.Fatalf("the inviter owes %s, %v; the model has %s", e.Owed, err, m.gifts.debt)
	}
}
