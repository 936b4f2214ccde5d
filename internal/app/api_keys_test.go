package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

type shownKey struct {
	ID     int64
	Name   string
	Hint   string
	Email  string
	Works  bool
	Scopes []string
}

func TestAPIKeys_AreMadeReplacedAndRevoked(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner := h.staff[account.Owner]
		keys := func() (all []shownKey) {
			h.ask(owner, 200, "GET", "/api/v2/staff/api-keys", "", &all)
			return all
		}
		h.token(h.users[0].id, account.ScopeRead) // a user's own, which is none of staff's business
		if all := keys(); len(all) != 0 {
			h.Errorf("without keys the list has %+v", all)
		}
		var made struct {
			Key    shownKey
			Secret string
		}
		h.ask(owner, 200, "POST", "/api/v2/staff/api-keys",
			`{"name":"bot","scopes":["partner","jobs"],"expires_at":"2026-03-01T00:00:00Z","reason":"for the bot"}`, &made)
		if all := keys(); len(all) != 1 || all[0].Name != "bot" || !all[0].Works || all[0].Email != "owner@example.com" ||
			all[0].Hint != made.Secret[:8] {
			h.Errorf("the list has %+v", all)
		}
		authenticates := func(secret string) error {
			_, err := h.Accounts.APITokens.Authenticate(h.Context(), secret, account.ScopePartner)
			return err
		}
		if err := authenticates(made.Secret); err != nil {
			h.Error(err)
		}
		path := fmt.Sprintf("/api/v2/staff/api-keys/%d", made.Key.ID)
		var rotated struct{ Secret string }
		h.ask(owner, 200, "POST", path+"/rotate", `{"reason":"it leaked"}`, &rotated)
		if authenticates(made.Secret) == nil || authenticates(rotated.Secret) != nil {
			h.Error("after a rotation the former secret opens, or the new one does not")
		}

		h.role(h.T, "admin", account.Owner)
		other := h.staff[account.Admin]
		w := h.call(h.Context(), h.present(other), "POST", path+"/rotate", `{"reason":"curiosity"}`)
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "api_key_of_another") {
			h.Errorf("another owner replaces the secret: %d %s", w.Code, w.Body)
		}
		h.role(h.T, "owner", account.Support)
		var all []shownKey
		h.ask(other, 200, "GET", "/api/v2/staff/api-keys", "", &all)
		if len(all) != 1 || all[0].Works {
			h.Errorf("the key of a member without the permission is %+v", all)
		}
		h.role(h.T, "owner", account.Owner)
		h.ask(other, 200, "DELETE", path, "", nil)
		if authenticates(rotated.Secret) == nil || len(keys()) != 0 {
			h.Error("a revoked key opens, or is listed")
		}
		h.ask(other, 404, "DELETE", path, "", nil)
	})
}

func TestAPIKeys_OfWhoMayDoMore_AreNotRevoked(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		var made struct{ Key shownKey }
		h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/api-keys",
			`{"name":"bot","scopes":["partner"],"reason":"test"}`, &made)
		h.makeRole("Keys", "api_key.read", "api_key.write", "staff.change")
		h.member(h.users[0], "Keys")
		path := fmt.Sprintf("/api/v2/staff/api-keys/%d?reason=x", made.Key.ID)
		h.ask(h.users[0], 403, "DELETE", path, "", nil)
		h.ask(h.staff[account.Owner], 200, "DELETE", path, "", nil)
	})
}

func TestAPIKeys_TakeScopesOfStaffAlone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for _, scope := range []string{"read", "write", "everything"} {
			body := fmt.Sprintf(`{"name":"bot","scopes":[%q],"reason":"test"}`, scope)
			w := h.call(h.Context(), h.staff[account.Owner], "POST", "/api/v2/staff/api-keys", body)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"scopes"`) {
				h.Errorf("the scope %s answers %d %s", scope, w.Code, w.Body)
			}
		}
		past := fmt.Sprintf(`{"name":"bot","scopes":["jobs"],"expires_at":%q,"reason":"test"}`,
			h.now.Add(-time.Second).Format(time.RFC3339))
		w := h.call(h.Context(), h.staff[account.Owner], "POST", "/api/v2/staff/api-keys", past)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"expires_at"`) {
			h.Errorf("an end in the past answers %d %s", w.Code, w.Body)
		}
	})
}
