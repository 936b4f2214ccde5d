package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/cdkey"
	"airstrip/internal/fault"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/webpush/webpushtest"
)

// What two users ask for at the same time, each of them twice, such as one invite code, one key or one browser, is done
// or refused: no rule of the database is met that the code does not turn into a fault.
func TestUsers_TheSameAtOnce_IsNoInternalError(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if err := h.Settings.Set(h.Context(), map[string]json.RawMessage{
			"invite_price": json.RawMessage(`"1.00"`), "invite_quota": json.RawMessage(`1`),
		}); err != nil {
			h.Fatal(err)
		}
		_, keys, err := h.CDKeys.Make(h.Context(), cdkey.Batch{
			Name: "test", Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: 100}, Size: 1, MaxUses: 2,
		}, nil)
		if err != nil {
			h.Fatal(err)
		}
		browser := webpushtest.New(h.T, h.DB.Now).Subscribe("push.example.com", "")
		const password = `"password":"a long enough password"`
		for _, o := range []struct{ path, body string }{
			{"POST /api/v2/user/invite/codes", `{"code":"mine-42"}`},
			{"POST /api/v2/user/invite/buy", `{"count":1}`},
			{"POST /api/v2/user/wallet/cd-key/" + keys[0], ""},
			{"POST /api/v2/user/account/push", browser.JSON()},
			{"POST /api/v2/user/services-old/checkin", ""},
			{"POST /api/v2/user/developer/tokens", `{"name":"script","scopes":["read"],` + password + `}`},
			{"POST /api/v2/user/account/passkeys/begin", `{"name":"phone",` + password + `}`},
			{"POST /api/v2/user/account/two-factor/begin", `{` + password + `}`},
			{"POST /api/v2/user/account/edit-profile", `{"user_name":"Same"}`},
			{"POST /api/v2/user/wallet/recharge", `{"amount":"20.00","gateway":"` + sandbox.Name + `"}`},
			{"POST " + buy(h.sells(h.T, shop.KindPackage, 100)), "{}"},
			{"POST /api/v2/user/tickets-v2", `{"title":"Hello","content":"Hello"}`},
			{"POST /api/v2/user/services/link-token/link-token/reset", ""},
			{"POST /api/v2/user/services/ss-password/reset", ""},
			{"DELETE /api/v2/user/invite/codes/mine-42", ""},
		} {
			method, path, _ := strings.Cut(o.path, " ")
			codes := h.together(method, path, o.body)
			if slices.Contains(codes, http.StatusInternalServerError) {
				h.Errorf("%s by two users twice at once answers %v", o.path, codes)
			} else if !slices.Contains(codes, http.StatusOK) && !slices.Contains(codes, http.StatusConflict) {
				h.Errorf("%s is never done: %v", o.path, codes)
			}
		}
		var wg sync.WaitGroup
		for range 3 { // sign-ups
			wg.Go(func() {
				_, err := h.Accounts.Create(h.Context(), "same@example.com", "Same", "a long enough password", "")
				if _, ok := fault.As(err); err != nil && !ok {
					h.Error("two accounts with one address: ", err)
				}
			})
		}
		wg.Wait()
		h.sound(h.T)
	})
}

// together makes one call as two users, each of them twice at once, and gives the statuses.
func (h *fixture) together(method, path, body string) []int {
	h.Helper()
	users := []testUser{h.present(h.users[0]), h.present(h.users[1])}
	codes := make([]int, 2*len(users))
	var wg sync.WaitGroup
	for i := range codes {
		wg.Go(func() { codes[i] = h.call(h.Context(), users[i%2], method, path, body).Code })
	}
	wg.Wait()
	return codes
}
