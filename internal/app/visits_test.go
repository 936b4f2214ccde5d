package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/audit"
)

// openToVisits are the operations of users that members of staff may call while they see the site as a user does. They
// are named here so that a new one is looked at: it changes nothing and shows no secret.
var openToVisits = []string{
	"account_activity", "account_link_telegram", "account_login_history", "account_login_ip_log", "account_loss",
	"account_me", "account_passkeys", "account_security", "account_sessions", "announcements_list",
	"announcements_unread", "api_tokens_list", "audit_records", "audit_rules", "auth_sign_out", "cd_key_history",
	"cd_key_list", "checkin_get", "clients_list", "dashboard_get", "emby_get", "gateways_list", "guide_get",
	"guides_list", "invite_codes", "invite_commissions", "invite_get", "invite_payouts", "invite_records",
	"invoice_get", "invoices_list", "link_log", "node_get", "node_get_old", "nodes_list", "notices_get", "order_get",
	"order_refund_quote", "push_get", "recharge_list", "refund_requests", "service_renewals", "services_list",
	"services_old_bills", "services_old_bills_of", "share_accounts", "shop_info", "shop_old", "shop_plans",
	"system_announcements", "ticket_attachment_get", "ticket_messages", "tickets_changes", "tickets_list",
	"tickets_unread", "traffic_calendar", "traffic_calendar_csv", "traffic_detail", "traffic_detail_csv",
	"traffic_nodes", "traffic_pages", "traffic_time_axis", "traffic_time_axis_csv", "user_get_me", "user_index",
	"wallet_get", "wallet_movements", "wallet_purchase_records",
}

// begin returns the code of a visit that the member begins to the user.
func (h *fixture) begin(member, user testUser) (code string) {
	h.Helper()
	var begun struct{ Code string }
	h.ask(member, 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/sign-in-as", user.id), `{"reason":"asked by ticket"}`,
		&begun)
	return begun.Code
}

// visit returns the user as the member sees them.
func (h *fixture) visit(member, user testUser) testUser {
	h.Helper()
	var opened struct {
		AccessToken string `json:"access_token"`
	}
	h.ask(testUser{}, 200, "POST", "/api/v2/auth/visit", fmt.Sprintf(`{"code":%q}`, h.begin(member, user)), &opened)
	return testUser{id: user.id, bearer: opened.AccessToken}
}

func (h *fixture) goesOn(visit testUser) bool {
	h.Helper()
	w := h.call(h.Context(), visit, "GET", "/api/v2/user/get_me", "")
	if w.Code != http.StatusOK && w.Code != http.StatusUnauthorized {
		h.Fatalf("a visit is answered %d %s", w.Code, w.Body)
	}
	return w.Code == http.StatusOK
}

// signInsAs returns the entries of the audit log about visits, the newest first.
func (h *fixture) signInsAs() (entries []audit.Entry) {
	h.Helper()
	all, _, err := h.Audit.Find(h.Context(), audit.Filter{Limit: 50})
	if err != nil {
		h.Fatal(err)
	}
	for _, e := range all {
		if strings.HasPrefix(e.Action, "user.sign_in_as") {
			entries = append(entries, e)
		}
	}
	return entries
}

func TestVisit_EachOperation_IsRefusedUnlessItIsOpen(t *testing.T) {
	sqliteFixture(t, func(h *fixture) {
		admin, user := h.staff[account.Admin], h.users[0]
		token, err := h.Links.Token(h.Context(), user.id)
		if err != nil {
			h.Fatal(err)
		}
		access, err := h.Services.Access(h.Context(), user.id)
		if err != nil {
			h.Fatal(err)
		}
		h.payout(user)
		secrets := []string{token.Token, access.Password, access.UUID.String(), payoutAccount}
		visit := h.visit(admin, user)
		open, answered := []string{}, 0
		before := h.rows(h.T)
		for path, item := range h.api(http.NewServeMux()).Paths {
			for method, o := range operationsOf(item) {
				if len(o.Security) == 0 || o.OperationID == "auth_sign_out" {
					continue
				}
				isOpen := o.Extensions["x-open-to-visits"] == true
				if isOpen {
					open = append(open, o.OperationID)
				}
				for _, filled := range h.pathsOf(path, user.id, "none") {
					body := "{}"
					if method == http.MethodGet {
						body = ""
					}
					w := h.call(h.Context(), visit, method, filled, body)
					refused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), `"staff_visit"`)
					if refused == isOpen || w.Code >= 500 {
						h.Errorf("%s %s (%s) answers a visit %d %s", method, filled, o.OperationID, w.Code, w.Body)
					}
					for _, secret := range secrets {
						if strings.Contains(w.Body.String(), secret) {
							h.Errorf("%s shows a visit the secret %q", o.OperationID, secret)
						}
					}
					if w.Code == http.StatusOK {
						answered++
					}
				}
			}
		}
		for _, r := range h.legacy(http.NewServeMux()).Routes() {
			method, path, _ := strings.Cut(r.Pattern, " ")
			if !strings.HasPrefix(path, "/v1/user/") {
				continue
			}
			for _, filled := range h.pathsOf(path, user.id, "none") {
				if w := h.call(h.Context(), visit, method, filled, ""); w.Code != http.StatusForbidden ||
					!strings.Contains(w.Body.String(), "staff_visit") {
					h.Errorf("%s answers a visit %d %s", r.Pattern, w.Code, w.Body)
				}
			}
		}
		after := h.rows(h.T)
		// The site makes its key for push messages when somebody first asks for the public half.
		delete(before, "push_key")
		delete(after, "push_key")
		if !maps.Equal(before, after) {
			h.Errorf("a visit changes %s", changed(before, after))
		}
		open = append(open, "auth_sign_out")
		slices.Sort(open)
		if !slices.Equal(open, openToVisits) {
			h.Errorf("open to visits are\n%q\nand openToVisits names\n%q", open, openToVisits)
		}
		if answered < 40 {
			h.Errorf("a visit is answered %d times; its calls do not come far enough to mean anything", answered)
		}

		cookies := fmt.Sprintf(`{"access_token":%q}`, visit.bearer)
		if w := h.call(h.Context(), testUser{}, "POST", "/api/v2/auth/jwt_token/login_old_v1", cookies); w.Code == 200 {
			h.Errorf("a visit gets the older cookies: %s", w.Body)
		}
	})
}

func TestVisit_LeavesNoTraceOfASignInOfTheUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner, user := h.staff[account.Owner], h.users[0]
		untouched := []string{"session", "token_pair", "sign_in", "user_facts", "mail", "account", "notice"}
		trace := func() map[string]string {
			all := h.rows(h.T)
			maps.DeleteFunc(all, func(table string, _ string) bool { return !slices.Contains(untouched, table) })
			return all
		}
		before := trace()
		visit := h.visit(owner, user)
		if w := h.call(h.Context(), visit, "GET", "/api/v2/user/dashboard", ""); w.Code != http.StatusOK {
			h.Fatalf("the dashboard answers %d %s", w.Code, w.Body)
		}
		if after := trace(); !maps.Equal(before, after) {
			h.Errorf("a visit changes %s", changed(before, after))
		}

		var seen struct {
			Activities []struct {
				Type string `json:"activity_type"`
				IP   string `json:"ip_address"`
			}
		}
		h.ask(user, 200, "GET", "/api/v2/user/account/activity", "", &seen)
		if len(seen.Activities) == 0 || seen.Activities[0].Type != "staff_signed_in" || seen.Activities[0].IP != "" {
			h.Errorf("the user's activity is %+v", seen.Activities)
		}
		var sessions []struct {
			ID        string `json:"session_id"`
			IsByStaff bool   `json:"is_by_staff"`
			IsCurrent bool   `json:"is_current"`
		}
		h.ask(user, 200, "GET", "/api/v2/user/account/sessions", "", &sessions)
		if len(sessions) != 2 || !sessions[0].IsByStaff || sessions[0].IsCurrent || sessions[1].IsByStaff {
			h.Fatalf("the user's sessions are %+v", sessions)
		}
		entries := h.signInsAs()
		if len(entries) != 1 || entries[0].Action != "user.sign_in_as" || entries[0].Reason != "asked by ticket" ||
			entries[0].ObjectID != fmt.Sprint(user.id) || *entries[0].ActorID != owner.id {
			h.Errorf("the audit log has %+v", entries)
		}

		h.ask(user, 200, "DELETE", "/api/v2/user/account/sessions/"+sessions[0].ID, "", nil)
		if entries = h.signInsAs(); h.goesOn(visit) || len(entries) != 2 || !strings.Contains(entries[0].After, `"user"`) {
			h.Errorf("a visit goes on that its user ended, or the audit log has %+v", entries)
		}
		visit = h.visit(owner, user)
		if w := h.call(h.Context(), visit, "POST", "/api/v2/auth/sign-out", ""); w.Code != http.StatusOK {
			h.Fatalf("the sign-out answers %d %s", w.Code, w.Body)
		}
		entries = h.signInsAs()
		if h.goesOn(visit) || len(entries) != 4 || entries[0].Action != "user.sign_in_as.end" ||
			entries[0].ActorID == nil || *entries[0].ActorID != owner.id {
			h.Errorf("after the sign-out the audit log has %+v", entries)
		}
	})
}

func TestVisit_EndsByItself(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, user := h.staff[account.Admin], h.users[0]
		visit := h.visit(admin, user)
		h.now = h.now.Add(30*time.Minute - time.Second)
		if !h.goesOn(visit) {
			h.Error("a visit ends before its time")
		}
		h.now = h.now.Add(time.Second)
		if h.goesOn(visit) {
			h.Error("a visit goes on after 30 minutes")
		}
		if err := h.Accounts.Visits.EndDue(h.Context()); err != nil {
			h.Fatal(err)
		}
		if entries := h.signInsAs(); len(entries) != 2 || entries[0].Action != "user.sign_in_as.end" ||
			*entries[0].ActorID != admin.id {
			h.Errorf("the audit log has %+v", entries)
		}

		for name, end := range map[string]func(){
			"of the member's session": func() {
				h.ask(admin, 200, "POST", "/api/v2/auth/sign-out", "", nil)
				delete(h.since, admin.id)
			},
			"of the member's role":             func() { h.role(h.T, "admin", account.Support) },
			"that begins with the user's role": func() { h.role(h.T, "user0", account.Viewer) },
			"of the user's credentials": func() {
				if err := h.Accounts.Credentials.SetPassword(h.Context(), "user0@example.com",
					"another long enough password"); err != nil {
					h.Fatal(err)
				}
			},
		} {
			h.role(h.T, "admin", account.Admin)
			h.role(h.T, "user0", "")
			h.since[admin.id] = signedIn{}
			visit := h.visit(admin, user)
			if !h.goesOn(visit) {
				h.Fatalf("the visit before the end %s does not begin", name)
			}
			admin.bearer = h.present(admin).bearer
			end()
			if h.goesOn(visit) {
				h.Errorf("a visit goes on after the end %s", name)
			}
		}
	})
}

func (h *fixture) role(t *testing.T, name string, role account.Role) {
	t.Helper()
	if err := h.Accounts.SetRole(t.Context(), name+"@example.com", role); err != nil {
		t.Fatal(err)
	}
}

func TestVisit_StreamEndsWhereStaffMayNotCallFrom(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := h.follows(h.T)
		visit := h.visit(h.staff[account.Admin], h.users[0])
		events := openStream(h.Context(), h.T, site, visit.bearer)
		h.set(map[string]any{"staff_networks": []string{"198.51.100.0/24"}})
		if !ends(events, 10*time.Second) {
			h.Error("the stream goes on")
		}
	})
}

func TestVisit_CodeOpensOnceWithinAMinute(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, user := h.staff[account.Admin], h.users[0]
		open := func(code string) int {
			body, err := json.Marshal(map[string]string{"code": code})
			if err != nil {
				h.Fatal(err)
			}
			return h.call(h.Context(), testUser{}, "POST", "/api/v2/auth/visit", string(body)).Code
		}
		code := h.begin(admin, user)
		if first, second := open(code), open(code); first != 200 || second != 401 {
			h.Errorf("a code answers %d, then %d", first, second)
		}
		code = h.begin(admin, user)
		h.now = h.now.Add(time.Minute)
		if late := open(code); late != 401 {
			h.Errorf("a code answers %d after a minute", late)
		}
		code = h.begin(admin, user)
		h.ask(admin, 200, "POST", "/api/v2/auth/sign-out", "", nil)
		if after := open(code); after != 401 {
			h.Errorf("a code answers %d after the member's sign-out", after)
		}
		if forged := open("00000000-0000-4000-8000-000000000000"); forged != 401 {
			h.Errorf("a forged code answers %d", forged)
		}
	})
}

func TestVisit_OfStaff_IsRefusedToEverybody(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for _, member := range h.staff {
			w := h.call(h.Context(), h.staff[account.Owner], "POST",
				fmt.Sprintf("/api/v2/staff/users/%d/sign-in-as", member.id), `{"reason":"curiosity"}`)
			if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "staff_visit_of_staff") {
				h.Errorf("a visit to a member of staff answers %d %s", w.Code, w.Body)
			}
		}
	})
}
