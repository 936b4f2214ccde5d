package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"airstrip/internal/account"
)

func TestAlarm_BeyondLink_NotifiesStaffOnceADay(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", `,"link_mbps":1`)
		const gigabytes = 1_000_000_000
		counted := func(down int64) bool {
			h.now = h.now.Add(time.Minute)
			w := h.call(h.Context(), testUser{}, "POST", "/v1/mod_mu/users/traffic?key="+a.Secret,
				fmt.Sprintf(`{"data":[{"user_id":%d,"u":1,"d":%d}]}`, h.users[0].id, down))
			var answer struct{ Ret int }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
				h.Fatal(w.Code, w.Body)
			}
			return answer.Ret == 1
		}
		h.now = h.now.Add(48 * time.Hour) // in which the link carries 21.6 GB; half as much again is believed
		if !counted(30*gigabytes) || len(h.nodeMails(h.T)) != 0 {
			h.Fatal(h.nodeMails(h.T))
		}
		notified := []string{"node_beyond_link admin@example.com", "node_beyond_link owner@example.com"}
		for range 3 {
			if counted(10*gigabytes) || !slices.Equal(h.nodeMails(h.T), notified) {
				h.Fatal(h.nodeMails(h.T))
			}
		}
		h.ask(h.staff[account.Admin], 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID),
			`{"link_mbps":100}`, nil)
		if !counted(10 * gigabytes) {
			h.Error("the link is faster now")
		}
		h.ask(h.staff[account.Admin], 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID), `{"link_mbps":1}`,
			nil)
		h.now = h.now.Add(23 * time.Hour)
		for range 3 {
			counted(30 * gigabytes)
		}
		if notified := h.nodeMails(h.T); len(notified) != 2 {
			h.Errorf("again within a day: %v", notified)
		}
		h.now = h.now.Add(time.Hour)
		if counted(30*gigabytes) || len(h.nodeMails(h.T)) != 4 {
			h.Error(h.nodeMails(h.T))
		}
	})
}
