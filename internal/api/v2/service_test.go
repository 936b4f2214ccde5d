package v2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/captcha"
	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
)

// field is a server with the operations on services, nodes and traffic. Its first user has a service, the second
// nothing.
type field struct {
	*moneyServer
	settings *setting.Settings
	services *service.Services
	nodes    *node.Nodes
	traffic  *traffic.Traffic
	node     node.Node
	user     int64
	other    int64
	now      time.Time
}

// owner signs in as the owner of the site.
const owner = -1

func newField(t *testing.T, d *db.DB) *field {
	t.Helper()
	f := &field{now: time.Date(2026, 1, 31, 15, 30, 0, 0, time.UTC)} // 23:30 in Shanghai
	d.SetClock(func() time.Time { return f.now })
	settings, err := setting.New(t.Context(), d)
	f.settings = settings
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New(t.Context(), d, seal.Key{1})
	if err != nil {
		t.Fatal(err)
	}
	wallets := wallet.New(d, settings)
	f.services = service.New(d, seal.Key{1}, settings)
	f.nodes = node.New(d, seal.Key{1}, settings, f.services)
	f.traffic = traffic.New(d, settings, f.services, f.nodes)
	accounts := account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: seal.Key{1}, Settings: settings,
		Mails:    mail.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1}), "http://localhost:8080"),
		Captchas: captcha.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1})), Tokens: tokens,
		Wallets: wallets, Services: f.services, Site: "http://localhost:8080",
	})
	accounttest.Add(t, d, account.Owner, owner)
	mux := http.NewServeMux()
	v2.New(mux, "1", func(_ context.Context, bearer string) (account.Identity, error) {
		id, err := strconv.ParseInt(bearer, 10, 64)
		if err != nil {
			return account.Identity{}, api.ErrSignIn
		}
		if id == owner {
			return account.Identity{UserID: id, Proved: true, Role: account.Owner}, nil
		}
		return account.Identity{UserID: id}, nil
	}, user.Dashboard(accounts, wallets, f.services, f.nodes, f.traffic, settings,
		func(_ context.Context, userID int64) ([]string, error) {
			return []string{fmt.Sprintf("http://site.example/link2/%d", userID)}, nil
		}), user.Chat(accounts, wallets, f.services), user.Services(f.services),
		user.Nodes(f.nodes, f.services, settings),
		user.Traffic(f.traffic, f.nodes),
		user.AuditRules(f.nodes),
		staff.AuditRules(console.New(d, seal.Key{1}, settings, accounts, wallets, nil), accounts, f.nodes),
		staff.BlockedIPs(f.nodes), staff.NodeStats(f.nodes, nil))
	f.moneyServer = &moneyServer{handler: api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()}

	for i, to := range []*int64{&f.user, &f.other} {
		g, err := accounts.SignUps.SignUp(t.Context(), account.SignUp{
			Email: fmt.Sprintf("u%d@example.com", i),
			Name:  "Ann", Password: "correct horse battery", Repeated: "correct horse battery",
		}, account.Client{})
		if err != nil {
			t.Fatal(err)
		}
		*to = g.User.ID
	}
	draft := node.Draft("HK 01", node.Shadowsocks, "hk.example", 8388)
	draft.RatePermille, draft.Class, draft.Country, draft.Settings.Method = 1500, 1, "HK", "aes-128-gcm"
	if f.node, _, err = f.nodes.Add(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	err = d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		quota, speed, devices := int64(10_000), 100, 3
		_, err := f.services.Start(ctx, tx, service.Terms{
			UserID: f.user, PlanID: 7, Name: "Basic", Class: 1,
			QuotaBytes: &quota, SpeedMbps: &speed, Devices: &devices, Reset: service.CalendarMonth, Months: 1,
		})
		_, err2 := f.services.AddPackage(ctx, tx, service.PackageTerms{
			UserID: f.user, Name: "1 kB",
			Kind: service.Bought, Bytes: 1000,
		})
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// move has the user move bytes on the node, and an hour pass.
func (f *field) move(t *testing.T, up, down int64) {
	t.Helper()
	_, err := f.traffic.Record(t.Context(), traffic.Report{
		Node: f.node, ID: f.now.String(),
		From: f.now.Add(-time.Minute), To: f.now, Rows: []traffic.Row{{UserID: f.user, Up: up, Down: down}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.now = f.now.Add(time.Hour)
}

// want compares fields of an object; numbers are float64.
func want(t *testing.T, got map[string]any, fields map[string]any) {
	t.Helper()
	for name, value := range fields {
		if number, ok := value.(int); ok {
			value = float64(number)
		}
		if have, ok := got[name]; !ok || have != value {
			t.Errorf("%s is %v, want %v", name, have, value)
		}
	}
}

func TestTheDashboardShowsTheUserAtAGlance(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		f.move(t, 100, 300) // 600 billed, on the day that ends half an hour later
		f.move(t, 10, 30)   // 60 billed
		if _, err := f.nodes.Presence.Heartbeat(t.Context(), f.node, node.State{Load: []float64{0, 0, 0}},
			[]node.OnlineIP{{UserID: f.user, IP: "1.2.3.4"}}); err != nil {
			t.Fatal(err)
		}
		got := f.ok(t, f.user, "GET", "/api/v2/user/dashboard/", "")
		want(t, got, map[string]any{
			"email": "u0@example.com", "user_name": "Ann", "is_ban": false, "tg_id": nil,
			"money_amount": "0.00", "created_at": "2026-01-31T15:30:00Z",
		})
		want(t, got["access"].(map[string]any), map[string]any{
			"state": "active", "quota_bytes": 11000, "used_bytes": 660, "remaining_bytes": 10340, "today_bytes": 60,
			"class": 1, "speed_mbps": 100, "device_limit": 3, "online_devices": 1, "expires_at": "2026-02-28T15:30:00Z",
			"resets_at": nil, "renew_service_id": 1,
		})
		want(t, got["wallet"].(map[string]any), map[string]any{"balance": "0.00", "currency": "CNY"})
		old := got["old_service_info"].(map[string]any)
		want(t, old, map[string]any{
			"user_level_text": "VIP 1", "online_ip_limit": 3, "speed_limit": "100 Mbps", "ss_upload_size": 165,
			"ss_download_size":        495,
			"ss_bandwidth_total_size": 11000, "ss_bandwidth_today_used_size": 60,
			"ss_bandwidth_yesterday_used_size": 600, "user_level_expire_in": "2026-02-28T15:30:00Z",
		})
		if links := old["sub_link"].([]any); len(links) != 1 {
			t.Errorf("the links are %v", links)
		}
		want(t, f.ok(t, f.other, "GET", "/api/v2/user/dashboard", "")["access"].(map[string]any),
			map[string]any{
				"state": "none", "quota_bytes": 0, "remaining_bytes": 0, "expires_at": nil,
				"renew_service_id": nil,
			})
		if a := f.call(t, 0, "GET", "/api/v2/user/dashboard", ""); a.status != 401 {
			t.Errorf("without a sign-in: %d", a.status)
		}
	})
}

func TestNodesAndDashboard_CallClassesByTheirNames(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		read := func(class, tier string) {
			t.Helper()
			want(t, f.ok(t, f.user, "GET", "/api/v2/user/dashboard", "")["access"].(map[string]any),
				map[string]any{"class": 1, "class_name": class})
			want(t, f.ok(t, f.user, "GET", "/api/v2/user/services/nodes", ""), map[string]any{"user_tier": tier})
		}
		read("", "VIP 1")
		if err := f.settings.Set(t.Context(), map[string]json.RawMessage{
			"class_names": json.RawMessage(`[{"class": 1, "name": "基础", "names": {"en": "Basic"}}]`),
		}); err != nil {
			t.Fatal(err)
		}
		read("Basic", "Basic")
	})
}

func TestServicesAndPackagesWithTheirUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		f.move(t, 100, 300)
		got := f.ok(t, f.user, "GET", "/api/v2/user/services", "")
		want(t, got["services"].([]any)[0].(map[string]any), map[string]any{
			"name": "Basic", "plan_id": 7, "state": "running", "used_bytes": 600, "remaining_bytes": 9400,
			"up_bytes": 100, "down_bytes": 300, "reset": "calendar_month", "cycle": 1, "resets_at": nil,
			"auto_renew": false,
		})
		want(t, got["packages"].([]any)[0].(map[string]any), map[string]any{
			"name": "1 kB", "kind": "bought",
			"bytes": 1000, "remaining_bytes": 1000, "expires_at": nil,
		})
		got = f.ok(t, f.user, "GET", "/api/v2/user/services-old", "")
		want(t, got, map[string]any{"total_count": 1})
		want(t, got["services"].([]any)[0].(map[string]any), map[string]any{
			"service_name": "Basic", "status": "active",
			"traffic_used": 600, "traffic_total": 10000,
		})
		want(t, f.ok(t, f.user, "GET", "/api/v2/user/get_old_service", ""), map[string]any{
			"service_name": "Basic",
			"is_active":    true, "traffic_used": 600, "traffic_total": 10000,
		})
		if a := f.call(t, f.other, "GET", "/api/v2/user/get_old_service", ""); a.status != http.StatusNotFound ||
			a.Code != "service_not_found" {
			t.Errorf("without a service: %d %s", a.status, a.raw)
		}
		if got = f.ok(t, f.other, "GET", "/api/v2/user/services",
			""); len(got["services"].([]any))+len(got["packages"].([]any)) != 0 {
			t.Errorf("another user sees %v", got)
		}
	})
}

func TestNodesAreThoseThatTheUserMayUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		for _, change := range []func(*node.Node){
			func(n *node.Node) { n.Class = 2 },
			func(n *node.Node) { n.GroupID = 5 }, func(n *node.Node) { n.Visible = false },
		} {
			draft := node.Draft("x", node.Shadowsocks, "x.example", 1)
			draft.Settings.Method = "aes-128-gcm"
			change(&draft)
			if _, _, err := f.nodes.Add(t.Context(), draft); err != nil {
				t.Fatal(err)
			}
		}
		state := node.State{Load: []float64{0, 0, 0}, CPUPermille: 125}
		if _, err := f.nodes.Presence.Heartbeat(t.Context(), f.node, state, nil); err != nil {
			t.Fatal(err)
		}
		got := f.ok(t, f.user, "GET", "/api/v2/user/services/nodes", "")
		want(t, got, map[string]any{"total_nodes": 3, "user_tier": "VIP 1"})
		if list := got["available_nodes"].([]any); len(list) != 1 {
			t.Fatalf("the nodes are %v", list)
		}
		// Of a higher class, not of another group nor hidden.
		locked := got["locked_nodes"].([]any)
		if len(locked) != 1 {
			t.Fatalf("the locked nodes are %v", locked)
		}
		want(t, locked[0].(map[string]any), map[string]any{
			"node_id": int(f.node.ID) + 1, "class": 2,
			"server_address": "",
		})
		if got := f.ok(t, f.other, "GET", "/api/v2/user/services/nodes", ""); len(got["locked_nodes"].([]any)) != 2 {
			t.Errorf("without a service locked nodes are %v", got["locked_nodes"])
		}
		fields := map[string]any{
			"node_id": int(f.node.ID), "node_name": "HK 01", "server_address": "hk.example", "country_code": "HK",
			"status": "online", "load": 12.5,
			"rate": "1.50", "is_premium": true, "bandwidth": "10 Gbps", "ping": nil,
		}
		want(t, got["available_nodes"].([]any)[0].(map[string]any), fields)
		for _, path := range []string{"/api/v2/user/services/nodes/%d", "/api/v2/user/services/%d/"} {
			want(t, f.ok(t, f.user, "GET", fmt.Sprintf(path, f.node.ID), ""), fields)
			for _, hidden := range []any{f.node.ID + 1, f.node.ID + 2, f.node.ID + 3, int64(99)} {
				if a := f.call(t, f.user, "GET", fmt.Sprintf(path, hidden), ""); a.status != 404 ||
					a.Code != "node_not_found" {
					t.Errorf("node %v: %d %s", hidden, a.status, a.raw)
				}
			}
			if a := f.call(t, f.other, "GET", fmt.Sprintf(path, f.node.ID), ""); a.status != 404 {
				t.Errorf("a user without a service: %d", a.status)
			}
		}
		if a := f.call(t, f.user, "GET", "/api/v2/user/services/x", ""); a.status != 422 {
			t.Errorf("an id that is none: %d", a.status)
		}
	})
}

func TestTrafficAsSeriesMonthAndRecords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		f.move(t, 100, 300)
		f.move(t, 10, 30)
		list := func(query string) []map[string]any {
			t.Helper()
			a := f.call(t, f.user, "GET", "/api/v2/user/services/subscribe-log/"+query, "")
			var out []map[string]any
			if err := json.Unmarshal(a.Result, &out); err != nil || a.status != http.StatusOK {
				t.Fatalf("%s: %d %s", query, a.status, a.raw)
			}
			return out
		}
		hours := list("area-time-axis")
		if len(hours) != 2 {
			t.Fatalf("the hours are %v", hours)
		}
		want(t, hours[0], map[string]any{
			"user_id": int(f.user), "data_time_range_lower": "2026-01-31T15:00:00Z", "ss_tx_size": 100,
			"ss_rx_size": 300, "total_traffic": 400,
			"effective_traffic": 600, "timestamp_ms": 1769871600000,
		})
		if days := list("area-time-axis?bucket=day"); len(days) != 2 ||
			days[1]["data_time_range_lower"] != "2026-01-31T16:00:00Z" {
			t.Errorf("the days are %v", days)
		}
		if newest := list("area-time-axis?limit=1"); len(newest) != 1 || newest[0]["ss_tx_size"] != 10.0 {
			t.Errorf("the newest hour is %v", newest)
		}
		if past := list("area-time-axis?to=2026-01-31T16:00:00Z&from=2026-01-31T00:00:00Z"); len(past) != 1 {
			t.Errorf("until the evening: %v", past)
		}
		if month := list("calendar-pie?year_month=2026-01"); len(month) != 1 || month[0]["effective_traffic"] != 600.0 {
			t.Errorf("January: %v", month)
		}
		if month := list("calendar-pie"); len(month) != 1 || month[0]["effective_traffic"] != 60.0 {
			t.Errorf("this month, February in Shanghai: %v", month)
		}
		if month := list("calendar-pie?year_month=202512"); len(month) != 0 {
			t.Errorf("December: %v", month)
		}
		if err := f.nodes.Remove(t.Context(), f.node.ID); err != nil {
			t.Fatal(err)
		}
		records := list("detail-record?limit=1&offset=1")
		if len(records) != 1 {
			t.Fatalf("the records are %v", records)
		}
		want(t, records[0], map[string]any{
			"node_id": int(f.node.ID), "node_name": nil,
			"created_at": "2026-01-31T15:00:00Z", "node_rate": "1.50", "total_traffic": 400, "effective_traffic": 600,
		})
		for query, field := range map[string]string{
			"area-time-axis?limit=10001": "limit", "area-time-axis?limit=0": "limit",
			"area-time-axis?bucket=week": "bucket", "area-time-axis?from=yesterday": "from",
			"area-time-axis?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z": "to",
			"calendar-pie?year_month=2026-13":                                  "year_month",
			"calendar-pie?year_month=x":                                        "year_month",
			"detail-record?limit=501":                                          "limit",
			"detail-record?offset=-1":                                          "offset",
		} {
			if a := f.call(t, f.user, "GET", "/api/v2/user/services/subscribe-log/"+query, ""); a.status != 422 ||
				len(a.Errors) != 1 || a.Errors[0].Field != field {
				t.Errorf("%s: %d %s", query, a.status, a.raw)
			}
		}
	})
}
