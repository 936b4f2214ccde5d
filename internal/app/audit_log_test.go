package app

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

func TestAudit_StaffReadsTheLog_FilteredAndAsAFile(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		var rule struct{ ID int64 }
		h.ask(admin, 200, "POST", "/api/v2/staff/audit-rules", `{"name":"=1+1","pattern":"example"}`, &rule)
		h.ask(h.staff[account.Owner], 200, "PUT", fmt.Sprintf("/api/v2/staff/audit-rules/%d", rule.ID),
			`{"name":"mail","pattern":"example"}`, nil)
		type entry struct {
			ID            int64
			ActorID       int64  `json:"actor_id"`
			ActorEmail    string `json:"actor_email"`
			ActorRole     string `json:"actor_role"`
			Action        string
			ActionText    string `json:"action_text"`
			Before, After map[string]any
			Seq           *int64
		}
		var page struct{ Rows []entry }
		const path = "/api/v2/staff/audit"
		h.ask(admin, 200, "GET", path+fmt.Sprintf("?object=audit_rule&object_id=%d&action=node.rule.", rule.ID), "",
			&page)
		if len(page.Rows) != 2 || page.Rows[0].ActorRole != "owner" || page.Rows[0].Before["name"] != "=1+1" ||
			page.Rows[0].After["name"] != "mail" || page.Rows[1].Before != nil || page.Rows[0].Seq != nil ||
			page.Rows[1].ActorEmail != "admin@example.com" {
			h.Errorf("%+v", page)
		}
		for query, want := range map[string]int{
			fmt.Sprintf("member=%d", admin.id): 1, "actor=token": 0, "action=node.rule.change": 1,
			"object=audit_rule&limit=1": 1, "object=audit_rule&at=2026-01-31T04:00:01Z..": 0,
			"object=audit_rule&at=..2026-01-31T04:00:01Z": 2, "object=audit_rule&at=2026-01-31": 2,
			"object=audit_rule&at=2026-01-31T12:00:00%2B08:00..": 2,
			"q=owner@": 1, "q=node.rule.": 2, "q=Added+an+audit": 1, "q=审计规则": 2, "q=审": 0,
			fmt.Sprintf("q=%d&object=audit_rule", rule.ID): 2,
			"q=198.51.100.77": 0, "address=203.": 0,
		} {
			if h.ask(admin, 200, "GET", path+"?"+query, "", &page); len(page.Rows) != want {
				h.Errorf("%s: %d, want %d", query, len(page.Rows), want)
			}
		}
		h.ask(admin, 422, "GET", path+"?at=yesterday", "", nil)
		h.ask(admin, 200, "GET", path+"?action=node.rule.add", "", &page)
		var one entry
		h.ask(admin, 200, "GET", fmt.Sprintf("%s/%d", path, page.Rows[0].ID), "", &one)
		if one.Action != "node.rule.add" || one.After["pattern"] != "example" ||
			one.ActionText != "添加了审计规则" {
			h.Errorf("%+v", one)
		}
		req := httptest.NewRequestWithContext(h.Context(), "GET", fmt.Sprintf("%s/%d", path, one.ID), nil)
		req.Header.Set("Accept-Language", "en")
		req.Header.Set("Authorization", "Bearer "+h.present(admin).bearer)
		if w := h.serve(req); !strings.Contains(w, `"action":"node.rule.add","action_text":"Added an audit rule"`) {
			h.Errorf("in English: %s", w)
		}
		var actions []struct{ Action, ZH, EN string }
		h.ask(admin, 200, "GET", path+"/actions", "", &actions)
		if !slices.Contains(actions, struct{ Action, ZH, EN string }{
			"node.rule.add", "添加了审计规则", "Added an audit rule",
		}) {
			h.Errorf("the actions are %+v", actions)
		}
		h.ask(admin, 404, "GET", path+"/999999", "", nil)
		w := h.call(h.Context(), h.present(admin), "GET", path+"/csv?action=node.rule.add", "")
		if lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n"); w.Code != 200 || len(lines) != 2 ||
			!strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv") ||
			!strings.Contains(lines[1], "node.rule.add") {
			h.Errorf("%d %s: %s", w.Code, w.Header(), w.Body)
		}
	})
}

func TestAudit_Chain_TellsHowFarItIsSealedAndWhatTheDoctorFound(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		h.ask(admin, 200, "POST", "/api/v2/staff/audit-rules", `{"name":"mail","pattern":"example"}`, nil)
		var chain struct {
			Seq, Waiting int64
			SealedAt     *time.Time `json:"sealed_at"`
			CheckedAt    *time.Time `json:"checked_at"`
			IsIntact     bool       `json:"is_intact"`
			BrokenPlaces int64      `json:"broken_places"`
		}
		const path = "/api/v2/staff/audit/chain"
		h.ask(admin, 200, "GET", path, "", &chain)
		if chain.Waiting == 0 || !chain.IsIntact || chain.CheckedAt != nil {
			h.Errorf("%+v", chain)
		}
		if err := h.Audit.Seal(h.Context()); err != nil {
			h.Fatal(err)
		}
		h.ask(admin, 200, "GET", path, "", &chain)
		if chain.Waiting != 0 || chain.Seq == 0 || chain.SealedAt == nil || !chain.IsIntact {
			h.Errorf("%+v", chain)
		}
		h.past(h.T, `UPDATE audit_head SET seq = seq + 1`)
		if err := h.Queue.Trigger(h.Context(), "doctor"); err != nil {
			h.Fatal(err)
		}
		h.ask(admin, 200, "GET", path, "", &chain)
		if chain.IsIntact || chain.CheckedAt == nil || chain.BrokenPlaces == 0 {
			h.Errorf("%+v", chain)
		}
	})
}
