package invite_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// life is what a model of two buyers and those who invited them knows. Each order is of 10.00 and comes back whole.
type life struct {
	*circle
	random   *rand.Rand
	inviters []int64 // that no merge ended
	buyers   []*modelBuyer
	moved    money.Amount // commission that inviters moved into their wallets
}

type modelBuyer struct {
	id        int64
	money     money.Amount // that came in and was not spent
	gifts     money.Amount
	recharges []*modelRecharge
	orders    []*modelOrder
}

type modelRecharge struct {
	*wallet.Recharge
	left money.Amount // of it, what did not go back
}

type modelOrder struct {
	id     int64
	money  money.Amount // that paid for it and has not come back
	isOver bool
}

func (b *modelBuyer) balance() money.Amount { return b.money + b.gifts }

// upTo returns a random amount from 0.01 to the given one.
func (l *life) upTo(most money.Amount) money.Amount {
	return 1 + money.Amount(l.random.Int64N(int64(most)))
}

func (l *life) step(t *testing.T) string {
	t.Helper()
	b := l.buyers[l.random.IntN(len(l.buyers))]
	inviter := l.inviters[l.random.IntN(len(l.inviters))]
	switch l.random.IntN(10) {
	case 0, 1:
		amount := 99 + l.upTo(2900) // a recharge is of at least 1.00
		b.recharges = append(b.recharges, &modelRecharge{l.pays(t, b.id, amount), amount})
		b.money += amount
		return fmt.Sprintf("user %d pays %s", b.id, amount)
	case 2:
		amount := l.upTo(1500)
		l.gets(t, b.id, amount)
		b.gifts += amount
		return fmt.Sprintf("user %d gets %s", b.id, amount)
	case 3:
		if b.balance() == 0 {
			return ""
		}
		amount := l.upTo(b.balance())
		l.gets(t, b.id, -amount)
		gift := min(b.gifts, amount)
		b.gifts -= gift
		b.money -= amount - gift
		return fmt.Sprintf("user %d loses %s", b.id, amount)
	case 4, 5:
		if b.balance() < 1000 {
			return ""
		}
		o := &modelOrder{id: l.buys(t, b.id), money: min(b.money, 1000)}
		b.money -= o.money
		b.gifts -= 1000 - o.money
		b.orders = append(b.orders, o)
		return fmt.Sprintf("user %d buys %d", b.id, o.id)
	case 6:
		if len(b.orders) == 0 {
			return ""
		}
		o := b.orders[l.random.IntN(len(b.orders))]
		if o.isOver {
			return ""
		}
		l.refunds(t, o.id)
		b.money += o.money
		b.gifts += 1000 - o.money
		o.money, o.isOver = 0, true
		return fmt.Sprintf("order %d is refunded", o.id)
	case 7:
		return l.goesBack(t, b)
	case 8:
		if l.random.IntN(2) == 0 {
			l.release(t, 0)
			return "release"
		}
		has, err := l.wallets.Balance(t.Context(), inviter)
		if err != nil || has.Commission == 0 {
			return ""
		}
		amount := l.upTo(has.Commission)
		l.withdraws(t, inviter, amount)
		l.moved += amount
		return fmt.Sprintf("user %d withdraws %s", inviter, amount)
	}
	return l.merge(t, inviter)
}

// goesBack has a part of a recharge go back, of money that was not spent and then of the newest orders.
func (l *life) goesBack(t *testing.T, b *modelBuyer) string {
	t.Helper()
	if len(b.recharges) == 0 {
		return ""
	}
	r := b.recharges[l.random.IntN(len(b.recharges))]
	most := min(r.left, b.balance())
	if most == 0 {
		return ""
	}
	amount := l.upTo(most)
	l.back(t, r.Recharge, amount)
	r.left -= amount
	rest := amount - min(amount, b.money)
	b.money -= amount - rest
	b.gifts -= rest
	for n := len(b.orders) - 1; n >= 0; n-- {
		part := min(rest, b.orders[n].money)
		b.orders[n].money -= part
		rest -= part
	}
	return fmt.Sprintf("%s of recharge %d goes back", amount, r.ID)
}

// merge makes an inviter a part of another one, unless something of them waits.
func (l *life) merge(t *testing.T, from int64) string {
	t.Helper()
	var others []int64
	for _, id := range l.inviters {
		if id != from {
			others = append(others, id)
		}
	}
	waits, err := l.Unsettled(t.Context(), l.db, from)
	if err != nil {
		t.Fatal(err)
	}
	if len(others) == 0 || len(waits.Pending)+len(waits.Owed) > 0 {
		return ""
	}
	into := others[l.random.IntN(len(others))]
	l.becomesPartOf(t, from, into)
	l.inviters = others
	return fmt.Sprintf("user %d becomes a part of user %d", from, into)
}

// sums compares what inviters have with a tenth of what orders took for good, each rounded down.
func (l *life) sums(t *testing.T) {
	t.Helper()
	var want, total, has money.Amount
	for _, b := range l.buyers {
		for _, o := range b.orders {
			want += o.money / 10
		}
		l.holds(t, b.id, b.balance())
	}
	for id := int64(1); id <= inviters; id++ {
		e, err := l.Earnings(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		balance, err := l.wallets.Balance(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		total += e.Total
		has += balance.Commission + balance.Pending - e.Owed
	}
	if total != want || has+l.moved != want {
		t.Fatalf("inviters earned %s, have %s and withdrew %s; the orders say %s", total, has, l.moved, want)
	}
	l.sound(t)
}

const inviters = 3

var seeds = flag.Uint64("seeds", 6, "random lives of inviters and buyers on each database")

func TestCommission_AnySequence_IsATenthOfWhatStaysSpent(t *testing.T) {
	for seed := range *seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				l := &life{circle: open(t, d), random: rand.New(rand.NewPCG(seed, 0))}
				l.set(t, "commission_days", 0)
				for range inviters {
					l.inviters = append(l.inviters, l.user(t, 0))
				}
				for _, inviter := range l.inviters[:2] {
					l.buyers = append(l.buyers, &modelBuyer{id: l.user(t, inviter)})
				}
				for range 80 {
					if done := l.step(t); done != "" {
						t.Log(done) // printed where the test fails
						l.sums(t)
					}
				}
			})
		})
	}
}
