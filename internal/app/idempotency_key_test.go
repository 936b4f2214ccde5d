package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"airstrip/internal/account"
)

// keyed calls with an Idempotency-Key, from the version of the object that is given.
func (h *fixture) keyed(
	ctx context.Context, as testUser, key, version, method, path, body string,
) *httptest.ResponseRecorder {
	h.Helper()
	req := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+h.present(as).bearer)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("If-Match", version)
	req.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	h.root.ServeHTTP(w, req)
	return w
}

func (h *fixture) wantCode(w *httptest.ResponseRecorder, status int, code string) {
	h.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), `"code":"`+code+`"`) {
		h.Errorf("the answer is %d %s, want %d %s", w.Code, w.Body, status, code)
	}
}

func TestIdempotencyKey_CallerLeavesInTheMiddle_TheRequestIsDoneOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.set(map[string]any{"webhook_allow_private": true})
		ctx, leave := context.WithCancel(h.Context())
		var received atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			received.Add(1)
			leave()
		}))
		defer receiver.Close()
		var made struct{ Webhook struct{ ID int64 } }
		owner := h.staff[account.Owner]
		h.ask(owner, 200, "POST", "/api/v2/staff/webhooks",
			fmt.Sprintf(`{"name":"ops","url":%q,"events":["order.paid"],"is_enabled":true}`, receiver.URL), &made)
		path := fmt.Sprintf("/api/v2/staff/webhooks/%d/test", made.Webhook.ID)
		h.keyed(ctx, owner, "k", "*", "POST", path, "")
		h.wantCode(h.keyed(h.Context(), owner, "k", "*", "POST", path, ""), 409, "already_received")
		if n := received.Load(); n != 1 {
			h.Errorf("the webhook was called %d times", n)
		}
	})
}

// A repeat is not told that somebody else changed what the first request changed.
func TestIdempotencyKey_RepeatFindsWhatTheFirstChanged_IsCalledReceived(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		made := h.announce(`{"title":"first"}`)
		path := fmt.Sprintf("/api/v2/staff/announcements/%d", made.ID)
		var read struct{ Version string }
		admin := h.staff[account.Admin]
		h.ask(admin, 200, "GET", path, "", &read)
		change := func(key, version, title string) *httptest.ResponseRecorder {
			return h.keyed(h.Context(), admin, key, version, "PATCH", path, fmt.Sprintf(`{"title":%q}`, title))
		}
		if w := change("k", read.Version, "second"); w.Code != 200 {
			h.Fatal(w.Body)
		}
		h.wantCode(change("k", read.Version, "second"), 409, "already_received")
		h.wantCode(change("k", read.Version, "third"), 422, "idempotency_key_reused")
		h.wantCode(change("other", read.Version, "second"), 409, "version_conflict")
		h.wantCode(change("", "*", "second"), 422, "invalid_input")
		h.wantCode(change(strings.Repeat("k", 129), "*", "second"), 422, "invalid_input")
		if w := change(strings.Repeat("钥", 128), "*", "second"); w.Code != 200 {
			h.Errorf("a key of 128 characters: %s", w.Body)
		}
		h.keyed(h.Context(), admin, "gone", "*", "DELETE", path, "")
		h.wantCode(h.keyed(h.Context(), admin, "gone", "*", "DELETE", path, ""), 409, "already_received")
	})
}

func TestIdempotencyKey_OtherQuery_IsAnotherRequest(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		reset := func(query string) *httptest.ResponseRecorder {
			return h.keyed(h.Context(), user, "k", "*", "POST", "/api/v2/user/services/link-token/link-token/reset"+query, "")
		}
		if w := reset("?is_reset_ss_password=false"); w.Code != 200 {
			h.Fatal(w.Body)
		}
		h.wantCode(reset("?is_reset_ss_password=true"), 422, "idempotency_key_reused")
		h.wantCode(reset("?is_reset_ss_password=false"), 409, "already_received")
	})
}
