package app

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestAlarm_Doubled_NotifiesStaffOnceADay(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		uptime := 1000
		alternate := func() []string {
			h.Helper()
			for range 3 {
				for _, boot := range []string{"a", "b"} {
					h.now, uptime = h.now.Add(10*time.Second), uptime+10
					h.ask(testUser{bearer: a.Secret}, 200, "POST", "/api/agent/v1/status",
						fmt.Sprintf(`{"boot":%q,"uptime_seconds":%d,"load":[0,0,0]}`, boot, uptime), nil)
				}
			}
			return h.nodeMails(h.T)
		}
		notified := []string{"node_double admin@example.com", "node_double owner@example.com"}
		if got := alternate(); !slices.Equal(got, notified) {
			h.Fatal(got)
		}
		h.now = h.now.Add(23 * time.Hour)
		if got := alternate(); !slices.Equal(got, notified) {
			h.Fatalf("again within a day: %v", got)
		}
		h.now = h.now.Add(time.Hour)
		if got := alternate(); len(got) != 4 {
			h.Fatal(got)
		}
	})
}
