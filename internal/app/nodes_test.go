package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/shop"
)

// hangar is a server whose clock the test sets, with members of staff and users who have a plan.
type hangar struct {
	*testing.T
	*front
	now   time.Time
	staff map[account.Role]customer
	users []customer
	names map[int64]string
	since map[int64]signedIn
}

// signedIn is a sign-in with its time; it is good for a quarter of an hour.
type signedIn struct {
	bearer string
	at     time.Time
}

// eachHangar runs test on both databases, at noon of 31 January in Shanghai, with three users.
func eachHangar(t *testing.T, test func(h *hangar)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			c := config(t)
			if engine == "postgres" {
				c.DatabaseURL, c.SecretKey = dbtest.PostgresURL(t), strings.Repeat("ab", 32)
			}
			h := &hangar{T: t, front: openFront(t, c), now: time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC), staff: map[account.Role]customer{}, names: map[int64]string{}, since: map[int64]signedIn{}}
			h.DB.SetClock(func() time.Time { return h.now })
			for _, role := range []account.Role{account.Owner, account.Admin, account.Support, account.Finance, account.Viewer} {
				made := h.customer(t, string(role), 0)
				if err := h.Accounts.SetRole(t.Context(), string(role)+"@example.com", role); err != nil {
					t.Fatal(err)
				}
				h.staff[role] = made
				h.names[made.id] = string(role)
				h.since[made.id] = signedIn{made.bearer, h.now}
			}
			price := h.sells(t, shop.KindPlan, 100)
			for i := range 3 {
				u := h.customer(t, fmt.Sprintf("user%d", i), 1000)
				if w := h.call(t.Context(), u, "POST", buy(price), "{}"); w.Code != 200 {
					t.Fatal(w.Body)
				}
				h.users = append(h.users, u)
				h.names[u.id] = fmt.Sprintf("user%d", i)
				h.since[u.id] = signedIn{u.bearer, h.now}
			}
			test(h)
		})
	}
}

// ask calls as a member of staff and insists on the status; into, where it is not nil, gets the result.
func (h *hangar) ask(as customer, status int, method, path, body string, into any) string {
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

// present gives c with a sign-in that time has not ended.
func (h *hangar) present(c customer) customer {
	h.Helper()
	known, ok := h.since[c.id]
	if !ok {
		return c
	}
	if h.now.Sub(known.at) > 15*time.Minute {
		g, err := h.Accounts.SignIn(h.Context(), account.Credentials{Email: h.names[c.id] + "@example.com", Password: "a long enough password"}, account.Client{IP: netip.MustParseAddr("192.0.2.1")})
		if err != nil {
			h.Fatal(err)
		}
		known = signedIn{g.Access, h.now}
		h.since[c.id] = known
	}
	return customer{c.id, known.bearer}
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
func (h *hangar) add(name, more string) (a added) {
	h.Helper()
	h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes", `{"protocol":"vmess","name":"`+name+`","address":"`+name+`.example","port":8080`+more+`}`, &a)
	return a
}

func (h *hangar) node(id int64) (n shownNode) {
	h.Helper()
	h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d", id), "", &n)
	return n
}

// roster gives who an agent of SSPanel's kind is told, the placeholder as 0.
func (h *hangar) roster(secret string) (ids []int64) {
	h.Helper()
	var users []struct{ ID int64 }
	h.ask(customer{}, 200, "GET", "/v1/mod_mu/users?key="+secret, "", &users)
	for _, u := range users {
		ids = append(ids, u.ID)
	}
	return ids
}

// moves reports bytes of the first user by the same protocol.
func (h *hangar) moves(secret string, up, down int64) {
	h.Helper()
	h.ask(customer{}, 200, "POST", "/v1/mod_mu/users/traffic?key="+secret, fmt.Sprintf(`{"data":[{"user_id":%d,"u":%d,"d":%d}]}`, h.users[0].id, up, down), nil)
}

// billed gives the rates at which the first user's log has bytes.
func (h *hangar) rates() (out []string) {
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

func TestStaffManagesNodesByRole(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		const draft = `{"protocol":"vless","name":"HK","address":"hk.example","port":443,"settings":{"security":"reality","reality":{"dest":"www.example:443","server_names":["www.example"]}}}`
		for _, role := range []account.Role{account.Support, account.Finance, account.Viewer} {
			h.ask(h.staff[role], 403, "POST", "/api/v2/staff/nodes", draft, nil)
		}
		h.ask(h.users[0], 403, "GET", "/api/v2/staff/nodes", "", nil)
		h.ask(customer{}, 401, "GET", "/api/v2/staff/nodes", "", nil)
		var a added
		text := h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes", draft, &a)
		if len(a.Secret) < 43 || !strings.Contains(a.Install, a.Secret) || !strings.Contains(a.Install, fmt.Sprintf(" %d ", a.Node.ID)) || strings.ContainsRune(a.Install, '\n') || strings.Contains(text, "private_key") {
			t.Fatal(text)
		}
		path := fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID)
		for _, p := range []string{path, "/api/v2/staff/nodes"} {
			if text := h.ask(h.staff[account.Viewer], 200, "GET", p, "", nil); strings.Contains(text, "private_key") || strings.Contains(text, a.Secret) {
				t.Error(text)
			}
		}
		key := func() string {
			n, err := h.Nodes.Get(t.Context(), a.Node.ID)
			if err != nil {
				t.Fatal(err)
			}
			return n.Settings.Reality.PrivateKey
		}
		before := key()
		h.ask(h.staff[account.Admin], 200, "PATCH", path, `{"settings":{"security":"reality","reality":{"dest":"www.example:443","server_names":["www.example"]}},"tags":["fast"]}`, nil)
		if before == "" || key() != before {
			t.Error("settings that leave the private key out changed it")
		}

		var rotated struct{ Secret string }
		h.ask(h.staff[account.Support], 403, "POST", path+"/secret", "{}", nil)
		h.ask(h.staff[account.Admin], 200, "POST", path+"/secret", `{"honour_old_minutes":60}`, &rotated)
		for _, secret := range []string{a.Secret, rotated.Secret} {
			h.ask(customer{}, 200, "GET", "/v1/mod_mu/func/ping?key="+secret, "", nil)
		}
		h.now = h.now.Add(time.Hour)
		h.ask(customer{}, 401, "GET", "/v1/mod_mu/func/ping?key="+a.Secret, "", nil)
		h.ask(customer{}, 200, "GET", "/v1/mod_mu/func/ping?key="+rotated.Secret, "", nil)

		h.ask(h.staff[account.Admin], 200, "DELETE", path, "", nil)
		h.ask(h.staff[account.Admin], 404, "GET", path, "", nil)
		h.ask(customer{}, 401, "GET", "/v1/mod_mu/func/ping?key="+rotated.Secret, "", nil)
	})
}

func TestWrongFieldsOfNodesAreNamed(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("good", "")
		b := h.add("relayed", fmt.Sprintf(`,"relays":[{"name":"A","host":"a.example","port":7000,"node_id":%d}]`, a.Node.ID))
		for body, field := range map[string]string{
			`{"rate":"1.2345"}`:                                    "rate",
			`{"rate":"200"}`:                                       "rate",
			`{"hour_rates":["1","2"]}`:                             "hour_rates",
			`{"hour_rates":["x"]}`:                                 "hour_rates.0",
			`{"reset_day":32}`:                                     "reset_day",
			`{"group_hosts":{"0":{"host":"a"}}}`:                   "group_hosts.0",
			`{"group_hosts":{"b":{"host":"a"}}}`:                   "group_hosts.b",
			`{"group_hosts":{"2":{"host":"a b"}}}`:                 "group_hosts.2.host",
			`{"relays":[{"name":"IX","host":"a","port":0}]}`:       "relays.0.port",
			`{"relays":[{"name":"","host":"a.example","port":1}]}`: "relays.0.name",
			`{"tags":[""]}`:                                        "tags",
			`{"listen_port":7000}`:                                 "listen_port",
			fmt.Sprintf(`{"relays":[{"name":"B","host":"b.example","port":9,"node_id":%d}]}`, a.Node.ID):                                                          "relays.0.node_id",
			`{"relays":[{"name":"B","host":"b.example","port":9,"node_id":999}]}`:                                                                                 "relays.0.node_id",
			fmt.Sprintf(`{"relays":[{"name":"B","host":"b.example","port":8080,"node_id":%d}]}`, b.Node.ID):                                                       "relays.0.port",
			fmt.Sprintf(`{"relays":[{"name":"B","host":"b.example","port":9,"node_id":%d},{"name":"C","host":"c.example","port":9,"node_id":%[1]d}]}`, b.Node.ID): "relays.1.port",
		} {
			if text := h.ask(h.staff[account.Admin], 422, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID), body, nil); !strings.Contains(text, `"field":"`+field+`"`) {
				t.Errorf("%s: %s", body, text)
			}
		}
	})
}

func TestTheRateIsThatOfTheHourInTheSitesTimeZone(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		hours := slices.Repeat([]string{`"0.5"`}, 24)
		for i := 18; i < 24; i++ {
			hours[i] = `"2"`
		}
		a := h.add("busy", `,"hour_rates":[`+strings.Join(hours, ",")+`]`)
		h.moves(a.Secret, 100, 100)
		h.now = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC) // 18:00 in Shanghai
		if err := h.Queue.Trigger(t.Context(), "node.follow"); err != nil {
			t.Fatal(err)
		}
		h.moves(a.Secret, 100, 101)
		if got := h.rates(); !slices.Equal(got, []string{"2.00", "0.50"}) {
			t.Errorf("counted at %v", got)
		}
		if n := h.node(a.Node.ID); n.RateNow != "2.00" {
			t.Errorf("%+v", n)
		}
		access, err := h.Services.Access(t.Context(), h.users[0].id)
		if err != nil || access.UsedBytes != 100+402 {
			t.Errorf("billed %d, %v", access.UsedBytes, err)
		}
	})
}

func TestANodeOverItsQuotaHasNoUsersUntilItsReset(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("metered", `,"quota_bytes":1000,"reset_day":31`)
		all := h.roster(a.Secret)
		if len(all) != 3 {
			t.Fatal(all)
		}
		var snapshot struct {
			Revision int64
			Users    []struct{ ID int64 }
		}
		agent := customer{bearer: a.Secret}
		read := func() {
			t.Helper()
			w := h.call(t.Context(), agent, "GET", "/api/agent/v1/snapshot", "")
			if err := json.Unmarshal(w.Body.Bytes(), &snapshot); err != nil || w.Code != 200 {
				t.Fatal(w.Code, err)
			}
		}
		read()
		h.moves(a.Secret, 400, 599)
		if got := h.roster(a.Secret); !slices.Equal(got, all) {
			t.Fatalf("one byte below the quota %v", got)
		}
		h.moves(a.Secret, 0, 1)
		if got := h.roster(a.Secret); !slices.Equal(got, []int64{0}) {
			t.Fatalf("at the quota %v", got)
		}
		if line := h.ask(agent, 200, "GET", fmt.Sprintf("/api/agent/v1/changes?poll=1&since=%d", snapshot.Revision), "", nil); !strings.Contains(line, `"reset":true`) {
			t.Errorf("our agent hears %s", line)
		}
		if read(); len(snapshot.Users) != 0 {
			t.Errorf("our agent has %v", snapshot.Users)
		}
		if n := h.node(a.Node.ID); !n.Spent || n.UsedBytes != 1000 || n.ResetsAt != "2026-02-27T16:00:00Z" {
			t.Errorf("%+v", n)
		}
		// The reset is on the last day of months without a 31st: at midnight of 28 February in Shanghai.
		h.now = time.Date(2026, 2, 27, 15, 59, 0, 0, time.UTC)
		if err := h.Queue.Trigger(t.Context(), "node.follow"); err != nil || !h.node(a.Node.ID).Spent {
			t.Errorf("a minute before the reset: %v", err)
		}
		h.now = time.Date(2026, 2, 27, 16, 0, 0, 0, time.UTC)
		if err := h.Queue.Trigger(t.Context(), "node.follow"); err != nil {
			t.Fatal(err)
		}
		if n := h.node(a.Node.ID); n.Spent || n.UsedBytes != 0 || n.ResetsAt != "2026-03-30T16:00:00Z" {
			t.Errorf("after the reset %+v", n)
		}
		var totals []struct {
			Total int64 `json:"total_traffic"`
		}
		h.ask(h.staff[account.Viewer], 200, "POST", fmt.Sprintf("/v1/total/traffic/node/%d", a.Node.ID), `{"data_start_ats":["2026-01-31T00:00:00Z","2026-02-01T00:00:00Z"]}`, &totals)
		if len(totals) != 2 || totals[0].Total != 1000 || totals[1].Total != 0 {
			t.Errorf("%+v", totals)
		}
	})
}

func TestAQuotaThatIsRaisedOpensTheNodeAtOnce(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("metered", `,"quota_bytes":100`)
		h.moves(a.Secret, 100, 0)
		path := fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID)
		for _, quota := range []int{101, 0} {
			h.ask(h.staff[account.Admin], 200, "PATCH", path, `{"quota_bytes":99}`, nil)
			if got := h.roster(a.Secret); !slices.Equal(got, []int64{0}) {
				t.Fatal(got)
			}
			h.ask(h.staff[account.Admin], 200, "PATCH", path, fmt.Sprintf(`{"quota_bytes":%d}`, quota), nil)
			if got := h.roster(a.Secret); len(got) != 3 {
				t.Fatal(got)
			}
		}
	})
}

func TestTheOneKeyOfAllNodesOpensNothingUnlessItIsOn(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a, b := h.add("a", ""), h.add("b", "")
		const key = "an-old-panels-key"
		path := func(id int64) []string {
			return []string{fmt.Sprintf("/v1/mod_mu/users?key=%s&node_id=%d", key, id), fmt.Sprintf("/v1/mod_mu/nodes/%d/info?key=%s", id, key), fmt.Sprintf("/api/v1/server/UniProxy/user?token=%s&node_id=%d&node_type=vmess", key, id)}
		}
		closed := func() {
			t.Helper()
			for _, p := range path(a.Node.ID) {
				h.ask(customer{}, 401, "GET", p, "", nil)
			}
			h.ask(customer{}, 401, "GET", "/v1/mod_mu/func/ping?key="+key, "", nil)
		}
		closed()
		on := func(as account.Role, status int, body string) {
			t.Helper()
			h.ask(h.staff[as], status, "PUT", "/api/v2/staff/node-shared-key", body, nil)
		}
		on(account.Admin, 403, `{"key":"`+key+`"}`)
		on(account.Owner, 422, `{"key":"short"}`)
		on(account.Owner, 422, `{"key":"`+a.Secret+`"}`)
		on(account.Owner, 200, `{"key":"`+key+`","until":"2026-02-01T00:00:00Z"}`)
		for _, id := range []int64{a.Node.ID, b.Node.ID} {
			for _, p := range path(id) {
				h.ask(customer{}, 200, "GET", p, "", nil)
			}
		}
		h.ask(customer{}, 401, "GET", path(999)[0], "", nil)
		h.ask(customer{}, 422, "GET", "/api/v1/server/UniProxy/user?node_type=vmess&token="+key, "", nil)
		if text := h.ask(customer{}, 200, "GET", "/v1/mod_mu/users?key="+key, "", nil); !strings.Contains(text, `"ret":0`) {
			t.Errorf("without a node_id: %s", text)
		}
		h.ask(customer{bearer: key}, 401, "GET", "/api/agent/v1/snapshot", "", nil)
		h.ask(customer{}, 403, "POST", "/v1/mod_mu/check_job?key="+key, "", nil)
		// A node's own secret opens that node alone, also while the other key is on.
		if text := h.ask(customer{}, 200, "GET", fmt.Sprintf("/v1/mod_mu/users?key=%s&node_id=%d", a.Secret, b.Node.ID), "", nil); !strings.Contains(text, `"ret":0`) {
			t.Error(text)
		}
		h.ask(customer{}, 403, "GET", fmt.Sprintf("/api/v1/server/UniProxy/user?token=%s&node_id=%d&node_type=vmess", a.Secret, b.Node.ID), "", nil)
		h.now = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
		closed()
		on(account.Owner, 200, `{"key":"`+key+`"}`)
		on(account.Owner, 200, `{"key":""}`)
		closed()
	})
}

func TestUsersAreDealtOutToLinkGroupsEvenlyAndStay(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("a", `,"group_hosts":{"1":{"host":"one.example"},"2":{"host":"two.example","port":9000}},"relays":[{"name":"IX","host":"ix.example","port":7000}]`)
		type dealt struct {
			Moved  int
			Groups map[string]int
		}
		deal := func(query string) (d dealt) {
			t.Helper()
			h.ask(h.staff[account.Admin], 200, "GET", "/api/v2/cron_task/user_link_group"+query, "", &d)
			return d
		}
		h.ask(h.users[0], 403, "GET", "/api/v2/cron_task/user_link_group", "", nil)
		h.ask(customer{}, 403, "GET", "/api/v2/cron_task/user_link_group?key="+a.Secret, "", nil)
		h.ask(h.staff[account.Admin], 422, "GET", "/api/v2/cron_task/user_link_group?is_all_flush=perhaps", "", nil)
		even := func(d dealt, groups int) {
			t.Helper()
			counts := slices.Collect(maps.Values(d.Groups))
			if len(counts) != groups || slices.Max(counts)-slices.Min(counts) > 1 {
				t.Errorf("dealt %+v", d)
			}
		}
		groups := func() (out []int) {
			for _, u := range h.users {
				g, err := h.Nodes.LinkGroup(t.Context(), u.id)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, g)
			}
			return out
		}
		even(deal(""), 2)
		first := groups()
		if again := deal(""); again.Moved != 0 || !slices.Equal(groups(), first) {
			t.Errorf("a second deal moved %+v", again)
		}
		var nodes struct {
			Available []struct {
				ServerAddress string `json:"server_address"`
			} `json:"available_nodes"`
		}
		for i, u := range h.users {
			token, err := h.Links.Token(t.Context(), u.id)
			if err != nil {
				t.Fatal(err)
			}
			file := h.ask(customer{}, 200, "GET", "/link2/"+token.Token+"?client_type=Clash", "", nil)
			own, other := "one.example", "two.example"
			if first[i] == 2 {
				own, other = other, own
			}
			if !strings.Contains(file, own) || strings.Contains(file, other) || strings.Contains(file, "a.example") || !strings.Contains(file, "ix.example") || strings.Contains(file, "9000") != (first[i] == 2) {
				t.Errorf("a user of group %d gets %s", first[i], file)
			}
			h.ask(u, 200, "GET", "/api/v2/user/services/nodes", "", &nodes)
			if nodes.Available[0].ServerAddress != own {
				t.Errorf("a user of group %d sees %+v", first[i], nodes)
			}
		}
		h.ask(h.staff[account.Admin], 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID), `{"group_hosts":{"2":{"host":"two.example"},"3":{"host":"three.example"},"4":{"host":"four.example"}}}`, nil)
		even(deal(""), 3)
		for i, g := range groups() {
			if g == 1 {
				t.Errorf("user %d is in a group that is gone", i)
			}
		}
		even(deal("?is_all_flush=true"), 3)
	})
}

func TestStaffIsToldOnceThatANodeIsSilentAndOnceThatItIsBack(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("hk", "")
		watch := func(after time.Duration) (told []string) {
			t.Helper()
			h.now = h.now.Add(after)
			if err := h.Queue.Trigger(t.Context(), "node.watch"); err != nil {
				t.Fatal(err)
			}
			mails, err := h.Mails.List(t.Context(), 200)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mails {
				if strings.HasPrefix(m.Kind, "node_") {
					told = append(told, m.Kind+" "+m.Recipient)
				}
			}
			slices.Sort(told)
			return told
		}
		if told := watch(time.Hour); len(told) != 0 {
			t.Errorf("of a node that was never heard of: %v", told)
		}
		h.roster(a.Secret)
		if told := watch(299 * time.Second); len(told) != 0 {
			t.Error(told)
		}
		offline := []string{"node_offline admin@example.com", "node_offline owner@example.com"}
		for _, after := range []time.Duration{time.Second, time.Minute, time.Hour} {
			if told := watch(after); !slices.Equal(told, offline) {
				t.Fatalf("after %s: %v", after, told)
			}
		}
		if n := h.node(a.Node.ID); n.Status != "offline" {
			t.Errorf("%+v", n)
		}
		h.roster(a.Secret)
		back := append([]string{"node_back admin@example.com", "node_back owner@example.com"}, offline...)
		for range 2 {
			if told := watch(time.Second); !slices.Equal(told, back) {
				t.Fatal(told)
			}
		}
		var history struct {
			Moments []struct{ At time.Time }
			Outages []struct {
				BeganAt time.Time  `json:"began_at"`
				EndedAt *time.Time `json:"ended_at"`
			}
		}
		h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/history", a.Node.ID), "", &history)
		if len(history.Moments) != 2 || len(history.Outages) != 1 || history.Outages[0].EndedAt == nil || history.Outages[0].EndedAt.Sub(history.Outages[0].BeganAt) != time.Hour+6*time.Minute {
			t.Errorf("%+v", history)
		}
	})
}

func TestWhoMovedMostOnANode(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("hk", "")
		h.ask(customer{}, 200, "POST", "/v1/mod_mu/users/traffic?key="+a.Secret, fmt.Sprintf(`{"data":[{"user_id":%d,"u":1,"d":2},{"user_id":%d,"u":5,"d":5}]}`, h.users[0].id, h.users[2].id), nil)
		h.ask(customer{}, 200, "POST", "/v1/mod_mu/users/aliveip?key="+a.Secret, fmt.Sprintf(`{"data":[{"user_id":%d,"ip":"192.0.2.7"}]}`, h.users[2].id), nil)
		var heavy []struct {
			UserID int64 `json:"user_id"`
			Email  string
			Billed int64 `json:"billed_bytes"`
		}
		h.now = h.now.Add(time.Minute)
		h.ask(h.staff[account.Support], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/users", a.Node.ID), "", &heavy)
		if len(heavy) != 2 || heavy[0].UserID != h.users[2].id || heavy[0].Email != "user2@example.com" || heavy[0].Billed != 10 || heavy[1].Billed != 3 {
			t.Errorf("%+v", heavy)
		}
		var online []struct {
			UserID int64 `json:"user_id"`
			IP     string
		}
		h.ask(h.staff[account.Support], 200, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/online", a.Node.ID), "", &online)
		if len(online) != 1 || online[0].IP != "192.0.2.7" || online[0].UserID != h.users[2].id {
			t.Errorf("%+v", online)
		}
		h.ask(h.staff[account.Viewer], 403, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/online", a.Node.ID), "", nil)
	})
}

func TestOldShadowsocksNodesBecomeVMessOnlyWhenAsked(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		var old, fresh added
		h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes", `{"protocol":"shadowsocks","name":"old","address":"o.example","port":1,"settings":{"method":"aes-256-gcm"}}`, &old)
		h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes", `{"protocol":"shadowsocks","name":"new","address":"n.example","port":1,"settings":{"method":"2022-blake3-aes-128-gcm"}}`, &fresh)
		protocol := func(id int64) string {
			n, err := h.Nodes.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return string(n.Protocol)
		}
		var rows []struct {
			NodeID  int64 `json:"node_id"`
			Rebuilt bool  `json:"is_rebuilt"`
		}
		const path = "/api/v2/admin_api/old_ss_node_rebuild_vmess"
		h.ask(h.staff[account.Viewer], 403, "GET", path, "", nil)
		h.ask(h.staff[account.Admin], 200, "GET", path, "", &rows)
		if len(rows) != 1 || rows[0].NodeID != old.Node.ID || rows[0].Rebuilt || protocol(old.Node.ID) != "shadowsocks" {
			t.Fatalf("%+v", rows)
		}
		h.ask(h.staff[account.Admin], 200, "GET", path+"?apply=true", "", &rows)
		if !rows[0].Rebuilt || protocol(old.Node.ID) != "vmess" || protocol(fresh.Node.ID) != "shadowsocks" {
			t.Fatalf("%+v", rows)
		}
	})
}

func TestStaffReplacesAnAddressOnlyWhereBothAreRight(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		for i, path := range []string{"/v1/admin/replace_user_email", "/api/v2/admin_api/replace_user_email"} {
			u := h.users[i]
			present, email := fmt.Sprintf("user%d@example.com", i), fmt.Sprintf("new%d@example.com", i)
			ask := func(as customer, status int, present, email string) string {
				t.Helper()
				return h.ask(as, status, "GET", fmt.Sprintf("%s?user_id=%d&user_old_email=%s&user_new_email=%s", path, u.id, present, email), "", nil)
			}
			ask(h.staff[account.Viewer], 403, present, email)
			for _, wrong := range []struct{ present, email, field string }{{"user2@example.com", email, "user_old_email"}, {present, "user2@example.com", "user_new_email"}, {present, present, "user_new_email"}, {present, "no", "user_new_email"}} {
				if text := ask(h.staff[account.Support], 422, wrong.present, wrong.email); !strings.Contains(text, wrong.field) {
					t.Error(text)
				}
			}
			h.ask(u, 200, "GET", "/api/v2/user/services/nodes", "", nil)
			ask(h.staff[account.Support], 200, present, email)
			h.ask(u, 401, "GET", "/api/v2/user/services/nodes", "", nil)
		}
		owner := h.staff[account.Owner]
		h.ask(h.staff[account.Admin], 403, "GET", fmt.Sprintf("/v1/admin/replace_user_email?user_id=%d&user_old_email=owner@example.com&user_new_email=thief@example.com", owner.id), "", nil)
	})
}

func TestOwnersGetEverybodysOlderLinks(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		h.add("hk", "")
		const path = "/v1/admin/gen_user_link_v1"
		h.ask(h.staff[account.Admin], 403, "GET", path+"?a1_host=a.example", "", nil)
		if text := h.ask(h.staff[account.Owner], 422, "GET", path+"?a1_host=a.example&a2_host=b.example&a2_port=0", "", nil); !strings.Contains(text, "a2_port") {
			t.Error(text)
		}
		var rows []struct {
			UserID int64 `json:"user_id"`
			A1, A2 string
		}
		h.ask(h.staff[account.Owner], 200, "GET", path+"?a1_host=a.example&a2_host=b.example&a2_port=8443", "", &rows)
		i := slices.IndexFunc(rows, func(r struct {
			UserID int64 `json:"user_id"`
			A1, A2 string
		},
		) bool {
			return r.UserID == h.users[0].id
		})
		if i < 0 {
			t.Fatalf("%+v", rows)
		}
		link, ours := strings.CutPrefix(rows[i].A1, "https://a.example")
		if !ours || rows[i].A2 != "https://b.example:8443"+link {
			t.Fatalf("%+v", rows[i])
		}
		w := httptest.NewRecorder()
		h.door.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", link, nil))
		if w.Code != 200 {
			t.Errorf("%s answers %d", link, w.Code)
		}
	})
}

func TestWhoHasAUsersTokenReadsTheirTraffic(t *testing.T) {
	eachHangar(t, func(h *hangar) {
		a := h.add("hk", "")
		h.moves(a.Secret, 3, 4)
		h.now = h.now.Add(time.Hour)
		secret, _, err := h.Accounts.MakeAPIToken(t.Context(), h.users[0].id, "grafana", []account.Scope{account.ScopeRead}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"user_area_time_axis", "user_by_month_calendar_pie"} {
			var rows []struct {
				Total int64 `json:"total_traffic"`
			}
			h.ask(customer{}, 200, "GET", "/v1/total/traffic/"+path+"/"+secret.String(), "", &rows)
			if len(rows) != 1 || rows[0].Total != 7 {
				t.Errorf("%s: %+v", path, rows)
			}
			h.ask(customer{}, 401, "GET", "/v1/total/traffic/"+path+"/00000000-0000-4000-8000-000000000000", "", nil)
		}
	})
}
