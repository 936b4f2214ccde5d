package app

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// Staff counts or dismisses, once, what a node reported too late. Who did it, when, how and why is stored with the
// batch.
func TestHeldBatches_StaffCountsOrDismisses(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		n, _, err := h.Nodes.Add(h.Context(), node.Draft("hk", node.VMess, "hk.example", 80))
		if err != nil {
			h.Fatal(err)
		}
		was := h.now
		h.now = h.now.AddDate(0, 0, 8)
		user := h.users[0].id
		for i := range 2 {
			r, err := h.Traffic.Record(h.Context(), traffic.Report{
				Node: n, ID: fmt.Sprint("boot:", i), Hash: sha256.Sum256([]byte{byte(i)}), From: was,
				To:   was.Add(time.Hour),
				Rows: []traffic.Row{{UserID: user, Up: 100, Down: 200}, {UserID: 999, Up: 1}},
			})
			if err != nil || r.Kept != traffic.TooOld {
				h.Fatal(r, err)
			}
		}
		path := fmt.Sprintf("/api/v2/staff/nodes/%d/held-batches", n.ID)
		type batch struct {
			ID, Rows  int64
			State     string
			Reason    string
			Rate      *string
			Cycle     *string
			Note      string
			DecidedBy *int64 `json:"decided_by"`
		}
		var page struct {
			Batches    []batch
			TotalCount int64 `json:"total_count"`
		}
		h.ask(h.staff[account.Viewer], 200, "GET", path+"?state=waiting", "", &page)
		if page.TotalCount != 2 || len(page.Batches) != 2 || page.Batches[0].Rows != 2 ||
			page.Batches[0].Reason != "too_old" {
			h.Fatalf("%+v", page)
		}
		one := func(i int, what string) string { return fmt.Sprintf("%s/%d/%s", path, page.Batches[i].ID, what) }
		admin, body := h.staff[account.Admin], `{"rate":"1.5","note":"the node was cut off"}`
		for _, role := range []account.Role{account.Support, account.Finance, account.Viewer} {
			h.ask(h.staff[role], 403, "POST", one(0, "count"), body, nil)
			h.ask(h.staff[role], 403, "POST", one(1, "dismiss"), `{"note":"x"}`, nil)
		}
		for wrong, status := range map[string]int{
			`{"rate":"-1","note":"x"}`: 422, `{"rate":"101","note":"x"}`: 422, `{"rate":"1","note":""}`: 422,
			`{"rate":"1"}`: 422,
		} {
			h.ask(admin, status, "POST", one(0, "count"), wrong, nil)
		}
		var counted struct {
			Batch   batch
			Refused []struct {
				UserID int64 `json:"user_id"`
				Code   string
			}
		}
		h.ask(admin, 200, "POST", one(0, "count"), body, &counted)
		if b := counted.Batch; b.State != "counted" || *b.Rate != "1.5" && *b.Rate != "1.50" || *b.Cycle != "own" ||
			*b.DecidedBy != admin.id ||
			b.Note != "the node was cut off" || len(counted.Refused) != 1 || counted.Refused[0].Code != "not_on_list" {
			h.Errorf("%+v", counted)
		}
		if a, err := h.Services.Access(h.Context(), user); err != nil || a.UsedBytes != 450 {
			h.Errorf("%d are billed, %v", a.UsedBytes, err)
		}
		var dismissed batch
		h.ask(admin, 200, "POST", one(1, "dismiss"), `{"note":"by hand"}`, &dismissed)
		if dismissed.State != "dismissed" || *dismissed.DecidedBy != admin.id || dismissed.Rate != nil {
			h.Errorf("%+v", dismissed)
		}
		for i := range 2 {
			h.ask(admin, 409, "POST", one(i, "count"), body, nil)
			h.ask(admin, 409, "POST", one(i, "dismiss"), `{"note":"x"}`, nil)
		}
		h.ask(admin, 404, "POST", path+"/99/count", body, nil)
		other, _, err := h.Nodes.Add(h.Context(), node.Draft("jp", node.VMess, "jp.example", 80))
		if err != nil {
			h.Fatal(err)
		}
		elsewhere := fmt.Sprintf("/api/v2/staff/nodes/%d/held-batches/%d/count", other.ID, page.Batches[0].ID)
		h.ask(admin, 404, "POST", elsewhere, body, nil)
		h.ask(admin, 404, "GET", "/api/v2/staff/nodes/99/held-batches", "", nil)
		h.sound(h.T)
	})
}
