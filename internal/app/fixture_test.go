package app

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/shop"
)

// fixture is a server whose clock the test sets, with members of staff and users who have a plan.
type fixture struct {
	*testing.T
	*testServer
	now   time.Time
	staff map[account.Role]testUser
	users []testUser
	names map[int64]string
	since map[int64]signedIn
}

// signedIn is a sign-in with its time; it is good for ten minutes, then it is too old for what is dangerous.
type signedIn struct {
	bearer string
	at     time.Time
}

// eachFixture runs test on both databases.
func eachFixture(t *testing.T, test func(h *fixture)) {
	eachEngine(t, func(t *testing.T, c Config) { test(newFixture(t, c)) })
}

// sqliteFixture runs test on SQLite alone: for walks over all operations whose answers come before any database.
func sqliteFixture(t *testing.T, test func(h *fixture)) {
	t.Parallel()
	test(newFixture(t, config(t)))
}

// newFixture returns a server at noon of 31 January in Shanghai, with a member of each role and three users.
func newFixture(t *testing.T, c Config) *fixture {
	t.Helper()
	h := &fixture{
		T: t, testServer: newTestServer(t, c), now: time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC),
		staff: map[account.Role]testUser{}, names: map[int64]string{}, since: map[int64]signedIn{},
	}
	h.DB.SetClock(func() time.Time { return h.now })
	for _, role := range []account.Role{
		account.Owner, account.Admin, account.Support, account.Finance,
		account.Viewer,
	} {
		made := h.addUser(t, string(role), 0)
		if err := h.Accounts.SetRole(t.Context(), string(role)+"@example.com", role); err != nil {
			t.Fatal(err)
		}
		h.staff[role] = made
		h.names[made.id] = string(role)
		h.since[made.id] = signedIn{made.bearer, h.now}
	}
	price := h.sells(t, shop.KindPlan, 100)
	for i := range 3 {
		u := h.addUser(t, fmt.Sprintf("user%d", i), 1000)
		if w := h.call(t.Context(), u, "POST", buy(price), "{}"); w.Code != 200 {
			t.Fatal(w.Body)
		}
		h.users = append(h.users, u)
		h.names[u.id] = fmt.Sprintf("user%d", i)
		h.since[u.id] = signedIn{u.bearer, h.now}
	}
	return h
}

// ask calls as a member of staff and insists on the status; into, where it is not nil, gets the result.
func (h *fixture) ask(as testUser, status int, method, path, body string, into any) string {
	h.Helper()
	w := h.call(h.Context(), h.present(as), method, path, body)
	if w.Code != status {
		h.Fatalf("%s %s answers %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	if into != nil {
		var all struct {
			Result     json.RawMessage
			ResultList json.RawMessage `json:"result_list"`
			Data       json.RawMessage
		}
		if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
			h.Fatal(err)
		}
		for _, part := range []json.RawMessage{all.Result, all.ResultList, all.Data} {
			if part != nil {
				if err := json.Unmarshal(part, into); err != nil {
					h.Fatalf("%s: %v", w.Body, err)
				}
			}
		}
	}
	return w.Body.String()
}

// present returns c with a sign-in that time has not ended.
func (h *fixture) present(c testUser) testUser {
	h.Helper()
	known, ok := h.since[c.id]
	if !ok {
		return c
	}
	if h.now.Sub(known.at) > 9*time.Minute {
		g, err := h.Accounts.SignIns.ByPassword(h.Context(), account.SignIn{
			Email:    h.names[c.id] + "@example.com",
			Password: "a long enough password",
		}, account.Client{IP: netip.MustParseAddr("192.0.2.1")})
		if err != nil {
			h.Fatal(err)
		}
		known = signedIn{g.Access, h.now}
		h.since[c.id] = known
	}
	return testUser{c.id, known.bearer, c.key}
}

type shownNode struct {
	ID        int64
	Address   string
	RateNow   string `json:"rate_now"`
	UsedBytes int64  `json:"used_bytes"`
	ResetsAt  string `json:"resets_at"`
	Spent     bool
	Status    string
}

type added struct {
	Node    shownNode
	Secret  string
	Install string
}

// add makes a node of VMess with more fields.
func (h *fixture) add(name, more string) (a added) {
	h.Helper()
	h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes", `{"protocol":"vmess","name":"`+name+
		`","address":"`+name+`.example","port":8080`+more+`}`, &a)
	return a
}

func (h *fixture) node(id int64) (n shownNode) {
	h.Helper()
	h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d", id), "", &n)
	return n
}

// userList returns the user list of an SSPanel agent, with the placeholder as 0.
func (h *fixture) userList(secret string) (ids []int64) {
	h.Helper()
	var users []struct{ ID int64 }
	h.ask(testUser{}, 200, "GET", "/v1/mod_mu/users?key="+secret, "", &users)
	for _, u := range users {
		ids = append(ids, u.ID)
	}
	return ids
}

// moves reports bytes of the first user by the same protocol.
func (h *fixture) moves(secret string, up, down int64) {
	h.Helper()
	h.ask(testUser{}, 200, "POST", "/v1/mod_mu/users/traffic?key="+secret,
		fmt.Sprintf(`{"data":[{"user_id":%d,"u":%d,"d":%d}]}`, h.users[0].id, up, down), nil)
}

// rates returns the rates at which the first user's log has bytes.
func (h *fixture) rates() (out []string) {
	h.Helper()
	var rows []struct {
		Rate string `json:"node_rate"`
	}
	h.ask(h.users[0], 200, "GET", "/api/v2/user/services/subscribe-log/detail-record", "", &rows)
	for _, r := range rows {
		out = append(out, r.Rate)
	}
	return out
}
