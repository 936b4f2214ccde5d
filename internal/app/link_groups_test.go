package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
)

func TestLinkGroups_Reassign_IsEvenAndKeepsUsers(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("a", `,"group_hosts":{"1":{"host":"one.example"},"2":{"host":"two.example","port":9000}},"relays":[{"name":"IX","host":"ix.example","port":7000}]`)
		type assignment struct {
			Moved  int
			Groups map[string]int
		}
		assign := func(query string) (d assignment) {
			h.Helper()
			h.ask(h.staff[account.Admin], 200, "GET", "/api/v2/cron_task/user_link_group"+query, "", &d)
			return d
		}
		h.ask(h.users[0], 403, "GET", "/api/v2/cron_task/user_link_group", "", nil)
		h.ask(testUser{}, 403, "GET", "/api/v2/cron_task/user_link_group?key="+a.Secret, "", nil)
		h.ask(h.staff[account.Admin], 422, "GET", "/api/v2/cron_task/user_link_group?is_all_flush=perhaps", "", nil)
		even := func(d assignment, groups int) {
			h.Helper()
			counts := slices.Collect(maps.Values(d.Groups))
			if len(counts) != groups || slices.Max(counts)-slices.Min(counts) > 1 {
				h.Errorf("assigned %+v", d)
			}
		}
		groups := func() (out []int) {
			for _, u := range h.users {
				g, err := h.Nodes.LinkGroups.Of(h.Context(), u.id)
				if err != nil {
					h.Fatal(err)
				}
				out = append(out, g)
			}
			return out
		}
		even(assign(""), 2)
		first := groups()
		if again := assign(""); again.Moved != 0 || !slices.Equal(groups(), first) {
			h.Errorf("a second assignment moved %+v", again)
		}
		var nodes struct {
			Available []struct {
				ServerAddress string `json:"server_address"`
			} `json:"available_nodes"`
		}
		for i, u := range h.users {
			token, err := h.Links.Token(h.Context(), u.id)
			if err != nil {
				h.Fatal(err)
			}
			file := h.ask(testUser{}, 200, "GET", "/link2/"+token.Token+"?client_type=Clash", "", nil)
			own, other := "one.example", "two.example"
			if first[i] == 2 {
				own, other = other, own
			}
			if !strings.Contains(file, own) || strings.Contains(file, other) || strings.Contains(file, "a.example") ||
				!strings.Contains(file, "ix.example") || strings.Contains(file, "9000") != (first[i] == 2) {
				h.Errorf("a user of group %d gets %s", first[i], file)
			}
			h.ask(u, 200, "GET", "/api/v2/user/services/nodes", "", &nodes)
			if nodes.Available[0].ServerAddress != own {
				h.Errorf("a user of group %d sees %+v", first[i], nodes)
			}
		}
		h.ask(h.staff[account.Admin], 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID),
			`{"group_hosts":{"2":{"host":"two.example"},"3":{"host":"three.example"},"4":{"host":"four.example"}}}`,
			nil)
		even(assign(""), 3)
		for i, g := range groups() {
			if g == 1 {
				h.Errorf("user %d is in a group that is gone", i)
			}
		}
		even(assign("?is_all_flush=true"), 3)
	})
}
