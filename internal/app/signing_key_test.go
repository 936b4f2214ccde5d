package app

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

type shownSigningKeys struct {
	Keys []struct {
		ID            string     `json:"key_id"`
		CreatedAt     time.Time  `json:"created_at"`
		HonouredUntil *time.Time `json:"honoured_until"`
	}
}

// rotate replaces the signing key as the owner.
func (h *fixture) rotate(body string) (after shownSigningKeys) {
	h.Helper()
	h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/signing-key/rotate", body, &after)
	return after
}

// isSignedIn reports whether a session goes on; any other answer than a refusal fails the test.
func (h *fixture) isSignedIn(bearer string) bool {
	h.Helper()
	w := h.call(h.Context(), testUser{bearer: bearer}, "GET", "/api/v2/user/get_me", "")
	if w.Code != 200 && w.Code != 401 {
		h.Fatal(w.Code, w.Body)
	}
	return w.Code == 200
}

func TestSigningKey_Rotated_FormerOneIsHonoured(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		const path = "/api/v2/staff/signing-key"
		var before shownSigningKeys
		answer := h.ask(h.staff[account.Admin], 200, "GET", path, "", &before)
		if len(before.Keys) != 1 || before.Keys[0].HonouredUntil != nil || strings.Contains(answer, "seal") {
			h.Fatalf("at first: %s", answer)
		}
		h.ask(h.staff[account.Owner], 422, "POST", path+"/rotate", `{}`, nil)
		h.ask(h.staff[account.Admin], 403, "POST", path+"/rotate", `{"revoke":false}`, nil)

		after := h.rotate(`{"revoke":false,"reason":"a year has passed"}`)
		if len(after.Keys) != 2 || after.Keys[0].ID == before.Keys[0].ID || after.Keys[0].HonouredUntil != nil ||
			after.Keys[1].ID != before.Keys[0].ID || after.Keys[1].HonouredUntil == nil ||
			!after.Keys[1].HonouredUntil.After(h.now.AddDate(0, 0, 30)) {
			h.Errorf("after it was rotated: %+v, before: %+v", after, before)
		}
		if !h.isSignedIn(h.staff[account.Owner].bearer) || !h.isSignedIn(h.users[0].bearer) {
			h.Error("a session ended although the former key is honoured")
		}
		var entries struct {
			Rows []struct {
				ActorEmail    string `json:"actor_email"`
				Reason        string
				Before, After map[string]any
			}
		}
		h.ask(h.staff[account.Owner], 200, "GET", "/api/v2/staff/audit?action=signing_key.rotate", "", &entries)
		if len(entries.Rows) != 1 || entries.Rows[0].ActorEmail != "owner@example.com" ||
			entries.Rows[0].Reason != "a year has passed" || entries.Rows[0].After["is_former_revoked"] != false {
			h.Errorf("%+v", entries)
		}
		h.now = h.now.AddDate(0, 0, 31)
		var later shownSigningKeys
		if h.ask(h.staff[account.Admin], 200, "GET", path, "", &later); len(later.Keys) != 1 {
			h.Errorf("a key that is not honoured any more is listed: %+v", later)
		}
	})
}

func TestSigningKey_Revoked_EndsEverySession(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.rotate(`{"revoke":false}`)
		after := h.rotate(`{"revoke":true,"reason":"it leaked"}`)
		if len(after.Keys) != 1 || after.Keys[0].HonouredUntil != nil {
			h.Errorf("former keys are honoured: %+v", after)
		}
		for _, who := range []testUser{h.staff[account.Owner], h.staff[account.Admin], h.users[0]} {
			if h.isSignedIn(who.bearer) {
				h.Errorf("user %d is still signed in", who.id)
			}
		}
		g, err := h.Accounts.SignIns.ByPassword(h.Context(), account.SignIn{
			Email: "owner@example.com", Password: "a long enough password",
		}, account.Client{IP: netip.MustParseAddr("192.0.2.1")})
		if err != nil || !h.isSignedIn(g.Access) {
			h.Error("nobody can sign in again:", err)
		}
	})
}
