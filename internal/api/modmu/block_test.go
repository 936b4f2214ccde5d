package modmu_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"airstrip/internal/node"
)

func (s *site) block(name string, ips ...string) string {
	s.Helper()
	var rows []map[string]string
	for _, ip := range ips {
		rows = append(rows, map[string]string{"ip": ip})
	}
	body, err := json.Marshal(map[string]any{"data": rows})
	if err != nil {
		s.Fatal(err)
	}
	return string(s.data(name, "POST", "/func/block_ip", string(body)))
}

// A stolen secret must not block users of other nodes.
func TestBlockIP_AddressOfOtherUsers_IsNotBlocked(t *testing.T) {
	each(t, func(s *site) {
		now := time.Now()
		s.DB.SetClock(func() time.Time { return now })
		s.data("ss", "POST", "/users/aliveip",
			`{"data":[{"user_id":1,"ip":"9.9.9.9"},{"user_id":2,"ip":"2001:db9::1"}]}`)
		now = now.Add(12 * time.Hour) // They are asleep.
		if got := s.block("vmess", "9.9.9.9", "::ffff:9.9.9.9", "2001:db9:0::1",
			"8.8.4.4"); got != `"took 1 of 4 rows"` {
			t.Errorf("blocked by another node: %s", got)
		}
		if got := s.block("ss", "9.9.9.9"); got != `"ok"` {
			t.Errorf("blocked by their own node, which knows what they did: %s", got)
		}
		now = now.Add(13 * time.Hour)
		if got := s.block("vmess", "2001:db9::1"); got != `"ok"` {
			t.Errorf("blocked after they were away for a day: %s", got)
		}
	})
}

func TestBlockIP_IsBounded(t *testing.T) {
	each(t, func(s *site) {
		var ips []string
		for i := range 10_500 {
			ips = append(ips, fmt.Sprintf("8.8.%d.%d", i>>8, i&255))
		}
		for range 2 { // A repetition blocks no more.
			if got := s.block("ss", ips...); got != `"took 10000 of 10500 rows"` {
				t.Errorf("answered %s", got)
			}
		}
		if got := s.block("ss", "9.9.9.9"); got != `"took 0 of 1 rows"` {
			t.Errorf("one more: %s", got)
		}
		if got := s.block("vmess", "9.9.9.9", ips[0]); got != `"ok"` {
			t.Errorf("another node: %s", got)
		}
		_, total, err := s.Nodes.Blocklist.List(t.Context(), node.BlockFilter{}, 1, 0)
		if err != nil || total != 10_002 {
			t.Errorf("%d are blocked, %v", total, err)
		}
		if err := s.Nodes.Blocklist.Unblock(t.Context(), ips[1]); err != nil {
			t.Fatal(err)
		}
		if got := s.block("ss", "9.9.9.9"); !strings.Contains(got, "ok") {
			t.Errorf("in the place of one that was let go: %s", got)
		}
	})
}
