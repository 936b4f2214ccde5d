package app

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"airstrip/internal/account"
)

// watch looks for silent nodes each minute of a time and at its end, and gives whom staff was told of until then.
func (h *fixture) watch(after time.Duration) []string {
	h.Helper()
	for ; after > time.Minute; after -= time.Minute {
		h.look(time.Minute)
	}
	return h.look(after)
}

// look looks for silent nodes after a time in which nobody did.
func (h *fixture) look(after time.Duration) []string {
	h.Helper()
	h.now = h.now.Add(after)
	if err := h.Queue.Trigger(h.Context(), "node.watch"); err != nil {
		h.Fatal(err)
	}
	return h.nodeMails(h.T)
}

func TestOutage_ServerWasAway_IsNotRecorded(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		h.userList(a.Secret)
		// It starts for the first time; then it or its database is away; then its clock is set back.
		for _, away := range []time.Duration{
			time.Hour, 4 * time.Minute, 2 * time.Minute, 20 * 24 * time.Hour,
			-19 * 24 * time.Hour,
		} {
			if told := h.look(away); len(told) != 0 {
				t.Fatal(away, told)
			}
			if told := h.watch(299 * time.Second); len(told) != 0 {
				t.Fatal(away, told)
			}
		}
		if told := h.watch(time.Second); len(told) != 2 {
			t.Errorf("the node had time enough to come back: %v", told)
		}
		if told := h.look(time.Hour); len(told) != 2 {
			t.Error(told)
		}
		h.now = h.now.Add(time.Hour)
		h.userList(a.Secret)
		if told := h.look(time.Second); len(told) != 4 {
			t.Errorf("after a break, too, a node that is back is back: %v", told)
		}
	})
}

func TestOutage_NotifiesStaffOnceAtItsBeginAndEnd(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		watch := h.watch
		if told := watch(time.Hour); len(told) != 0 {
			t.Errorf("of a node that was never heard of: %v", told)
		}
		h.userList(a.Secret)
		if told := watch(299 * time.Second); len(told) != 0 {
			t.Error(told)
		}
		offline := []string{"node_offline admin@example.com", "node_offline owner@example.com"}
		for _, after := range []time.Duration{time.Second, time.Minute, time.Hour} {
			if told := watch(after); !slices.Equal(told, offline) {
				t.Fatalf("after %s: %v", after, told)
			}
		}
		if n := h.node(a.Node.ID); n.Status != "offline" {
			t.Errorf("%+v", n)
		}
		h.userList(a.Secret)
		back := append([]string{"node_back admin@example.com", "node_back owner@example.com"}, offline...)
		for range 2 {
			if told := watch(time.Second); !slices.Equal(told, back) {
				t.Fatal(told)
			}
		}
		var history struct {
			Moments []struct{ At time.Time }
			Outages []struct {
				BeganAt time.Time  `json:"began_at"`
				EndedAt *time.Time `json:"ended_at"`
			}
		}
		h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/history", a.Node.ID), "",
			&history)
		if len(history.Moments) != 2 || len(history.Outages) != 1 || history.Outages[0].EndedAt == nil ||
			history.Outages[0].EndedAt.Sub(history.Outages[0].BeganAt) != time.Hour+6*time.Minute {
			t.Errorf("%+v", history)
		}
	})
}

func TestHeaviestUsers_OfNode(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		h.ask(testUser{}, 200, "POST", "/v1/mod_mu/users/traffic?key="+a.Secret,
			fmt.Sprintf(`{"data":[{"user_id":%d,"u":1,"d":2},{"user_id":%d,"u":5,"d":5}]}`, h.users[0].id,
				h.users[2].id), nil)
		h.ask(testUser{}, 200, "POST", "/v1/mod_mu/users/aliveip?key="+a.Secret,
			fmt.Sprintf(`{"data":[{"user_id":%d,"ip":"192.0.2.7"}]}`, h.users[2].id), nil)
		var heavy []struct {
			UserID int64 `json:"user_id"`
			Email  string
			Billed int64 `json:"billed_bytes"`
		}
		h.now = h.now.Add(time.Minute)
		h.ask(h.staff[account.Support], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/users", a.Node.ID), "", &heavy)
		if len(heavy) != 2 || heavy[0].UserID != h.users[2].id || heavy[0].Email != "user2@example.com" ||
			heavy[0].Billed != 10 || heavy[1].Billed != 3 {
			t.Errorf("%+v", heavy)
		}
		var online []struct {
			UserID int64 `json:"user_id"`
			IP     string
		}
		h.ask(h.staff[account.Support], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/online", a.Node.ID), "",
			&online)
		if len(online) != 1 || online[0].IP != "192.0.2.7" || online[0].UserID != h.users[2].id {
			t.Errorf("%+v", online)
		}
		h.ask(h.staff[account.Viewer], 403, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/online", a.Node.ID), "", nil)
	})
}
