package app

import (
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/node"
	"airstrip/internal/shop"
)

// Support asks one question and reads which step keeps a user out, until nothing does.
func TestUserConnection_NamesTheStepThatKeepsAUserOut(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		support, user := h.staff[account.Support], h.addUser(h.T, "lost", 0)
		steps := func() map[string]string {
			h.Helper()
			var out struct {
				Steps []struct{ Key, State, Code string }
			}
			h.ask(support, 200, "GET", fmt.Sprintf("/api/v2/staff/users/%d/connection", user.id), "", &out)
			found := map[string]string{}
			for _, s := range out.Steps {
				found[s.Key] = s.State + " " + s.Code
			}
			if len(found) != 10 {
				h.Errorf("%d steps: %v", len(found), found)
			}
			return found
		}
		want := func(is map[string]string, key, state string) {
			h.Helper()
			if is[key] != state {
				h.Errorf("%s is %q, want %q", key, is[key], state)
			}
		}
		is := steps()
		want(is, "account", "ok open")
		want(is, "service", "failing never")
		want(is, "nodes", "skipped skipped")

		h.give(h.T, user.id, 2000)
		h.ask(user, 200, "POST", buy(h.sells(h.T, shop.KindPlan, 2000)), "{}", nil)
		is = steps()
		want(is, "service", "ok runs")
		want(is, "fetch", "warning never")

		if _, _, err := h.Nodes.Add(h.Context(), node.Draft("hk", node.VMess, "hk.example", 80)); err != nil {
			h.Fatal(err)
		}
		is = steps()
		want(is, "nodes", "ok some")

		h.ask(support, 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/bans", user.id), `{"reason":"abuse"}`, nil)
		want(steps(), "ban", "failing banned")
	})
}

// One session of a user is ended, and the others go on.
func TestStaffSessionsEnd_WithOneNamed_LeavesTheOthers(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		support, user := h.staff[account.Support], h.users[1]
		path := fmt.Sprintf("/api/v2/staff/users/%d/sessions", user.id)
		h.ask(support, 404, "POST", path+"/end",
			`{"session_id":"018f0000-0000-7000-8000-000000000000","reason":"asked"}`, nil)
		var sessions []struct{ ID string }
		h.ask(support, 200, "GET", path, "", &sessions)
		if len(sessions) == 0 {
			h.Fatal("the user has no session")
		}
		h.ask(support, 200, "POST", path+"/end", fmt.Sprintf(`{"session_id":%q,"reason":"asked"}`, sessions[0].ID), nil)
		var left []struct{ ID string }
		h.ask(support, 200, "GET", path, "", &left)
		if len(left) != len(sessions)-1 {
			h.Errorf("%d of %d sessions are left", len(left), len(sessions))
		}
	})
}

// The ledger is found by user, reason and amount, and the balances of all accounts sum to zero.
func TestLedger_IsFoundByUserReasonAndAmount(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		viewer, finance, user := h.staff[account.Viewer], h.staff[account.Finance], h.addUser(h.T, "buyer", 0)
		h.give(h.T, user.id, 2345)
		h.ask(user, 200, "POST", buy(h.sells(h.T, shop.KindPlan, 2345)), "{}", nil)
		ledger := func(query string) (reasons []string) {
			h.Helper()
			var out struct {
				Rows []struct {
					Reason   string
					Postings []struct{ Amount string }
				}
			}
			h.ask(finance, 200, "GET", "/api/v2/staff/ledger?"+query, "", &out)
			for _, row := range out.Rows {
				if len(row.Postings) < 2 {
					h.Errorf("%s has %d sides", row.Reason, len(row.Postings))
				}
				reasons = append(reasons, row.Reason)
			}
			return reasons
		}
		all := ledger(fmt.Sprintf("user=%d", user.id))
		if len(all) != 2 || all[0] != "purchase" {
			h.Errorf("the user's ledger is %v", all)
		}
		for query, want := range map[string]int{
			fmt.Sprintf("user=%d&reason=purchase", user.id): 1, "q=23.45": 2, "q=buyer": 2, "account=sales&q=23.45": 1,
			"q=1.11": 0, "q=nobody": 0,
		} {
			if found := ledger(query); len(found) != want {
				h.Errorf("%s finds %v", query, found)
			}
		}
		h.ask(viewer, 403, "GET", "/api/v2/staff/ledger", "", nil)
		var accounts []struct {
			Account string
			Balance string
		}
		h.ask(finance, 200, "GET", "/api/v2/staff/ledger/accounts", "", &accounts)
		var sum float64
		for _, a := range accounts {
			var amount float64
			if _, err := fmt.Sscan(a.Balance, &amount); err != nil {
				h.Fatal(err)
			}
			sum += amount
		}
		if len(accounts) < 3 || sum > 0.001 || sum < -0.001 {
			h.Errorf("%v sum to %f", accounts, sum)
		}
	})
}
