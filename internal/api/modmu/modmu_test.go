package modmu_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/api/modmu"
	"airstrip/internal/api/nodetest"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
)

// site is a server with a node of each kind. Users 1 and 2 may use them, except the trojan one; 3 has no service.
type site struct{ nodetest.Site }

func drafts() []node.Node {
	reality := node.Draft("reality", node.VLESS, "hk.example", 443)
	reality.ListenPort, reality.RatePermille, reality.Class, reality.SpeedMbps = 8443, 1500, 1, new(200)
	reality.Settings = node.Settings{Security: "reality", Flow: "xtls-rprx-vision", Reality: &node.Reality{
		Dest: "www.example:443", ServerNames: []string{"www.example"},
		PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059"},
	}}
	vmess := node.Draft("vmess", node.VMess, "1.2.3.4", 80)
	vmess.Settings = node.Settings{Transport: "ws", Path: "/v2", Host: "cdn.example"}
	ss := node.Draft("ss", node.Shadowsocks, "ss.example", 8388)
	ss.Settings.Method = "aes-256-gcm"
	ss2022 := node.Draft("ss2022", node.Shadowsocks, "ss.example", 8389)
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "cTdaazFtV3g5UnRCNHZIZA=="}
	trojan := node.Draft("trojan", node.Trojan, "t.example", 443)
	trojan.GroupID = 9
	trojan.Settings = node.Settings{
		Transport: "grpc", ServiceName: "g",
		TLS: &node.TLS{ServerName: "t.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	hysteria := node.Draft("hysteria2", node.Hysteria2, "h.example", 443)
	hysteria.Settings = node.Settings{
		Obfs: "salamander", ObfsPassword: "o", UpMbps: 100, DownMbps: 500,
		TLS: &node.TLS{ServerName: "h.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	tuic := node.Draft("tuic", node.TUIC, "u.example", 443)
	tuic.Settings = node.Settings{
		Congestion: "bbr", ZeroRTT: true,
		TLS: &node.TLS{ServerName: "u.example", ALPN: []string{"h3"}, CertificateFile: "/c", KeyFile: "/k"},
	}
	anytls := node.Draft("anytls", node.AnyTLS, "a.example", 443)
	anytls.Settings = node.Settings{
		Padding: []string{"stop=2", "0=30-30", "1=100-400"},
		TLS:     &node.TLS{ServerName: "a.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	xhttp := node.Draft("xhttp", node.VLESS, "x.example", 443)
	xhttp.Settings = node.Settings{
		Transport: "xhttp", Path: "/x", Host: "cdn.example", XHTTPMode: "stream-up", Security: "reality",
		Reality: &node.Reality{
			Dest: "www.example:443", ServerNames: []string{"www.example"},
			PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059"},
		},
	}
	return []node.Node{reality, vmess, ss, ss2022, trojan, hysteria, tuic, anytls, xhttp}
}

func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &site{nodetest.Open(t, d)}
		s.AddNodes(drafts())
		s.serve()
		test(s)
	})
}

func (s *site) serve() {
	mux := http.NewServeMux()
	modmu.Register(mux, s.Nodes, s.Traffic)
	s.Serve(mux)
}

// call sends a request of the agent of the node name; path is relative to the prefix.
func (s *site) call(name, method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return s.raw(method, "/mod_mu"+path+sep+"key="+s.Keys[name]+"&muKey="+s.Keys[name], body, headers...)
}

func (s *site) raw(method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	return s.Send(method, path, body, append([]string{"Accept-Encoding", "identity"}, headers...)...)
}

// data returns the data of a successful answer, and checks that the answer has exactly two keys.
func (s *site) data(name, method, path, body string) json.RawMessage {
	s.Helper()
	status, _, got := s.call(name, method, path, body)
	return s.envelope(status, 200, 1, got)
}

func (s *site) envelope(status, wantStatus, wantRet int, got []byte) json.RawMessage {
	s.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(got, &keys); err != nil || len(keys) != 2 || keys["data"] == nil ||
		status != wantStatus || string(keys["ret"]) != fmt.Sprint(wantRet) {
		s.Fatalf("answered %d %s, want %d with ret %d and data", status, got, wantStatus, wantRet)
	}
	return keys["data"]
}

func TestAnswers_MatchAgents(t *testing.T) {
	each(t, func(s *site) {
		for _, draft := range drafts() {
			name := draft.Name
			_, header, info := s.call(name, "GET", fmt.Sprintf("/nodes/%d/info", s.IDs[name]), "")
			if header.Get("ETag") != "" {
				t.Error("two forks of XrayR die of an ETag on nodes/info")
			}
			s.Golden("info-"+name+".json", info)
			_, _, users := s.call(name, "GET", "/users?node_id="+fmt.Sprint(s.IDs[name]), "")
			s.Golden("users-"+name+".json", users)
		}
		for file, path := range map[string]string{
			"ping": "GET /func/ping", "ping-post": "POST /func/ping", "detect-rules-none": "GET /func/detect_rules",
			"relay-rules": "GET /func/relay_rules",
			"autoexec":    "GET /func/autoexec", "autoexec-post": "POST /func/autoexec",
			"block-ip-none": "GET /func/block_ip", "unblock-ip-none": "GET /func/unblock_ip",
			"nodes": "GET /nodes", "nodes-config": "GET /nodes/config", "nodes-config-post": "POST /nodes/config",
			"unlock-config": "GET /unlock/config", "unlock-report": "POST /unlock/report",
		} {
			method, path, _ := strings.Cut(path, " ")
			status, header, got := s.call("ss", method, path, `{"type":"database","data":[]}`)
			s.envelope(status, 200, 1, got)
			if header.Get("ETag") != "" {
				t.Errorf("%s has an ETag", path)
			}
			s.Golden(file+".json", got)
		}
	})
}

func TestCustomConfig_ScalarsAreStrings(t *testing.T) {
	each(t, func(s *site) {
		for name, id := range s.IDs {
			var info struct {
				Server       string
				CustomConfig map[string]any `json:"custom_config"`
			}
			if err := json.Unmarshal(s.data(name, "GET", fmt.Sprintf("/nodes/%d/info", id), ""), &info); err != nil {
				t.Fatal(err)
			}
			others := []string{"verify_cert", "enable_reality", "reality-opts", "alpn", "padding_scheme"}
			for field, value := range info.CustomConfig {
				if _, isString := value.(string); !isString && !slices.Contains(others, field) {
					t.Errorf("%s: %s is %v", name, field, value)
				}
			}
			if parts := strings.Split(info.Server, ";"); (name == "reality" || name == "vmess") && len(parts) < 6 {
				t.Errorf("%s: the server string has %d parts; XrayR panics below 6", name, len(parts))
			}
		}
	})
}

// XrayR compares the host of a request over HTTP with the configured one. Users who connect through a relay or the
// address of a link group name that host, and received a 404.
func TestConfig_OverHTTP_HasOnlyOwnHost(t *testing.T) {
	each(t, func(s *site) {
		for i, transport := range []string{"ws", "httpupgrade", "xhttp", "tcp", "grpc"} {
			for _, protocol := range []node.Protocol{node.VMess, node.VLESS, node.Trojan} {
				for _, host := range []string{"", "cdn.example"} {
					draft := node.Draft(fmt.Sprint(protocol, transport, host), protocol, "t.example", 1000+i)
					draft.Settings = node.Settings{
						Transport: transport, Security: "tls", Path: "/p", ServiceName: "g", Host: host,
						TLS: &node.TLS{ServerName: "t.example", CertificateFile: "/c", KeyFile: "/k"},
					}
					made := s.Add(draft)
					var info struct {
						Config struct{ Host string } `json:"custom_config"`
					}
					if err := json.Unmarshal(s.data(draft.Name, "GET", fmt.Sprintf("/nodes/%d/info", made.ID), ""),
						&info); err != nil {
						t.Fatal(err)
					}
					if want := host; i < 3 && info.Config.Host != want {
						t.Errorf("%s over %s: the host is %q, want %q", protocol, transport, info.Config.Host, want)
					}
				}
			}
		}
	})
}

func TestRelayRules_AreThoseServedByAgent(t *testing.T) {
	each(t, func(s *site) {
		reality, ss := s.IDs["reality"], s.IDs["ss"]
		if _, err := s.Nodes.Change(t.Context(), ss, func(n *node.Node) {
			n.Relays = []node.Relay{
				{Name: "own", Host: "1.2.3.4", Port: 9000},
				{Name: "via", Host: "hk.example", Port: 22005, NodeID: reality},
			}
		}); err != nil {
			t.Fatal(err)
		}
		s.Golden("relay-rules-of-one.json", s.data("reality", "GET", "/func/relay_rules", ""))
		if got := s.data("vmess", "GET", "/func/relay_rules", ""); string(got) != "[]" {
			t.Errorf("a node that is no relay gets %s", got)
		}
		if err := s.Nodes.Secrets.SetSharedKey(t.Context(), "an-old-key-of-all", time.Time{}); err != nil {
			t.Fatal(err)
		}
		status, _, got := s.raw("GET", "/mod_mu/func/relay_rules?key=an-old-key-of-all", "")
		s.Golden("relay-rules-of-one.json", s.envelope(status, 200, 1, got))
		if _, err := s.Nodes.Change(t.Context(), ss, func(n *node.Node) { n.Enabled = false }); err != nil {
			t.Fatal(err)
		}
		if got := s.data("reality", "GET", "/func/relay_rules", ""); string(got) != "[]" {
			t.Errorf("the relay of a disabled node goes on: %s", got)
		}
	})
}

func TestKey_IdentifiesNode(t *testing.T) {
	each(t, func(s *site) {
		for _, path := range []string{
			"/users", "/users?key=", "/users?key=wrong&node_id=1", "/users/traffic?key=x",
			"/func/ping?key=0",
		} {
			for _, prefix := range []string{"/mod_mu", "/v1/mod_mu"} {
				method := "GET"
				if strings.Contains(path, "traffic") {
					method = "POST"
				}
				status, _, got := s.raw(method, prefix+path, "{")
				s.envelope(status, 401, 0, got)
			}
		}
		for _, name := range []string{"key", "muKey", "token"} {
			status, _, got := s.raw("GET", "/v1/mod_mu/func/ping/?"+name+"="+s.Keys["ss"], "")
			s.envelope(status, 200, 1, got)
		}
		status, _, got := s.call("ss", "GET", fmt.Sprintf("/users?node_id=%d", s.IDs["trojan"]), "")
		s.envelope(status, 200, 0, got)
		status, _, got = s.call("ss", "GET", fmt.Sprintf("/nodes/%d/info", s.IDs["reality"]), "")
		s.envelope(status, 200, 0, got)
		if strings.Contains(string(got), "private") {
			t.Fatal("a node's key shows another node's settings")
		}
	})
}

func TestUsers_EmptyList_HasPlaceholder(t *testing.T) {
	each(t, func(s *site) { // Nobody is in the group of the trojan node.
		var users []struct {
			ID   int64
			UUID uuid.UUID
		}
		if err := json.Unmarshal(s.data("trojan", "GET", "/users", ""), &users); err != nil || len(users) != 1 ||
			users[0].ID != 0 || users[0].UUID == uuid.Nil {
			t.Fatalf("%v, %v", users, err)
		}
	})
}

func TestUsers_AreSentOnceAndFollowChanges(t *testing.T) {
	each(t, func(s *site) {
		_, header, before := s.call("ss", "GET", "/users", "")
		etag := header.Get("ETag")
		if status, _, body := s.call("ss", "GET", "/users", "", "If-None-Match", etag); status != 304 ||
			len(body) != 0 {
			t.Fatalf("with its ETag: %d", status)
		}
		if states, err := s.Nodes.Monitor.States(t.Context()); err != nil ||
			states[s.IDs["ss"]].Health(s.DB.Now()) != node.Online {
			t.Fatal("the call is no heartbeat", err)
		}
		_, header, packed := s.call("ss", "GET", "/users", "", "Accept-Encoding", "gzip")
		zip, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil || header.Get("Content-Encoding") != "gzip" {
			t.Fatal("gzip is not spoken", err)
		}
		if plain, err := io.ReadAll(zip); err != nil || !bytes.Equal(plain, before) {
			t.Fatal("packed and plain differ", err)
		}
		s.data("ss", "POST", "/users/aliveip", `{"data":[{"user_id":1,"ip":"9.9.9.9"}]}`)
		s.data("ss", "POST", "/users/traffic", `{"data":[{"user_id":1,"u":10,"d":10}]}`)
		if _, header, _ := s.call("ss", "GET", "/users", ""); header.Get("ETag") != etag {
			t.Fatal("use changed the list; agents would cut everybody's connections")
		}
		s.data("ss", "POST", "/users/traffic", `{"data":[{"user_id":1,"u":0,"d":10000}]}`)
		status, header, after := s.call("ss", "GET", "/users", "", "If-None-Match", etag)
		if status != 200 || header.Get("ETag") == etag || strings.Contains(string(after), `"id":1,`) ||
			!strings.Contains(string(after), `"id":2,`) {
			t.Fatalf("after user 1 used up the quota: %d %s", status, after)
		}
	})
}

func TestTraffic_ValidRows_CountOnce(t *testing.T) {
	each(t, func(s *site) {
		body := `{"data":[{"user_id":1,"u":163,"d":300},{"user_id":2,"u":-5,"d":1},{"user_id":3,"u":1,"d":1},{"user_id":77,"u":1,"d":1},{"user_id":2,"u":9223372036854775808,"d":0}],"extra":1}`
		for range 3 { // XrayR repeats a post whose answer was lost.
			s.data("reality", "POST", fmt.Sprintf("/users/traffic?node_id=%d", s.IDs["reality"]), body)
		}
		if s.Used(1) != 694 || s.Used(2) != 0 || s.Used(3) != 0 { // (163 + 300) × 1.5, rounded down.
			t.Fatalf("counted %d, %d, %d", s.Used(1), s.Used(2), s.Used(3))
		}
		for _, broken := range []string{
			``, `{`, `{}`, `[]`, `null`, `{"data":{}}`,
			`{"data":[{"user_id":"1","u":1,"d":1}]}`, `{"data":[{"user_id":1,"u":1.5,"d":1}]}`,
		} {
			status, _, got := s.call("reality", "POST", "/users/traffic", broken)
			s.envelope(status, 200, 0, got)
		}
		s.data("reality", "POST", "/users/traffic", `{"data":[]}`)
		s.data("reality", "POST", "/users/traffic", `{"data":null}`)
		if status, _, got := s.call("reality", "POST", "/users/traffic",
			`{"data":[`+strings.Repeat(" ", 10<<20)+`]}`); status != 413 {
			t.Fatalf("10 MB: %d %s", status, got)
		}
		if s.Used(1) != 694 {
			t.Fatal("a broken report was counted")
		}
	})
}

func TestStatus_BothKindsOfAgents(t *testing.T) {
	each(t, func(s *site) {
		path := fmt.Sprintf("/nodes/%d/info", s.IDs["ss"])
		s.data("ss", "POST", path, `{"uptime":"2798","load":"0.25 0.11 0.52"}`)
		state := func() node.State {
			states, err := s.Nodes.Monitor.States(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return states[s.IDs["ss"]]
		}
		if st := state(); st.UptimeSeconds != 2798 || st.CPUPermille != 250 || st.MemoryPermille != 110 {
			t.Fatalf("from XrayR: %+v", st)
		}
		status, _, got := s.call("ss", "POST", path, "{\"uptime\":\"99.52\",\"load\":\"1.00 0.50 2.25\\n\"}",
			"User-Agent", "python-requests/2.31")
		s.envelope(status, 200, 1, got)
		if st := state(); st.UptimeSeconds != 99 || !slices.Equal(st.Load, []float64{1, .5, 2.25}) {
			t.Fatalf("from the Python agent: %+v", st)
		}
		for body, want := range map[string]string{
			`{"uptime":"NaN","load":"x"}`: "uptime: ", `{"uptime":"1","load":"x"}`: "load: ",
			`{"uptime":"1","load":"1 2 3 4"}`: "load: ", `{"load":"0 0 0"}`: "uptime: ",
		} {
			status, _, got = s.call("ss", "POST", path, body)
			if why := string(s.envelope(status, 200, 0, got)); !strings.HasPrefix(why, `"`+want) {
				t.Errorf("%s is refused with %s", body, why)
			}
		}
	})
}

// BenchmarkUsers compares a list of 10,000 users from its cached bytes with the same bytes from memory.
func BenchmarkUsers(b *testing.B) {
	s := &site{nodetest.Open(b, dbtest.SQLite(b))}
	s.Add(drafts()[1])
	s.Do(func(ctx context.Context, tx bun.Tx) error {
		for id := int64(1001); id <= 11_000; id++ {
			if err := s.Services.Open(ctx, tx, id); err != nil {
				return err
			}
			if _, err := s.Services.Start(ctx, tx, service.Terms{
				UserID: id, PlanID: 1, Name: "P",
				Reset: service.Never, Months: 1,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	s.serve()
	get := func(url, etag string) []byte {
		req, _ := http.NewRequest("GET", url, nil)
		req.Header.Set("Accept-Encoding", "gzip")
		req.Header.Set("If-None-Match", etag)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		if etag = res.Header.Get("ETag"); etag != "" && res.StatusCode == 200 {
			b.Logf("%d bytes", len(body))
		}
		return body
	}
	start := time.Now()
	url := s.URL + "/mod_mu/users?key=" + s.Keys["vmess"]
	body := get(url, "")
	b.Logf("built in %s", time.Since(start))
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) }))
	defer bare.Close()
	for name, address := range map[string]string{"cached": url, "bare": bare.URL} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				req, _ := http.NewRequest("GET", address, nil)
				req.Header.Set("Accept-Encoding", "gzip")
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				if n, _ := io.Copy(io.Discard, res.Body); n != int64(len(body)) {
					b.Fatal(n, " bytes")
				}
				res.Body.Close()
			}
		})
	}
}
