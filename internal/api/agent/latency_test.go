package agent_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/service"
)

// A right that ends must end within 2 s on any node. A busy machine may need some attempts to show it.
func TestChanges_EndedRights_ReachEveryAgentSoon(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		since := s.revision()
		var agents []<-chan line
		for range 10 {
			agents = append(agents, s.stream(since))
		}
		all := func(what string, sent func(line) bool) {
			t.Helper()
			for i, lines := range agents {
				if l := s.next(lines); !sent(l) {
					t.Fatalf("%s came to agent %d as %+v", what, i, l)
				}
			}
		}
		all("the node", func(l line) bool { return l.Node != nil })

		var slowest time.Duration
		happens := func(what string, do func(), sent func(line) bool) {
			t.Helper()
			began := time.Now()
			do()
			all(what, sent)
			slowest = max(slowest, time.Since(began))
		}
		left := quota
		for range 10 {
			slowest = 0
			before, err := s.Services.Access(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			happens("a reset password", func() {
				s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.ResetCredentials(ctx, tx, 1) })
			}, func(l line) bool {
				return len(l.Users) == 1 && l.Users[0].ID == 1 && l.Users[0].Password != before.Password &&
					l.Users[0].UUID != before.UUID
			})
			happens("a ban", func() {
				s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.SetBanned(ctx, tx, 1, true) })
			}, func(l line) bool { return slices.Equal(l.Removed, []int64{1}) })
			happens("a used-up quota", func() {
				if status, out := s.report(batch(uuid.New(), 1,
					fmt.Sprintf(`{"user_id":2,"up":0,"down":%d}`, left/2))); status != 200 {
					t.Fatal(status, out)
				}
			}, func(l line) bool { return slices.Equal(l.Removed, []int64{2}) })
			if slowest < 2*time.Second {
				return
			}
			s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.SetBanned(ctx, tx, 1, false) })
			all("the end of a ban", func(l line) bool { return len(l.Users) == 1 && l.Users[0].ID == 1 })
			left = 1000
			s.Do(func(ctx context.Context, tx bun.Tx) error {
				_, err := s.Services.AddPackage(ctx, tx,
					service.PackageTerms{UserID: 2, Name: "more", Kind: service.Bought, Bytes: left})
				return err
			})
			all("more of a quota", func(l line) bool { return len(l.Users) == 1 && l.Users[0].ID == 2 })
		}
		t.Errorf("it took %s", slowest)
	})
}
