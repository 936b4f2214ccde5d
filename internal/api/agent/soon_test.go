package agent_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// next gives the agents 2 s; what ends a right must not take longer, on any node.
func TestABanAUsedUpQuotaAndAResetPasswordReachEveryAgentSoon(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		since := s.revision()
		var agents []<-chan line
		for range 10 {
			agents = append(agents, s.stream(since))
		}
		all := func(what string, told func(line) bool) {
			t.Helper()
			for i, lines := range agents {
				if l := s.next(lines); !told(l) {
					t.Fatalf("%s came to agent %d as %+v", what, i, l)
				}
			}
		}
		all("the node", func(l line) bool { return l.Node != nil })

		before, err := s.Services.Access(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.ResetCredentials(ctx, tx, 1) })
		all("a reset password", func(l line) bool {
			return len(l.Users) == 1 && l.Users[0].ID == 1 && l.Users[0].Password != before.Password && l.Users[0].UUID != before.UUID
		})
		s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.SetBanned(ctx, tx, 1, true) })
		all("a ban", func(l line) bool { return slices.Equal(l.Removed, []int64{1}) })
		if status, out := s.report(batch(uuid.New(), 1, fmt.Sprintf(`{"user_id":2,"up":0,"down":%d}`, quota/2))); status != 200 {
			t.Fatal(status, out)
		}
		all("a used-up quota", func(l line) bool { return slices.Equal(l.Removed, []int64{2}) })
	})
}
