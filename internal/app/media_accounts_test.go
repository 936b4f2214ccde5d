package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/secret"
)

type shownMediaAccount struct {
	UserID    int64 `json:"user_id"`
	Email     string
	Standing  string
	LastError string `json:"last_error"`
	IsHeld    bool   `json:"is_held"`
	IsAllowed bool   `json:"is_allowed"`
}

type shownMediaAccounts struct {
	Accounts   []shownMediaAccount
	TotalCount int64 `json:"total_count"`
	IsSetUp    bool  `json:"is_set_up"`
}

// media reads the list as support does.
func (h *fixture) media(query string) (list shownMediaAccounts) {
	h.Helper()
	h.ask(h.staff[account.Support], 200, "GET", "/api/v2/staff/emby?"+query, "", &list)
	return list
}

func (l *shownMediaAccounts) users() (ids []int64) {
	for _, a := range l.Accounts {
		ids = append(ids, a.UserID)
	}
	return ids
}

// setMedia says how a user's account is to stand.
func (h *fixture) setMedia(status int, userID int64, body string) {
	h.Helper()
	h.ask(h.staff[account.Admin], status, "PUT", fmt.Sprintf("/api/v2/staff/emby/%d", userID), body, nil)
}

// setUpMedia gives the site a media server that fails, for users of any plan.
func (h *fixture) setUpMedia() {
	h.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "out of order", http.StatusInternalServerError)
	}))
	h.Cleanup(server.Close)
	if err := h.Settings.Set(h.Context(), settings(fmt.Sprintf(`{"emby_url":%q,"emby_class":0}`,
		server.URL))); err != nil {
		h.Fatal(err)
	}
	if err := h.Secrets.Set(h.Context(), secret.EmbyKey, "key"); err != nil {
		h.Fatal(err)
	}
}

func TestMediaAccounts_AreFoundByUserAndStanding(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if list := h.media(""); list.IsSetUp || list.Accounts == nil || list.TotalCount != 0 {
			h.Errorf("without a media server: %+v", list)
		}
		h.setMedia(404, h.users[0].id, `{"state":"enabled"}`)
		h.setUpMedia()
		if !h.media("").IsSetUp {
			h.Error("with a media server the list says that there is none")
		}
		for i, state := range []string{"enabled", "disabled", "enabled"} {
			h.now = h.now.Add(time.Minute)
			h.setMedia(200, h.users[i].id, fmt.Sprintf(`{"state":%q}`, state))
		}
		first, second, third := h.users[0].id, h.users[1].id, h.users[2].id
		for query, want := range map[string][]int64{
			"":                                 {third, second, first},
			"limit=1&offset=1":                 {second},
			"q=user1":                          {second},
			"q=user2@example.com":              {third},
			"q=@example.com&standing=changing": {third, second, first},
			fmt.Sprintf("q=%d", first):         {first},
			"q=nobody":                         nil,
			"standing=failed":                  nil,
			"standing=enabled":                 nil,
		} {
			list := h.media(query)
			total := int64(len(want))
			if query == "limit=1&offset=1" {
				total = 3
			}
			if !slices.Equal(list.users(), want) || list.TotalCount != total {
				h.Errorf("%q finds %v of %d, want %v of %d", query, list.users(), list.TotalCount, want, total)
			}
		}
		if one := h.media("q=user1").Accounts[0]; one.Email != "user1@example.com" || one.Standing != "changing" ||
			!one.IsHeld || !one.IsAllowed {
			h.Errorf("%+v", one)
		}
		h.ask(h.staff[account.Support], 422, "GET", "/api/v2/staff/emby?standing=other", "", nil)

		h.now = h.now.Add(time.Second)
		if err := h.Media.Work(h.Context()); err != nil {
			h.Fatal(err)
		}
		if failed := h.media("standing=failed"); failed.TotalCount != 3 || failed.Accounts[0].LastError == "" {
			h.Errorf("after the media server failed: %+v", failed)
		}
		if changing := h.media("standing=changing"); changing.TotalCount != 0 {
			h.Errorf("what failed is listed as under way: %+v", changing)
		}
	})
}

func TestMediaAccounts_StaffGivesOneBackToThePlan(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.setUpMedia()
		id := h.users[0].id
		h.setMedia(200, id, `{"state":"disabled"}`)
		if err := h.Emby.Follow(h.Context()); err != nil {
			h.Fatal(err)
		}
		if one := h.media("").Accounts[0]; !one.IsHeld {
			h.Errorf("what staff set is not held: %+v", one)
		}
		h.setMedia(200, id, `{"state":"disabled","is_held":false}`)
		if one := h.media("").Accounts[0]; one.IsHeld {
			h.Errorf("what was given back to the plan is held: %+v", one)
		}
		if err := h.Emby.Follow(h.Context()); err != nil {
			h.Fatal(err)
		}
		right, err := h.Emby.OfUser(h.Context(), id)
		if err != nil || right.Account.Wanted != "enabled" {
			h.Errorf("a plan that includes it leaves it %+v, %v", right.Account, err)
		}
	})
}

// Nobody who is not a user gets an account, nor a row of the list.
func TestMediaAccounts_OfNobody_AreRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.setUpMedia()
		h.setMedia(404, 999_999, `{"state":"enabled"}`)
		h.setMedia(404, 999_999, `{"state":"none"}`)
		gone := h.addUser(h.T, "gone", 0)
		h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", gone.id),
			`{"email":"gone@example.com","forfeit":"0.00","reason":"asked"}`, nil)
		h.setMedia(404, gone.id, `{"state":"enabled"}`)
		if list := h.media(""); list.TotalCount != 0 {
			h.Errorf("%+v", list)
		}
	})
}
