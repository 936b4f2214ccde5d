package payment_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// modelBack is what went of a recharge, or is on its way, back through its gateway.
type modelBack struct {
	done    money.Amount
	pending []modelRefund
}

type modelRefund struct {
	id     int64
	amount money.Amount
}

func (b *modelBack) underway() (sum money.Amount) {
	for _, g := range b.pending {
		sum += g.amount
	}
	return sum
}

// gone is what a refund that the gateway did does to the user, and to who earned by the money.
func (m *model) gone(r *modelRecharge, amount money.Amount) {
	r.back.done += amount
	m.balance -= amount
	if r.back.done == r.Amount {
		r.state = wallet.RechargeRefunded
	}
	counted := amount - m.gifts.spend(amount)
	for _, o := range m.counting() {
		if counted > 0 {
			back := min(counted, o.base)
			m.gifts.lower(o, back)
			counted -= back
		}
	}
}

// refundActions are what may happen to money on its way back: the gateway does it, refuses it, or says nothing for
// long.
func refundActions(c *refundServer, m *model, pass func(time.Duration)) map[string]func(*rapid.T) {
	ctx := context.Background()
	find := func(rt *rapid.T, id int64) *wallet.GatewayRefund {
		g, err := c.Wallets.GatewayRefund(ctx, id)
		if err != nil {
			rt.Fatal(err)
		}
		return g
	}
	no, dead := error(&payment.RefundRefused{Words: "no"}), errors.New("the connection failed")
	// failing runs do while the gateway fails before a refund, or after it, or not at all, and returns the state that a
	// refund then has.
	failing := func(rt *rapid.T, do func(), moods ...error) wallet.GatewayRefundState {
		mood := rapid.SampledFrom(moods).Draw(rt, "mood")
		line, want := &c.line.before, wallet.GatewayRefundPending
		switch {
		case mood == nil:
			do()
			return wallet.GatewayRefundDone
		case mood == no:
			want = wallet.GatewayRefundFailed
		case rapid.Bool().Draw(rt, "though it was done"):
			line = &c.line.after
		}
		line.Store(&mood)
		defer line.Store(nil)
		do()
		return want
	}
	return map[string]func(*rapid.T){
		"pay a recharge back": func(rt *rapid.T) {
			if len(m.recharges) == 0 {
				rt.Skip("no recharge yet")
			}
			r := rapid.SampledFrom(m.recharges).Draw(rt, "recharge")
			amount := r.Amount - r.back.done - r.back.underway()
			if rapid.Bool().Draw(rt, "a part") {
				amount = money.Amount(rapid.Int64Range(1, int64(r.Amount)).Draw(rt, "amount"))
			}
			var g *wallet.GatewayRefund
			var err error
			want := failing(rt, func() {
				g, err = c.Payments.GiveBack(ctx, payment.RefundWish{
					RechargeID: r.ID, Amount: amount,
					Reason: "wanted",
				})
			}, nil, no, dead)
			left := r.Amount - r.back.done - r.back.underway()
			switch {
			case r.state != wallet.RechargeDone || left == 0:
				if !errors.Is(err, wallet.ErrNotRefundable) {
					rt.Fatalf("%s left of a recharge that is %s: %v", left, r.state, err)
				}
				return
			case amount > left:
				if !errors.Is(err, fault.ErrInvalid) {
					rt.Fatalf("%s of %s left: %v", amount, left, err)
				}
				return
			case amount > m.balance-m.held():
				if !errors.Is(err, wallet.ErrBalanceTooLow) {
					rt.Fatalf("%s of %s: %v", amount, m.balance-m.held(), err)
				}
				return
			case err != nil || g.State != want:
				rt.Fatalf("%+v, not %s: %v", g, want, err)
			}
			switch want {
			case wallet.GatewayRefundDone:
				m.gone(r, amount)
			case wallet.GatewayRefundPending:
				r.back.pending = append(r.back.pending, modelRefund{g.ID, amount})
			}
		},
		"ask again for what goes back": func(rt *rapid.T) {
			pass(time.Hour) // the longest pause
			var due []*wallet.GatewayRefund
			of := map[int64]*modelRecharge{}
			for _, r := range m.recharges {
				for _, g := range r.back.pending {
					due, of[g.id] = append(due, find(rt, g.id)), r
				}
			}
			slices.SortFunc(due, func(a, b *wallet.GatewayRefund) int {
				return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ID, b.ID))
			})
			// What the gateway did before it cannot refuse now.
			want := failing(rt, func() {
				if err := c.Payments.RetryRefunds(ctx); err != nil {
					rt.Fatal(err)
				}
			}, nil, dead)
			for _, g := range due {
				if now := find(rt, g.ID).State; now != want {
					rt.Fatalf("the refund %d is %s, not %s", g.ID, now, want)
				}
				if r := of[g.ID]; want == wallet.GatewayRefundDone {
					r.back.pending = slices.DeleteFunc(r.back.pending, func(p modelRefund) bool { return p.id == g.ID })
					m.gone(r, g.Amount)
				}
			}
			for _, r := range m.recharges {
				there, err := c.sandbox.Returned(ctx, r.TradeNo)
				if err != nil || len(r.back.pending) == 0 && there != r.back.done {
					rt.Fatalf("the gateway gave back %s of recharge %d, not %s; %v", there, r.ID, r.back.done, err)
				}
			}
		},
	}
}
