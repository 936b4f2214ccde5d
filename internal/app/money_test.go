package app

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/internal/audit"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/shop"
)

// moneyStep is one step of a sequence: what happens, to which user, and two numbers that say more.
type moneyStep struct {
	Op        string
	Who, B, C int
}

func (s moneyStep) String() string { return fmt.Sprintf("{%q, %d, %d, %d}", s.Op, s.Who, s.B, s.C) }

// moneySite is a site on which a sequence runs, with what the model knows of it.
type moneySite struct {
	*App
	ctx      context.Context
	now      time.Time
	zone     *time.Location
	users    []*moneyUser
	plans    []shop.Plan
	coupons  []shop.Coupon
	nodes    []node.Node
	priceIDs []int64
	prices   map[int64][]money.Amount // all that each price ever was
	keys     []*moneyKey
	steps    int
	reports  int
	staff    staffWork
}

// begin opens a site at the start of a sequence. end removes it.
func (m *moneyTemplate) begin(t *testing.T) (s *moneySite, end func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	a, err := m.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// The operator gives whatever staff gives, so that each act has its entry in the audit log.
	ctx = a.Audit.As(ctx, audit.Actor{Kind: audit.Operator, Name: "test"})
	s = &moneySite{
		App: a.App, ctx: ctx, now: moneyStart, zone: a.Settings.Get().Zone(),
		plans: m.plans, coupons: m.coupons, nodes: m.nodes, prices: map[int64][]money.Amount{},
	}
	a.DB.SetClock(func() time.Time { return s.now })
	if m.runsTwice {
		a.DB.RunTwice()
	}
	for _, p := range m.plans {
		for _, price := range p.Prices {
			s.priceIDs = append(s.priceIDs, price.ID)
			s.prices[price.ID] = []money.Amount{price.Amount}
		}
	}
	for i, id := range m.users {
		u := &moneyUser{id: id, packages: map[int64]*lot{}, bought: map[int64]*shop.Order{}}
		u.seen = s.look(u)
		s.users = append(s.users, u)
		if i > 0 {
			s.users[i-1].invited = append(s.users[i-1].invited, u)
		}
	}
	return s, func() {
		if err := m.close(ctx, a); err != nil {
			t.Error(err)
		}
	}
}

// moneyFailure is what the oracle has against a sequence.
type moneyFailure struct {
	format string // says which rule was broken
	text   string
	after  int // so many steps
}

func (s *moneySite) fatalf(format string, args ...any) {
	panic(&moneyFailure{format, fmt.Sprintf(format, args...) + " at " + s.now.String(), s.steps})
}

// step does one step; what it did to users is held against the oracle.
func (s *moneySite) step(st moneyStep) {
	s.steps++
	s.now = s.now.Add(time.Second)
	u := s.users[st.Who%len(s.users)]
	if u.closed {
		return
	}
	moneyOps[st.Op].do(s, u, st.B, st.C)
	if s.steps%16 == 0 {
		s.did(nil, effect{})
	}
}

// did holds what a user has after something happened against the oracle; of nil, what everybody has.
func (s *moneySite) did(u *moneyUser, e effect) {
	if u != nil {
		s.settle(u, e)
		return
	}
	for _, u := range s.users {
		if !u.closed {
			s.settle(u, e)
		}
	}
	s.checkCommissions()
}

// finished holds the whole site against the oracle.
func (s *moneySite) finished() {
	s.did(nil, effect{})
	for _, u := range s.users {
		if !u.closed {
			s.checkMovements(u)
		}
	}
	s.checkLimits()
	s.checkSite()
}

// run does a sequence on a new site; nil: the oracle has nothing against it.
func (m *moneyTemplate) run(t *testing.T, sequence []moneyStep) (failure *moneyFailure) {
	t.Helper()
	s, end := m.begin(t)
	defer end()
	defer func() {
		if f, ok := recover().(*moneyFailure); ok {
			failure = f
		}
	}()
	for _, step := range sequence {
		s.step(step)
	}
	s.finished()
	return nil
}

// shrink returns a shorter sequence with smaller numbers that breaks the same rule.
func (m *moneyTemplate) shrink(t *testing.T, sequence []moneyStep, failure *moneyFailure) ([]moneyStep, *moneyFailure) {
	t.Helper()
	try := func(shorter []moneyStep) bool {
		f := m.run(t, shorter)
		if f == nil || f.format != failure.format {
			return false
		}
		sequence, failure = shorter[:f.after], f
		return true
	}
	try(slices.Clone(sequence[:failure.after]))
	for size := len(sequence) / 2; size > 0; {
		removed := false
		for i := len(sequence) - size; i >= 0; i -= size {
			if i+size <= len(sequence) && try(slices.Delete(slices.Clone(sequence), i, i+size)) {
				removed = true
			}
		}
		if !removed {
			size /= 2
		}
	}
	for i := range sequence {
		for _, smaller := range []func(*moneyStep){
			func(s *moneyStep) { s.Who = 0 }, func(s *moneyStep) { s.B = 0 }, func(s *moneyStep) { s.C = 0 },
			func(s *moneyStep) { s.B %= 8 }, func(s *moneyStep) { s.C %= 16 },
		} {
			changed := slices.Clone(sequence)
			if smaller(&changed[i]); changed[i] != sequence[i] {
				try(changed)
			}
			if i >= len(sequence) {
				break
			}
		}
	}
	return sequence, failure
}

// randomMoneySequence draws a sequence; the first user does most.
func randomMoneySequence(random *rand.Rand, steps int) []moneyStep {
	var often []string
	for _, name := range slices.Sorted(maps.Keys(moneyOps)) {
		often = append(often, slices.Repeat([]string{name}, moneyOps[name].often)...)
	}
	users := []int{0, 0, 0, 0, 0, 1, 1, 2}
	sequence := make([]moneyStep, steps)
	for i := range sequence {
		op, who := often[random.IntN(len(often))], users[random.IntN(len(users))]
		sequence[i] = moneyStep{op, who, random.IntN(256), random.IntN(256)}
	}
	return sequence
}

var (
	moneySeed  = flag.Uint64("money.seed", 1, "number of the first sequence of the money model")
	moneySteps = flag.Int("money.steps", 0,
		"steps of the money model on each database; 0: 1,000, or 1,000,000 with -full")
)

// moneySequence is how many steps a sequence has. Shorter ones find more in the same time where faults need few steps.
const moneySequence = 50

// TestMoney_RandomSteps_BringNobodyMoreThanWasPaid searches for sequences of what users, staff and time may do after
// which somebody owns more than was paid or given. Without flags it always tries the same ones.
func TestMoney_RandomSteps_BringNobodyMoreThanWasPaid(t *testing.T) {
	logger := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(logger) })
	sequences := cmp.Or(*moneySteps, size(400, 1_000_000)) / moneySequence
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			template := newMoneyTemplate(t, engine)
			began := time.Now()
			var next, steps atomic.Int64
			report := func(t *testing.T, n int64) {
				t.Logf("%d steps, %.0f a second, up to sequence %d", n, float64(n)/time.Since(began).Seconds(),
					*moneySeed+uint64(min(next.Load(), int64(sequences)))-1)
			}
			t.Cleanup(func() { report(t, steps.Load()) })
			for searcher := range runtime.GOMAXPROCS(0) {
				t.Run(strconv.Itoa(searcher), func(t *testing.T) {
					t.Parallel()
					for i := next.Add(1) - 1; i < int64(sequences); i = next.Add(1) - 1 {
						template.search(t, *moneySeed+uint64(i))
						if n := steps.Add(moneySequence); n%10_000 == 0 {
							report(t, n)
						}
					}
				})
			}
		})
	}
}

// search runs the sequence of this number and reports a short one that the oracle has the same against.
func (m *moneyTemplate) search(t *testing.T, seed uint64) {
	t.Helper()
	sequence := randomMoneySequence(rand.New(rand.NewPCG(seed, 0)), moneySequence)
	failure := m.run(t, sequence)
	if failure == nil {
		return
	}
	first := failure.text
	sequence, failure = m.shrink(t, sequence, failure)
	var lines strings.Builder
	for _, step := range sequence {
		fmt.Fprintf(&lines, "\t%s,\n", step)
	}
	t.Errorf("sequence %d: %s\nshrunk: %s\n%s", seed, first, failure.text, lines.String())
}
