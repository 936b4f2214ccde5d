package app

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/mail"
)

func TestStaffReplaceEmail_NeedsBothAddresses(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for i, path := range []string{"/v1/admin/replace_user_email", "/api/v2/admin_api/replace_user_email"} {
			u := h.users[i]
			present, email := fmt.Sprintf("user%d@example.com", i), fmt.Sprintf("new%d@example.com", i)
			ask := func(as testUser, status int, present, email string) string {
				h.Helper()
				return h.ask(as, status, "GET", fmt.Sprintf("%s?user_id=%d&user_old_email=%s&user_new_email=%s", path,
					u.id, present, email), "", nil)
			}
			for _, role := range []account.Role{account.Viewer, account.Finance, account.Support} {
				ask(h.staff[role], 403, present, email)
			}
			for _, wrong := range []struct{ present, email, field string }{
				{
					"user2@example.com", email,
					"user_old_email",
				},
				{present, "user2@example.com", "user_new_email"},
				{present, present, "user_new_email"},
				{present, "no", "user_new_email"},
			} {
				if text := ask(h.staff[account.Admin], 422, wrong.present, wrong.email); !strings.Contains(text,
					wrong.field) {
					h.Error(text)
				}
			}
			h.ask(u, 200, "GET", "/api/v2/user/services/nodes", "", nil)
			ask(h.staff[account.Admin], 200, present, email)
			h.ask(u, 401, "GET", "/api/v2/user/services/nodes", "", nil)
			var madeBy []int64
			err := h.DB.NewRaw("SELECT made_by FROM activity WHERE account_id = ? AND kind = 'email_changed'", u.id).
				Scan(h.Context(), &madeBy)
			if err != nil || !slices.Equal(madeBy, []int64{h.staff[account.Admin].id}) {
				h.Errorf("the activity log has %v (%v), want the admin", madeBy, err)
			}
			log, _, err := h.Accounts.History.Activity(h.Context(), u.id, 1, 0)
			if err != nil || log[0].Kind != account.EmailChanged || log[0].IP != "" ||
				log[0].Device != (account.Device{}) {
				h.Errorf("the user sees %+v (%v)", log, err)
			}
			mails, _, err := h.Mails.Find(h.Context(), mail.Filter{Recipient: present, Limit: 10})
			if err != nil || len(mails) == 0 || mails[0].Kind != "email_changed" {
				h.Errorf("mails to the former address: %+v (%v)", mails, err)
			}
		}
		owner := h.staff[account.Owner]
		finance := h.staff[account.Finance]
		for _, role := range []account.Role{account.Owner, account.Admin} {
			for id, email := range map[int64]string{owner.id: "owner@example.com", finance.id: "finance@example.com"} {
				path := "/v1/admin/replace_user_email?user_id=%d&user_old_email=%s&user_new_email=thief@example.com"
				h.ask(h.staff[role], 403, "GET", fmt.Sprintf(path, id, email), "", nil)
			}
		}
		_, err := h.Accounts.Credentials.ReplaceEmail(h.Context(), account.Identity{}, finance.id,
			"finance@example.com", "new@example.com", "", account.Client{})
		if err != nil {
			h.Errorf("by the operator: %v", err)
		}
	})
}

func TestOlderLinks_AreForOwnersOnly(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.add("hk", "")
		const path = "/v1/admin/gen_user_link_v1"
		h.ask(h.staff[account.Admin], 403, "GET", path+"?a1_host=a.example", "", nil)
		if text := h.ask(h.staff[account.Owner], 422, "GET", path+"?a1_host=a.example&a2_host=b.example&a2_port=0", "",
			nil); !strings.Contains(text, "a2_port") {
			h.Error(text)
		}
		var rows []struct {
			UserID int64 `json:"user_id"`
			A1, A2 string
		}
		h.ask(h.staff[account.Owner], 200, "GET", path+"?a1_host=a.example&a2_host=b.example&a2_port=8443", "", &rows)
		i := slices.IndexFunc(rows, func(r struct {
			UserID int64 `json:"user_id"`
			A1, A2 string
		},
		) bool {
			return r.UserID == h.users[0].id
		})
		if i < 0 {
			h.Fatalf("%+v", rows)
		}
		link, ours := strings.CutPrefix(rows[i].A1, "https://a.example")
		if !ours || rows[i].A2 != "https://b.example:8443"+link {
			h.Fatalf("%+v", rows[i])
		}
		w := httptest.NewRecorder()
		h.root.ServeHTTP(w, httptest.NewRequestWithContext(h.Context(), "GET", link, nil))
		if w.Code != 200 {
			h.Errorf("%s answers %d", link, w.Code)
		}
	})
}

func TestAPIToken_ReadsTrafficOfItsUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("hk", "")
		h.moves(a.Secret, 3, 4)
		h.now = h.now.Add(time.Hour)
		secret, _, err := h.Accounts.APITokens.Create(h.Context(), h.users[0].id, account.APITokenDraft{
			Name:   "grafana",
			Scopes: []account.Scope{account.ScopeRead},
		})
		if err != nil {
			h.Fatal(err)
		}
		for _, path := range []string{
			"/v1/total/traffic/user_area_time_axis", "/v1/total/traffic/user_by_month_calendar_pie",
			"/api/v2/tools/user_traffic_log_full", "/api/v2/tools/user_traffic_log_user_traffic",
		} {
			var rows []struct {
				Total int64 `json:"total_traffic"`
			}
			h.ask(testUser{}, 200, "GET", path+"/"+secret.String(), "", &rows)
			if len(rows) != 1 || rows[0].Total != 7 {
				h.Errorf("%s: %+v", path, rows)
			}
			h.ask(testUser{}, 401, "GET", path+"/00000000-0000-4000-8000-000000000000", "", nil)
		}
	})
}
