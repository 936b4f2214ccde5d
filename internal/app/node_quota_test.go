package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

func TestHourRates_FollowTheSitesTimeZone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		hours := slices.Repeat([]string{`"0.5"`}, 24)
		for i := 18; i < 24; i++ {
			hours[i] = `"2"`
		}
		a := h.add("busy", `,"hour_rates":[`+strings.Join(hours, ",")+`]`)
		h.moves(a.Secret, 100, 100)
		h.now = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC) // 18:00 in Shanghai
		if err := h.Queue.Trigger(h.Context(), "node.follow"); err != nil {
			h.Fatal(err)
		}
		h.moves(a.Secret, 100, 101)
		if got := h.rates(); !slices.Equal(got, []string{"2.00", "0.50"}) {
			h.Errorf("counted at %v", got)
		}
		if n := h.node(a.Node.ID); n.RateNow != "2.00" {
			h.Errorf("%+v", n)
		}
		access, err := h.Services.Access(h.Context(), h.users[0].id)
		if err != nil || access.UsedBytes != 100+402 {
			h.Errorf("billed %d, %v", access.UsedBytes, err)
		}
	})
}

func TestNodeQuota_UsedUp_NodeHasNoUsersUntilReset(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("metered", `,"quota_bytes":1000,"reset_day":31`)
		all := h.userList(a.Secret)
		if len(all) != 3 {
			h.Fatal(all)
		}
		var snapshot struct {
			Revision int64
			Users    []struct{ ID int64 }
		}
		agent := testUser{bearer: a.Secret}
		read := func() {
			h.Helper()
			w := h.call(h.Context(), agent, "GET", "/api/agent/v1/snapshot", "")
			if err := json.Unmarshal(w.Body.Bytes(), &snapshot); err != nil || w.Code != 200 {
				h.Fatal(w.Code, err)
			}
		}
		read()
		h.moves(a.Secret, 400, 599)
		if got := h.userList(a.Secret); !slices.Equal(got, all) {
			h.Fatalf("one byte below the quota %v", got)
		}
		h.moves(a.Secret, 0, 1)
		if got := h.userList(a.Secret); !slices.Equal(got, []int64{0}) {
			h.Fatalf("at the quota %v", got)
		}
		if line := h.ask(agent, 200, "GET", fmt.Sprintf("/api/agent/v1/changes?poll=1&since=%d", snapshot.Revision), "",
			nil); !strings.Contains(line, `"reset":true`) {
			h.Errorf("our agent hears %s", line)
		}
		if read(); len(snapshot.Users) != 0 {
			h.Errorf("our agent has %v", snapshot.Users)
		}
		if n := h.node(a.Node.ID); !n.Spent || n.UsedBytes != 1000 || n.ResetsAt != "2026-02-27T16:00:00Z" {
			h.Errorf("%+v", n)
		}
		// The reset is on the last day of months without a 31st: at midnight of 28 February in Shanghai.
		h.now = time.Date(2026, 2, 27, 15, 59, 0, 0, time.UTC)
		if err := h.Queue.Trigger(h.Context(), "node.follow"); err != nil || !h.node(a.Node.ID).Spent {
			h.Errorf("a minute before the reset: %v", err)
		}
		h.now = time.Date(2026, 2, 27, 16, 0, 0, 0, time.UTC)
		if err := h.Queue.Trigger(h.Context(), "node.follow"); err != nil {
			h.Fatal(err)
		}
		if n := h.node(a.Node.ID); n.Spent || n.UsedBytes != 0 || n.ResetsAt != "2026-03-30T16:00:00Z" {
			h.Errorf("after the reset %+v", n)
		}
		var totals []struct {
			Total int64 `json:"total_traffic"`
		}
		h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/v1/total/traffic/node/%d", a.Node.ID),
			`{"data_start_ats":["2026-01-31T00:00:00Z","2026-02-01T00:00:00Z"]}`, &totals)
		if len(totals) != 2 || totals[0].Total != 1000 || totals[1].Total != 0 {
			h.Errorf("%+v", totals)
		}
	})
}

func TestNodeQuota_Raised_OpensTheNodeAtOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("metered", `,"quota_bytes":100`)
		h.moves(a.Secret, 100, 0)
		path := fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID)
		for _, quota := range []int{101, 0} {
			h.ask(h.staff[account.Admin], 200, "PATCH", path, `{"quota_bytes":99}`, nil)
			if got := h.userList(a.Secret); !slices.Equal(got, []int64{0}) {
				h.Fatal(got)
			}
			h.ask(h.staff[account.Admin], 200, "PATCH", path, fmt.Sprintf(`{"quota_bytes":%d}`, quota), nil)
			if got := h.userList(a.Secret); len(got) != 3 {
				h.Fatal(got)
			}
		}
	})
}
