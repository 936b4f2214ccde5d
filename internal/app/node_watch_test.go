package app

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"airstrip/internal/account"
)

// watch searches for silent nodes each minute of a time and at its end, and returns the notifications of staff until
// then.
func (h *fixture) watch(after time.Duration) []string {
	h.Helper()
	for ; after > time.Minute; after -= time.Minute {
		h.search(time.Minute)
	}
	return h.search(after)
}

// search searches for silent nodes after a time without a search, and returns all notifications of staff.
func (h *fixture) search(after time.Duration) []string {
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
			if notified := h.search(away); len(notified) != 0 {
				h.Fatal(away, notified)
			}
			if notified := h.watch(299 * time.Second); len(notified) != 0 {
				h.Fatal(away, notified)
			}
		}
		if notified := h.watch(time.Second); len(notified) != 2 {
			h.Errorf("the node had time enough to come back: %v", notified)
		}
		if notified := h.search(time.Hour); len(notified) != 2 {
			h.Error(notified)
		}
		h.now = h.now.Add(time.Hour)
		h.userList(a.Secret)
		if notified := h.search(time.Second); len(notified) != 4 {
			h.Errorf("after a break, too, a node that is back is back: %v", notified)
		}
	})
}

func TestOutage_NotifiesStaffOnceAtItsBeginAndEnd(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		watch := h.watch
		if notified := watch(time.Hour); len(notified) != 0 {
			h.Errorf("of a node that was never in contact: %v", notified)
		}
		h.userList(a.Secret)
		if notified := watch(299 * time.Second); len(notified) != 0 {
			h.Error(notified)
		}
		offline := []string{"node_offline admin@example.com", "node_offline owner@example.com"}
		for _, after := range []time.Duration{time.Second, time.Minute, time.Hour} {
			if notified := watch(after); !slices.Equal(notified, offline) {
				h.Fatalf("after %s: %v", after, notified)
			}
		}
		if n := h.node(a.Node.ID); n.Status != "offline" {
			h.Errorf("%+v", n)
		}
		h.userList(a.Secret)
		back := append([]string{"node_back admin@example.com", "node_back owner@example.com"}, offline...)
		for range 2 {
			if notified := watch(time.Second); !slices.Equal(notified, back) {
				h.Fatal(notified)
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
			h.Errorf("%+v", history)
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
			h.Errorf("%+v", heavy)
		}
		var online []struct {
			UserID int64 `json:"user_id"`
			IP     string
		}
		h.ask(h.staff[account.Support], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/online", a.Node.ID), "",
			&online)
		if len(online) != 1 || online[0].IP != "192.0.2.7" || online[0].UserID != h.users[2].id {
			h.Errorf("%+v", online)
		}
		h.ask(h.staff[account.Viewer], 403, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/online", a.Node.ID), "", nil)
	})
}

func TestOutage_SilencedNode_IsRecordedAndToldToNobodyUntilTheSilenceEnds(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		h.userList(a.Secret)
		if err := h.Nodes.Silences.Set(h.Context(), a.Node.ID, 721*time.Hour); err == nil {
			h.Error("a node was silenced for longer than a month")
		}
		if err := h.Nodes.Silences.Set(h.Context(), a.Node.ID, time.Hour); err != nil {
			h.Fatal(err)
		}
		if notified := h.watch(30 * time.Minute); len(notified) != 0 {
			h.Errorf("of a silenced node: %v", notified)
		}
		outages, err := h.Nodes.Monitor.Outages(h.Context(), a.Node.ID, h.now.Add(-time.Hour))
		if err != nil || len(outages) != 1 {
			h.Errorf("%v, %v", outages, err)
		}
		h.now = h.now.Add(time.Hour)
		h.userList(a.Secret)
		if notified := h.search(time.Second); len(notified) != 2 {
			h.Errorf("after the silence: %v", notified)
		}
	})
}
