package app

import (
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/node"
)

func TestAnomalies_UsersWithManyAddresses(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		made := h.add("hk", "")
		n, err := h.Nodes.Get(h.Context(), made.Node.ID)
		if err != nil {
			h.Fatal(err)
		}
		var online []node.OnlineIP
		for i := range 11 {
			online = append(online, node.OnlineIP{UserID: h.users[0].id, IP: fmt.Sprintf("203.0.113.%d", i+1)})
		}
		for i := range 5 { // one network of IPv6, which is one connection to the internet
			online = append(online, node.OnlineIP{UserID: h.users[0].id, IP: fmt.Sprintf("2001:db8:1:2::%d", i+1)})
		}
		if stored, err := h.Nodes.Presence.SetOnline(h.Context(), n, online); err != nil || stored != len(online) {
			h.Fatal(stored, err)
		}
		staff := h.staff[account.Support]
		for query, want := range map[string]int{
			"kind=addresses": 1, "kind=addresses&least=12&days=1": 1, "kind=addresses&least=13": 0,
			"kind=addresses&offset=1": 0, "kind=networks": 0, "kind=interface": 0, "": 0,
		} {
			var got struct {
				Rows []struct {
					User  struct{ ID int64 }
					Value int64
				}
			}
			h.ask(staff, 200, "GET", "/api/v2/staff/anomalies?"+query, "", &got)
			rows := got.Rows
			if len(rows) != want || want == 1 && (rows[0].User.ID != h.users[0].id || rows[0].Value != 12) {
				h.Errorf("%s finds %+v", query, got)
			}
		}
		h.ask(h.staff[account.Finance], 403, "GET", "/api/v2/staff/anomalies", "", nil)
	})
}
