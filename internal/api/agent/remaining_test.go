package agent_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
)

// Two nodes serve one quota. Each is sent the rest when it has halved through the other's traffic, not with every
// report.
func TestQuota_HalvedByOthers_IsSent(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		lines := s.stream(s.revision()) // Of the other node: the message is the same for all.
		s.next(lines)
		boot, sequence := uuid.New(), 0
		use := func(raw int64) {
			sequence++
			if status, out := s.report(batch(boot, sequence,
				fmt.Sprintf(`{"user_id":1,"up":0,"down":%d}`, raw))); status != 200 || out["result"] != "counted" {
				t.Fatal(status, out)
			}
		}
		sent, left := 0, quota/2 // Bytes at rate 2.
		known := left
		for range 200 {
			use(left / 20)
			left -= left / 20
			for known > 2*left && left > 1<<20 { // Then a message is due.
				l := s.next(lines)
				if len(l.Users) != 1 || l.Users[0].ID != 1 || *l.Users[0].Remaining < left ||
					*l.Users[0].Remaining > known {
					t.Fatalf("sent %+v with %d remaining", l, left)
				}
				known = *l.Users[0].Remaining
				sent++
			}
		}
		if sent < 7 || sent > 10 {
			t.Errorf("after 200 reports %d messages were sent", sent)
		}
		use(left)
		for {
			if l := s.next(lines); len(l.Removed) == 1 {
				break
			}
		}
	})
}
