package agent_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"airstrip/internal/node"
)

type leased struct {
	Leases []struct {
		UserID int64 `json:"user_id"`
		Bytes  *int64
		Spent  bool
	}
	Seconds int64
}

// Two nodes lease the rest of one user's quota. Each is notified when the other needs what it holds.
func TestLeases_OverHTTP(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		second := node.Draft("HK 02", node.VLESS, "hk.example", 444)
		second.Settings, second.Class = s.node.Settings, 1
		s.Add(second)
		first := s.secret
		ask := func(secret string, body string) leased {
			t.Helper()
			s.secret = secret
			defer func() { s.secret = first }()
			status, _, got := s.call("POST", "leases", body)
			var out leased
			if err := json.Unmarshal(got, &out); err != nil || status != 200 {
				t.Fatal(status, string(got))
			}
			return out
		}
		open := func(user, open int64) string {
			return fmt.Sprintf(`{"users":[{"user_id":%d,"open":%d}]}`, user, open)
		}
		var list struct {
			Users []struct{ Remaining, Idle *int64 }
		}
		for path, leases := range map[string]bool{"snapshot": false, "snapshot?leases=1": true} {
			_, _, body := s.call("GET", path, "")
			list.Users = nil
			if err := json.Unmarshal(body, &list); err != nil || len(list.Users) != 2 ||
				*list.Users[0].Remaining != quota/2 {
				t.Fatal(string(body))
			}
			// A quarter of 50 MB for two nodes, at rate 2.
			if idle := list.Users[0].Idle; (idle != nil) != leases || leases && *idle != 50_000_000/4/2/2 {
				t.Errorf("%s: %s", path, body)
			}
		}
		got := ask(first, open(1, 0))
		if len(got.Leases) != 1 || *got.Leases[0].Bytes != quota/4/2 || got.Seconds != 6*3600 {
			t.Fatalf("%+v", got)
		}
		lines := s.stream(s.revision())
		s.next(lines)
		// The other node uses everything that is not leased. Then the first one is asked to release what it does not
		// need.
		moved := int64(0)
		for range 60 {
			moved = *ask(s.Keys[second.Name], open(1, moved)).Leases[0].Bytes
		}
		if all := quota - quota/4 + 50_000_000/4; moved != all {
			t.Fatalf("it leased %d of %d", moved, all)
		}
		if l := s.next(lines); len(l.Users) != 1 || l.Users[0].ID != 1 {
			t.Fatalf("%+v", l)
		}
		ask(first, `{"users":[{"user_id":1,"open":0,"release":true}]}`)
		if more := *ask(s.Keys[second.Name], open(1, moved)).Leases[0].Bytes; more <= moved {
			t.Errorf("%d after %d", more, moved)
		}
		if status, out := s.report(batch(uuid.New(), 1,
			fmt.Sprintf(`{"user_id":2,"up":0,"down":%d}`, quota/2))); status != 200 {
			t.Fatal(status, out)
		}
		for user, spent := range map[int64]bool{1: false, 2: true, 3: true} {
			if l := ask(first, open(user, 0)).Leases[0]; l.Spent != spent || (*l.Bytes == 0) != spent {
				t.Errorf("user %d: %d, spent: %t", user, *l.Bytes, l.Spent)
			}
		}
		for body, want := range map[string]int{`{`: 422, `{"users":[{"user_id":"x"}]}`: 422} {
			if status, _, got := s.call("POST", "leases", body); status != want {
				t.Errorf("%s: %d %s", body, status, got)
			}
		}
	})
}
