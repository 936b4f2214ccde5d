package app

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/account"
)

type consoleUsers struct {
	Rows []struct {
		ID     int64
		Email  string
		State  string
		Labels []string
		Plan   *struct{ Name string }
	}
	NextCursor string `json:"next_cursor"`
}

type consoleCount struct {
	Rows        int64
	Approximate bool
}

func TestConsole_UsersAreListedByWhatIsKnownOfThem(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, user := h.staff[account.Admin], h.users[0]
		list := func(query string) (out consoleUsers) {
			h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/users?"+query, "", &out)
			var n consoleCount
			filter, _ := url.ParseQuery(query)
			filter.Del("sort")
			filter.Del("limit")
			filter.Del("cursor")
			h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/users/count?"+filter.Encode(), "", &n)
			if out.NextCursor == "" && !strings.Contains(query, "cursor") && n.Rows != int64(len(out.Rows)) {
				h.Errorf("%s: %d rows, counted %d", query, len(out.Rows), n.Rows)
			}
			return out
		}
		all := list("limit=100")
		if want := len(h.users) + len(h.staff); len(all.Rows) != want {
			h.Errorf("%d users are listed, want %d", len(all.Rows), want)
		}
		seen := map[int64]bool{}
		for cursor := ""; ; {
			page := list("limit=3&sort=-balance&cursor=" + cursor)
			for _, u := range page.Rows {
				if seen[u.ID] {
					h.Errorf("%d is on two pages", u.ID)
				}
				seen[u.ID] = true
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if len(seen) != len(all.Rows) {
			h.Errorf("the pages have %d users, want %d", len(seen), len(all.Rows))
		}

		h.ask(admin, http.StatusOK, "PUT", fmt.Sprintf("/api/v2/staff/users/%d/labels", user.id),
			`{"labels": ["vip", "=1+1"], "was": []}`, nil)
		labelled := list("label=vip")
		if len(labelled.Rows) != 1 || labelled.Rows[0].ID != user.id || len(labelled.Rows[0].Labels) != 2 {
			h.Errorf("the label finds %+v", labelled.Rows)
		}
		if found := list("q=" + url.QueryEscape(labelled.Rows[0].Email[:8])); len(found.Rows) == 0 {
			h.Errorf("the beginning of the address finds nobody")
		}

		h.ask(admin, http.StatusOK, "POST", fmt.Sprintf("/api/v2/staff/users/%d/bans", user.id), `{"reason": "spam"}`, nil)
		if banned := list("state=banned"); len(banned.Rows) != 1 || banned.Rows[0].ID != user.id {
			h.Errorf("banned are %+v", banned.Rows)
		}
		var detail struct {
			State    string
			Services []struct{ Name string }
			Bans     []struct{ Reason string }
			Wallet   struct{ Posted string }
		}
		h.ask(admin, http.StatusOK, "GET", fmt.Sprintf("/api/v2/staff/users/%d", user.id), "", &detail)
		if detail.State != "banned" || len(detail.Services) == 0 || len(detail.Bans) != 1 || detail.Bans[0].Reason != "spam" {
			h.Errorf("the user is %+v", detail)
		}
		h.ask(admin, http.StatusOK, "DELETE", fmt.Sprintf("/api/v2/staff/users/%d/bans", user.id), "", nil)
		if banned := list("state=banned"); len(banned.Rows) != 0 {
			h.Errorf("banned are %+v", banned.Rows)
		}

		for query, field := range map[string]string{
			"color=red": "color", "state=happy": "state", "sort=color": "sort", "ends=soon": "ends", "cursor=x": "cursor",
		} {
			h.wantField(admin, "GET", "/api/v2/staff/users?"+query, "", field)
		}
		h.wantField(admin, "POST", fmt.Sprintf("/api/v2/staff/users/%d/bans", user.id),
			`{"reason": "spam", "ends_at": "2001-01-01T00:00:00Z"}`, "ends_at")

		file := h.callAs(h.Context(), h.present(admin), "GET", "/api/v2/staff/users/csv?label=vip", "", "").Body.String()
		if lines := strings.Count(file, "\n"); lines != 2 || !strings.Contains(file, `'=1+1, vip`) {
			h.Errorf("the file has %d lines:\n%s", lines, file)
		}
		h.sound(h.T)
	})
}

func TestConsole_RechargesAndOrdersAreFoundByTheirUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, user := h.staff[account.Admin], h.users[0]
		made := h.recharge(h.T, user.id, 3000)
		var recharges struct {
			Rows []struct {
				No      int64
				TradeNo string `json:"trade_no"`
				User    struct{ ID int64 }
			}
		}
		for _, typed := range []string{fmt.Sprint(made.ID), made.TradeNo, made.UUID.String()} {
			h.ask(admin, http.StatusOK, "GET", "/api/v2/staff/recharges?q="+typed, "", &recharges)
			if len(recharges.Rows) != 1 || recharges.Rows[0].No != made.ID || recharges.Rows[0].User.ID != user.id {
				h.Errorf("%s finds %+v", typed, recharges.Rows)
			}
		}
		h.ask(admin, http.StatusOK, "GET", fmt.Sprintf("/api/v2/staff/recharges?user=%d&state=pending&amount=29..31", user.id),
			"", &recharges)
		if len(recharges.Rows) != 1 {
			h.Errorf("the user's pending recharges are %+v", recharges.Rows)
		}
		var events struct{ Events []struct{ ID int64 } }
		h.ask(admin, http.StatusOK, "GET", fmt.Sprintf("/api/v2/staff/recharges/%d/events", made.ID), "", &events)
		h.ask(admin, http.StatusNotFound, "GET", "/api/v2/staff/recharges/999999", "", nil)
		h.ask(admin, http.StatusNotFound, "GET", "/api/v2/staff/orders/999999", "", nil)
	})
}

// Who sets labels says which ones they saw, so that nobody's are lost: of several changes at once one is made.
func TestLabels_ChangedMeanwhile_AreNotOverwritten(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, path := h.staff[account.Admin], fmt.Sprintf("/api/v2/staff/users/%d/labels", h.users[0].id)
		h.ask(admin, 200, "PUT", path, `{"labels":["vip","a"],"was":[]}`, nil)
		h.ask(admin, 409, "PUT", path, `{"labels":["b"],"was":[]}`, nil)
		h.ask(admin, 409, "PUT", path, `{"labels":["b"],"was":["a"]}`, nil)
		codes := make([]int, 4)
		var wg sync.WaitGroup
		for i := range codes {
			wg.Go(func() {
				codes[i] = h.call(h.Context(), h.present(admin), "PUT", path,
					fmt.Sprintf(`{"labels":["vip","a","n%d"],"was":["vip","a"]}`, i)).Code
			})
		}
		wg.Wait()
		slices.Sort(codes)
		if !slices.Equal(codes, []int{200, 409, 409, 409}) {
			h.Errorf("four changes at once of the same labels answer %v", codes)
		}
	})
}
