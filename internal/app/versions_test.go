package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/account"
)

// versionless are the operations that overwrite nothing which their caller could have read; the routes say why.
var versionless = []string{
	"staff_gateways_order", "staff_plans_order",
	"staff_payment_case_assign", "staff_payout_assign", "staff_refund_request_assign",
	"staff_emby_set", "staff_shared_key_set", "staff_ticket_attachment_upload", "staff_ticket_change",
	"staff_user_labels_set", "staff_view_layout_set",
}

// change calls an operation of staff with the version that its caller has read; empty: without one.
func (h *fixture) change(r staffRoute, a act, version string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(h.Context(), r.method, a.path, strings.NewReader(a.body))
	req.Header.Set("Authorization", "Bearer "+a.as.bearer)
	req.Header.Set("Content-Type", "application/json")
	if a.media != "" {
		req.Header.Set("Content-Type", a.media)
	}
	if version != "" {
		req.Header.Set("If-Match", version)
	}
	w := httptest.NewRecorder()
	h.root.ServeHTTP(w, req)
	return w
}

// changeAnswer is what a change answers.
type changeAnswer struct {
	Code     string
	Result   struct{ Version string }
	Conflict struct {
		Version   string
		ChangedAt string `json:"changed_at"`
		ChangedBy struct {
			Actor, Email string
			UserID       int64 `json:"user_id"`
		} `json:"changed_by"`
		Present struct{ Version string }
	}
}

// Each PUT and PATCH of staff takes the version that was read, and of several changes from one version one is made.
func TestVersions_EachChangeOfStaff_IsMadeFromTheNewest(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		acts := auditedActs(h)
		for _, r := range h.staffRoutes(h.T) {
			if r.method != http.MethodPut && r.method != http.MethodPatch {
				continue
			}
			prepare, ok := acts[r.id]
			if !ok {
				h.Errorf("%s has no call among the audited acts", r.id)
				continue
			}
			a := prepare()
			a.as = h.present(a.as)
			w := h.change(r, a, "")
			if slices.Contains(versionless, r.id) {
				if w.Code != http.StatusOK {
					h.Errorf("%s answers %d %s", r.id, w.Code, w.Body)
				}
				continue
			}
			if w.Code != http.StatusPreconditionRequired {
				h.Errorf("%s without a version answers %d %s, want 428", r.id, w.Code, w.Body)
				continue
			}
			h.checkVersions(r, a)
		}
	})
}

func (h *fixture) checkVersions(r staffRoute, a act) {
	h.Helper()
	read := func(w *httptest.ResponseRecorder) (out changeAnswer) {
		h.Helper()
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			h.Fatal(err)
		}
		return out
	}
	first := h.change(r, a, "*")
	version := read(first).Result.Version
	if first.Code != http.StatusOK || version == "" || version == "0" {
		h.Errorf("%s of any version answers %d %s", r.id, first.Code, first.Body)
		return
	}
	stale := h.change(r, a, `"0"`)
	c := read(stale).Conflict
	if stale.Code != http.StatusConflict || read(stale).Code != "version_conflict" || c.Version != version ||
		c.Present.Version != version || c.ChangedAt == "" || c.ChangedBy.Actor != "member" ||
		c.ChangedBy.UserID != a.as.id || c.ChangedBy.Email == "" {
		h.Errorf("%s of an older version answers %d %s, want 409 with version %s", r.id, stale.Code, stale.Body, version)
	}
	var codes []int
	var made string
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			w := h.change(r, a, `"`+version+`"`)
			mu.Lock()
			defer mu.Unlock()
			codes = append(codes, w.Code)
			if w.Code == http.StatusOK {
				made = read(w).Result.Version
			}
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if !slices.Equal(codes, []int{200, 409, 409, 409}) {
		h.Errorf("%s four times at once from one version answers %v, want one 200 and three 409", r.id, codes)
	}
	if w := h.change(r, a, made); w.Code != http.StatusOK {
		h.Errorf("%s from the version that it answered answers %d %s", r.id, w.Code, w.Body)
	}
}

// A version that is read stands for what was read with it: who changed the object meanwhile is named, and a removed one
// has none.
func TestVersions_OfLists_AreThoseThatChangesTake(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner := h.staff["owner"]
		var made struct {
			ID      int64
			Version string
		}
		h.ask(owner, 200, "POST", "/api/v2/staff/guides",
			`{"slug":"hello","title":"Hello","body":"Hello","category":"Hello"}`, &made)
		var list []struct {
			ID      int64
			Version string
		}
		h.ask(owner, 200, "GET", "/api/v2/staff/guides", "", &list)
		i := slices.IndexFunc(list, func(g struct {
			ID      int64
			Version string
		},
		) bool {
			return g.ID == made.ID
		})
		if i < 0 || made.Version == "0" || list[i].Version != made.Version {
			h.Errorf("made with version %s, listed as %+v", made.Version, list)
		}
		const template = "/api/v2/staff/link-templates/site/0"
		route := staffRoute{id: "staff_link_template_set", method: "PUT"}
		set := act{as: owner, path: template, body: `{"document":{"rules":"none"}}`}
		for range 2 { // one that was never there, and one that was removed
			if w := h.change(route, set, `"0"`); w.Code != 200 {
				h.Errorf("a template that is not there is set from version 0: %d %s", w.Code, w.Body)
			}
			h.ask(owner, 200, "DELETE", template, "", nil)
		}
		if w := h.change(route, set, "latest"); w.Code != 422 {
			h.Errorf("a version that is none answers %d %s", w.Code, w.Body)
		}
	})
}

// Of several nodes that are changed with one call, those that somebody changed since they were read stay as they are.
func TestVersions_OfSeveralNodes_AreEachHeldApart(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, owner := h.staff[account.Admin], h.staff[account.Owner]
		type shown struct {
			ID            int64
			Version, Rate string
		}
		add := func(name string) shown {
			var made struct{ Node shown }
			h.ask(admin, 200, "POST", "/api/v2/staff/nodes", fmt.Sprintf(
				`{"protocol":"trojan","name":%q,"address":"%[1]s.example","port":443}`, name), &made)
			return made.Node
		}
		one, other := add("one"), add("other")
		var done struct {
			Results []struct {
				Version, Problem string
				Changed          bool
			}
		}
		several := func(status int, rate string, versions ...string) {
			h.Helper()
			given, _ := json.Marshal(versions)
			done.Results = nil
			h.ask(admin, status, "POST", "/api/v2/staff/nodes/change-several", fmt.Sprintf(
				`{"ids":[%d,%d],"rate":%q,"versions":%s}`, one.ID, other.ID, rate, given), &done)
		}
		several(422, "2", one.Version)
		several(200, "2", one.Version, other.Version)
		if len(done.Results) != 2 || !done.Results[0].Changed || !done.Results[1].Changed {
			h.Fatalf("the first change answers %+v", done)
		}
		mine, theirs := done.Results[0].Version, done.Results[1].Version
		path := fmt.Sprintf("/api/v2/staff/nodes/%d", other.ID)
		if w := h.change(staffRoute{method: "PATCH"}, act{as: h.present(owner), path: path, body: `{"rate":"3"}`},
			`"`+theirs+`"`); w.Code != 200 {
			h.Fatalf("a change from the version that was answered answers %d %s", w.Code, w.Body)
		}
		several(200, "1", mine, theirs) // takes it back
		if len(done.Results) != 2 || !done.Results[0].Changed || done.Results[1].Changed ||
			done.Results[1].Problem == "" {
			h.Errorf("taking it back answers %+v", done)
		}
		h.ask(admin, 200, "GET", path, "", &other)
		if other.Rate != "3" && other.Rate != "3.00" {
			h.Errorf("another member's rate of 3 became %s", other.Rate)
		}
		several(200, "1") // whatever they are now
		if !done.Results[0].Changed || !done.Results[1].Changed {
			h.Errorf("without versions it answers %+v", done)
		}
	})
}
