package app

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
)

// askingOfUsers are the operations with which users weaken their account or send its money elsewhere, and which take no
// password themselves; with the body of which they ask, where they do not ask for all. They are written down apart from
// the route lines, so that whoever adds an operation says here what it does.
var askingOfUsers = map[string]string{
	"account_passkey_remove":      "",
	"account_unlink_telegram":     "",
	"account_session_end":         "", // else a stolen session could shut the owner out again and again
	"account_sessions_end_others": "",
	"invite_payout_ask":           "", // money leaves the site
	"account_security_set":        `{"email_notification":false}`,
	"notices_set":                 `{"choices":[{"event":"sign_in","channel":"mail","is_wanted":false}]}`,
}

// provenOfUsers are the operations that take the password, a code that only the password makes, or are the proof.
var provenOfUsers = []string{
	"account_change_password", "account_edit_password", "account_close", "account_edit_email_request_code",
	"account_edit_email", "account_two_factor_begin", "account_recovery_codes_renew", "account_passkey_begin",
	"account_passkey_finish", "account_link_telegram_begin", "api_token_create", "account_step_up",
	"account_step_up_request_code",
	"POST /v1/user/password", "POST /v1/user/gaset", "POST /v1/user/gacheck",
}

// everydayOfUsers are the other operations with which users change something. Some of them end what opens the account
// or its services (an API token, the link, the passwords of nodes): that is what whoever suspects a theft does first,
// nothing is lost by it, and the owner makes another.
var everydayOfUsers = []string{
	"account_edit_profile", "account_passkey_rename", "push_subscribe", "push_unsubscribe", "announcements_mark_read",
	"api_token_revoke", "invite_buy", "invite_code_add", "invite_code_remove", "invite_code_change",
	"invite_payout_withdraw", "invite_withdraw", "notices_test", "order_cancel", "order_refund_request",
	"refund_request_withdraw", "checkin_post", "link_token_reset", "share_account_code", "share_account_secret",
	"ss_password_reset", "service_auto_renew", "shop_confirm_order", "shop_pre_order", "ticket_attachment_remove",
	"ticket_attachment_upload", "ticket_open", "ticket_status_set", "ticket_message_send", "ticket_message_send_old",
	"ticket_read", "cd_key_redeem", "recharge_create", "recharge_cancel", "recharge_get", "auth_sign_out",
	"POST /v1/user/sspwd", "POST /v1/user/buy_pre", "POST /v1/user/buy", "POST /v1/user/buy_invite",
	"POST /v1/user/checkin", "POST /v1/user/payment/purchase", "POST /v1/user/shop/buytrafficpackage",
	"POST /v1/user/ticket",
}

// userRoutes returns all operations of users, of v2 by the contract and of v1 by the router.
func userRoutes(a *App) (routes []staffRoute) {
	for path, item := range a.api(http.NewServeMux()).Paths {
		for method, o := range operationsOf(item) {
			if slices.Contains(o.Tags, "user") {
				routes = append(routes, staffRoute{id: o.OperationID, method: method, path: path})
			}
		}
	}
	for _, r := range a.legacy(http.NewServeMux()).Routes() {
		if method, path, _ := strings.Cut(r.Pattern, " "); strings.HasPrefix(path, "/v1/user/") {
			routes = append(routes, staffRoute{id: r.Pattern, method: method, path: path})
		}
	}
	return routes
}

// tried calls an operation on what nothing has, with the body of which it asks.
func (h *fixture) tried(bearer string, r staffRoute) *httptest.ResponseRecorder {
	return h.call(h.Context(), testUser{bearer: bearer}, r.method, r.filled(), askingOfUsers[r.id])
}

func TestStepUp_EachOperationOfUsers_AsksWhereItWeakensTheAccount(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		routes, user := userRoutes(h.App), h.users[0]
		routes = slices.DeleteFunc(routes, func(r staffRoute) bool { return r.id == "auth_sign_out" })
		h.now = h.now.Add(11 * time.Minute)
		asked := 0
		for _, r := range routes {
			_, asks := askingOfUsers[r.id]
			if w := h.tried(user.bearer, r); stepUpAsked(w) != asks {
				h.Errorf("%s answers %d %s to an old session", r.id, w.Code, w.Body)
			}
			if asks {
				asked++
			}
		}
		if asked != len(askingOfUsers) {
			h.Errorf("%d of the operations that ask exist, want %d", asked, len(askingOfUsers))
		}
		for _, body := range []string{
			`{"choices":[{"event":"sign_in","channel":"mail","is_wanted":true}]}`,
			`{"choices":[{"event":"announcement","channel":"mail","is_wanted":false}]}`,
		} {
			h.ask(testUser{bearer: user.bearer}, 200, "PUT", "/api/v2/user/notices", body, nil)
		}

		token := h.token(user.id, account.ScopeRead, account.ScopeWrite)
		for _, r := range routes {
			w := h.tried(token, r)
			if _, asks := askingOfUsers[r.id]; stepUpAsked(w) || asks &&
				(w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "api_token_scope")) {
				h.Errorf("%s answers %d %s to an API token", r.id, w.Code, w.Body)
			}
		}

		h.ask(testUser{bearer: user.bearer}, 200, "POST", "/api/v2/user/account/step-up",
			`{"password":"a long enough password"}`, nil)
		for _, r := range routes {
			if w := h.tried(user.bearer, r); stepUpAsked(w) || w.Code == http.StatusUnauthorized {
				h.Errorf("%s answers %d %s after the password", r.id, w.Code, w.Body)
			}
		}
	})
}

func TestStepUp_EachOperationWithWhichUsersChange_IsSaidToAskOrNot(t *testing.T) {
	f := typesOnly()
	said := map[string]int{}
	for _, names := range [][]string{provenOfUsers, everydayOfUsers} {
		for _, id := range names {
			said[id]++
		}
	}
	for id := range askingOfUsers {
		said[id]++
	}
	for _, r := range userRoutes(f) {
		if r.method == http.MethodGet || strings.HasPrefix(r.id, "DELETE /v1/") || strings.HasPrefix(r.id, "PUT /v1/") {
			continue
		}
		if said[r.id] != 1 {
			t.Errorf("%s is in %d of the lists of operations that ask, prove or do neither", r.id, said[r.id])
		}
		delete(said, r.id)
	}
	for id := range said {
		t.Errorf("there is no operation %s", id)
	}
	for _, item := range f.api(http.NewServeMux()).Paths {
		for _, o := range operationsOf(item) {
			body, asks := askingOfUsers[o.OperationID]
			want := any(nil)
			switch {
			case asks && body != "":
				want = "sometimes"
			case asks:
				want = true
			}
			if isOfUsers(o) && o.Extensions["x-step-up"] != want {
				t.Errorf("the contract says %v of %s, want %v", o.Extensions["x-step-up"], o.OperationID, want)
			}
		}
	}
}

func isOfUsers(o *huma.Operation) bool { return slices.Contains(o.Tags, "user") }

// A proof opens a member's dangerous operations, so that the audit log has it, whichever page asked for it.
func TestStepUp_OfAMember_IsInTheAuditLog(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		proofs := func() (n int64) {
			h.Helper()
			n, err := h.DB.NewSelect().Table("audit_entry").Where("action = 'staff.step_up'").Count(h.Context())
			if err != nil {
				h.Fatal(err)
			}
			return n
		}
		const path, body = "/api/v2/user/account/step-up", `{"password":"a long enough password"}`
		h.ask(h.users[0], 200, "POST", path, body, nil)
		if n := proofs(); n != 0 {
			h.Errorf("the proof of a user left %d entries", n)
		}
		h.ask(h.staff[account.Support], 200, "POST", path, body, nil)
		if n := proofs(); n != 1 {
			h.Errorf("the proof of a member left %d entries, want 1", n)
		}
		h.ask(h.staff[account.Support], 422, "POST", path, `{"password":"something else entirely"}`, nil)
		if n := proofs(); n != 1 {
			h.Errorf("a wrong password of a member left an entry")
		}
	})
}
