package app

import (
	"cmp"
	"flag"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/db/dbtest"
)

var lockSequences = flag.Int("locks.sequences", 0,
	"sequences after each of which the locks are compared; 0: 4, or 400 with -full")

// Whatever users, staff and the timetable do, no two transactions lock the same rows in opposite order: PostgreSQL ends
// one of two that wait for each other only after a second, for which others wait, too.
func TestLocks_OfWhatHappensToUsers_HaveOneOrder(t *testing.T) {
	logger := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(logger) })
	template := newMoneyTemplate(t, "postgres")
	var locks *dbtest.Locks
	template.trace = func(url string) (traced string) {
		traced, locks = dbtest.TraceLocks(t, url)
		return traced
	}
	known, done := map[string]bool{}, map[string]error{}
	for i := range cmp.Or(*lockSequences, size(4, 400)) {
		sequence := randomMoneySequence(rand.New(rand.NewPCG(*moneySeed+uint64(i), 0)), moneySequence)
		s, end := template.begin(t)
		s.runTraced(locks, sequence, i%2 == 1, done)
		locks.Name("")
		end()
		for _, d := range locks.Deadlocks(t) {
			if !known[d] {
				known[d] = true
				t.Error(d)
			}
		}
	}
	for name, err := range done {
		if err != nil {
			t.Errorf("the step %q was never done: %v", name, err)
		}
	}
}

// hinderMerges are steps after which something waits that an account must not have when it becomes part of another one.
var hinderMerges = []string{
	"notify", "pay late", "change late", "stale", "stale after", "twice", "request", "payout", "pay back", "staff adjust",
	"staff make key", "close",
}

// runTraced runs a sequence and then each of lockSteps for each user. It notes in done the last error of those of
// lockSteps that were refused each time. With merges two users become one between the two.
func (s *moneySite) runTraced(locks *dbtest.Locks, sequence []moneyStep, merges bool, done map[string]error) {
	ctx := s.ctx
	note := func(name string, err error) {
		if known, tried := done[name]; !tried || known != nil {
			done[name] = err
		}
	}
	for _, step := range sequence {
		if merges && slices.Contains(hinderMerges, step.Op) {
			continue
		}
		locks.Name(step.Op)
		s.ctx = account.Acting(ctx, s.users[step.Who].id)
		s.step(step)
	}
	s.ctx = ctx
	if merges {
		locks.Name("jobs")
		s.now = s.now.AddDate(0, 0, 2)
		s.jobs(nil, 0, 0)
		locks.Name("merge")
		note("merge", s.mergeUsers(s.users[0], s.users[1]))
	}
	for _, step := range lockSteps {
		for i, u := range s.users {
			other := s.users[(i+1)%len(s.users)]
			if u.closed || other.closed {
				continue
			}
			s.steps++
			s.now = s.now.Add(time.Second)
			locks.Name(step.name)
			acts := u
			if step.byStaff {
				acts = other
			}
			s.ctx = account.Acting(ctx, acts.id)
			note(step.name, step.do(s, u, other))
		}
	}
}
