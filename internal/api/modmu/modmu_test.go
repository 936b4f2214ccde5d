package modmu_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/api/modmu"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

var update = flag.Bool("update", false, "write the golden files anew")

// site is a server with a node of each kind, and users 1 and 2 with fixed credentials.
type site struct {
	*testing.T
	db       *db.DB
	services *service.Services
	nodes    *node.Nodes
	keys     map[string]string // by name of the node
	ids      map[string]int64
	url      string
}

func drafts() []node.Node {
	reality := node.Draft("reality", node.VLESS, "hk.example", 443)
	reality.ListenPort, reality.RatePermille, reality.Class, reality.SpeedMbps = 8443, 1500, 1, ptr(200)
	reality.Settings = node.Settings{Security: "reality", Flow: "xtls-rprx-vision", Reality: &node.Reality{
		Dest: "www.example:443", ServerNames: []string{"www.example"},
		PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059"},
	}}
	vmess := node.Draft("vmess", node.VMess, "1.2.3.4", 80)
	vmess.Settings = node.Settings{Transport: "ws", Path: "/v2", Host: "cdn.example"}
	ss := node.Draft("ss", node.Shadowsocks, "ss.example", 8388)
	ss.Settings.Method = "aes-256-gcm"
	ss2022 := node.Draft("ss2022", node.Shadowsocks, "ss.example", 8389)
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "AAECAwQFBgcICQoLDA0ODw=="}
	trojan := node.Draft("trojan", node.Trojan, "t.example", 443)
	trojan.GroupID = 9
	trojan.Settings = node.Settings{Transport: "grpc", ServiceName: "g", TLS: &node.TLS{ServerName: "t.example", CertificateFile: "/c", KeyFile: "/k"}}
	hysteria := node.Draft("hysteria2", node.Hysteria2, "h.example", 443)
	hysteria.Settings = node.Settings{Obfs: "salamander", ObfsPassword: "o", UpMbps: 100, DownMbps: 500, TLS: &node.TLS{ServerName: "h.example", CertificateFile: "/c", KeyFile: "/k"}}
	tuic := node.Draft("tuic", node.TUIC, "u.example", 443)
	tuic.Settings = node.Settings{Congestion: "bbr", ZeroRTT: true, TLS: &node.TLS{ServerName: "u.example", ALPN: []string{"h3"}, CertificateFile: "/c", KeyFile: "/k"}}
	anytls := node.Draft("anytls", node.AnyTLS, "a.example", 443)
	anytls.Settings = node.Settings{Padding: []string{"stop=2", "0=30-30", "1=100-400"}, TLS: &node.TLS{ServerName: "a.example", CertificateFile: "/c", KeyFile: "/k"}}
	return []node.Node{reality, vmess, ss, ss2022, trojan, hysteria, tuic, anytls}
}

func ptr[T any](v T) *T { return &v }

func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &site{T: t, db: d, keys: map[string]string{}, ids: map[string]int64{}}
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		s.services = service.New(d, settings)
		s.nodes = node.New(d, seal.Key{}, settings, s.services)
		for _, draft := range drafts() {
			n, key, err := s.nodes.Add(t.Context(), draft)
			if err != nil {
				t.Fatal(draft.Name, err)
			}
			s.keys[n.Name], s.ids[n.Name] = key, n.ID
		}
		for id := int64(1); id <= 3; id++ {
			s.do(func(ctx context.Context, tx bun.Tx) error {
				if err := s.services.Open(ctx, tx, id); err != nil {
					return err
				}
				_, err := tx.NewRaw(`UPDATE access SET uuid = ?, password = ? WHERE user_id = ?`, uuid.NewSHA1(uuid.Nil, []byte{byte(id)}), fmt.Sprint("password-", id), id).Exec(ctx)
				return err
			})
		}
		s.do(func(ctx context.Context, tx bun.Tx) error {
			if _, err := s.services.Start(ctx, tx, service.Terms{UserID: 1, PlanID: 1, Name: "P", Class: 1, SpeedMbps: ptr(100), Devices: ptr(3), QuotaBytes: ptr(int64(10_000)), Reset: service.Never, Months: 1}); err != nil {
				return err
			}
			_, err := s.services.Start(ctx, tx, service.Terms{UserID: 2, PlanID: 1, Name: "P", Class: 1, Reset: service.Never, Months: 1})
			return err
		})
		mux := http.NewServeMux()
		modmu.Register(mux, s.nodes, traffic.New(d, settings, s.services, s.nodes))
		server := httptest.NewServer(api.NewDoor(mux, nil, prometheus.NewRegistry()).Handler())
		t.Cleanup(server.Close)
		s.url = server.URL
		test(s)
	})
}

func (s *site) do(fn func(context.Context, bun.Tx) error) {
	s.Helper()
	if err := s.db.Tx(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

// call asks as the node called name; path is below the prefix.
func (s *site) call(name, method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return s.raw(method, "/mod_mu"+path+sep+"key="+s.keys[name]+"&muKey="+s.keys[name], body, headers...)
}

func (s *site) raw(method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, res.Header, got
}

// data gives the data of a successful answer, and sees to the two keys that every answer has.
func (s *site) data(name, method, path, body string) json.RawMessage {
	s.Helper()
	status, _, got := s.call(name, method, path, body)
	return s.envelope(status, 200, 1, got)
}

func (s *site) envelope(status, wantStatus, wantRet int, got []byte) json.RawMessage {
	s.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(got, &keys); err != nil || len(keys) != 2 || keys["data"] == nil || status != wantStatus || string(keys["ret"]) != fmt.Sprint(wantRet) {
		s.Fatalf("answered %d %s, want %d with ret %d and data", status, got, wantStatus, wantRet)
	}
	return keys["data"]
}

func (s *site) golden(file string, got []byte) {
	s.Helper()
	path := filepath.Join("testdata", file)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		s.Fatal(err)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, pretty.Bytes()) {
		s.Errorf("%s changed (%v):\n%s", file, err, pretty.Bytes())
	}
}

func TestAnswersAreWhatAgentsParse(t *testing.T) {
	each(t, func(s *site) {
		for _, draft := range drafts() {
			name := draft.Name
			_, header, info := s.call(name, "GET", fmt.Sprintf("/nodes/%d/info", s.ids[name]), "")
			if header.Get("ETag") != "" {
				t.Error("two forks of XrayR die of an ETag on nodes/info")
			}
			s.golden("info-"+name+".json", info)
			_, _, users := s.call(name, "GET", "/users?node_id="+fmt.Sprint(s.ids[name]), "")
			s.golden("users-"+name+".json", users)
		}
		for file, path := range map[string]string{
			"ping": "GET /func/ping", "ping-post": "POST /func/ping", "detect-rules-none": "GET /func/detect_rules", "relay-rules": "GET /func/relay_rules",
			"autoexec": "GET /func/autoexec", "autoexec-post": "POST /func/autoexec", "block-ip-none": "GET /func/block_ip", "unblock-ip-none": "GET /func/unblock_ip",
			"nodes": "GET /nodes", "nodes-config": "GET /nodes/config", "nodes-config-post": "POST /nodes/config",
		} {
			method, path, _ := strings.Cut(path, " ")
			status, header, got := s.call("ss", method, path, `{"type":"database","data":[]}`)
			s.envelope(status, 200, 1, got)
			if header.Get("ETag") != "" {
				t.Errorf("%s has an ETag", path)
			}
			s.golden(file+".json", got)
		}
	})
}

func TestScalarsOfCustomConfigAreStrings(t *testing.T) {
	each(t, func(s *site) {
		for name, id := range s.ids {
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

func TestTheKeyNamesTheNode(t *testing.T) {
	each(t, func(s *site) {
		for _, path := range []string{"/users", "/users?key=", "/users?key=wrong&node_id=1", "/users/traffic?key=x", "/func/ping?key=0"} {
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
			status, _, got := s.raw("GET", "/v1/mod_mu/func/ping/?"+name+"="+s.keys["ss"], "")
			s.envelope(status, 200, 1, got)
		}
		status, _, got := s.call("ss", "GET", fmt.Sprintf("/users?node_id=%d", s.ids["trojan"]), "")
		s.envelope(status, 200, 0, got)
		status, _, got = s.call("ss", "GET", fmt.Sprintf("/nodes/%d/info", s.ids["reality"]), "")
		s.envelope(status, 200, 0, got)
		if strings.Contains(string(got), "private") {
			t.Fatal("a node's key shows another node's settings")
		}
	})
}

func TestAnEmptyListHasAPlaceholder(t *testing.T) {
	each(t, func(s *site) { // nobody is in the group of the trojan node
		var users []struct {
			ID   int64
			UUID uuid.UUID
		}
		if err := json.Unmarshal(s.data("trojan", "GET", "/users", ""), &users); err != nil || len(users) != 1 || users[0].ID != 0 || users[0].UUID == uuid.Nil {
			t.Fatalf("%v, %v", users, err)
		}
	})
}

func TestTheListIsSentOnceAndFollowsChanges(t *testing.T) {
	each(t, func(s *site) {
		_, header, before := s.call("ss", "GET", "/users", "")
		etag := header.Get("ETag")
		if status, _, body := s.call("ss", "GET", "/users", "", "If-None-Match", etag); status != 304 || len(body) != 0 {
			t.Fatalf("with its ETag: %d", status)
		}
		if states, err := s.nodes.States(t.Context()); err != nil || states[s.ids["ss"]].Health(s.db.Now()) != node.Online {
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
		if status != 200 || header.Get("ETag") == etag || strings.Contains(string(after), `"id":1,`) || !strings.Contains(string(after), `"id":2,`) {
			t.Fatalf("after user 1 used up the quota: %d %s", status, after)
		}
	})
}

func TestTrafficCountsGoodRowsOnceAndOthersNever(t *testing.T) {
	each(t, func(s *site) {
		used := func(userID int64) int64 {
			a, err := s.services.Access(t.Context(), userID)
			if err != nil {
				t.Fatal(err)
			}
			return a.UsedBytes
		}
		body := `{"data":[{"user_id":1,"u":163,"d":300},{"user_id":2,"u":-5,"d":1},{"user_id":3,"u":1,"d":1},{"user_id":77,"u":1,"d":1},{"user_id":2,"u":9223372036854775808,"d":0}],"extra":1}`
		for range 3 { // XrayR repeats a post whose answer it did not get
			s.data("reality", "POST", fmt.Sprintf("/users/traffic?node_id=%d", s.ids["reality"]), body)
		}
		if used(1) != 694 || used(2) != 0 || used(3) != 0 { // (163 + 300) × 1.5, rounded down
			t.Fatalf("counted %d, %d, %d", used(1), used(2), used(3))
		}
		for _, broken := range []string{``, `{`, `{}`, `[]`, `null`, `{"data":{}}`, `{"data":[{"user_id":"1","u":1,"d":1}]}`, `{"data":[{"user_id":1,"u":1.5,"d":1}]}`} {
			status, _, got := s.call("reality", "POST", "/users/traffic", broken)
			s.envelope(status, 200, 0, got)
		}
		s.data("reality", "POST", "/users/traffic", `{"data":[]}`)
		s.data("reality", "POST", "/users/traffic", `{"data":null}`)
		if status, _, got := s.call("reality", "POST", "/users/traffic", `{"data":[`+strings.Repeat(" ", 10<<20)+`]}`); status != 413 {
			t.Fatalf("10 MB: %d %s", status, got)
		}
		if used(1) != 694 {
			t.Fatal("a broken report was counted")
		}
	})
}

func TestStatusFromBothKindsOfAgents(t *testing.T) {
	each(t, func(s *site) {
		path := fmt.Sprintf("/nodes/%d/info", s.ids["ss"])
		s.data("ss", "POST", path, `{"uptime":"2798","load":"0.25 0.11 0.52"}`)
		state := func() node.State {
			states, err := s.nodes.States(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return states[s.ids["ss"]]
		}
		if st := state(); st.UptimeSeconds != 2798 || st.CPUPermille != 250 || st.MemoryPermille != 110 {
			t.Fatalf("from XrayR: %+v", st)
		}
		status, _, got := s.call("ss", "POST", path, "{\"uptime\":\"99.52\",\"load\":\"1.00 0.50 2.25\\n\"}", "User-Agent", "python-requests/2.31")
		s.envelope(status, 200, 1, got)
		if st := state(); st.UptimeSeconds != 99 || !slices.Equal(st.Load, []float64{1, .5, 2.25}) {
			t.Fatalf("from the Python agent: %+v", st)
		}
		for body, want := range map[string]string{
			`{"uptime":"NaN","load":"x"}`: "uptime: ", `{"uptime":"1","load":"x"}`: "load: ", `{"uptime":"1","load":"1 2 3 4"}`: "load: ", `{"load":"0 0 0"}`: "uptime: ",
		} {
			status, _, got = s.call("ss", "POST", path, body)
			if why := string(s.envelope(status, 200, 0, got)); !strings.HasPrefix(why, `"`+want) {
				t.Errorf("%s is refused with %s", body, why)
			}
		}
	})
}

// BenchmarkUsers answers a list of 10,000 from its cached bytes, beside the same bytes from memory.
func BenchmarkUsers(b *testing.B) {
	d := dbtest.SQLite(b)
	settings, err := setting.New(b.Context(), d)
	if err != nil {
		b.Fatal(err)
	}
	services := service.New(d, settings)
	nodes := node.New(d, seal.Key{}, settings, services)
	_, key, err := nodes.Add(b.Context(), drafts()[1])
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Tx(b.Context(), func(ctx context.Context, tx bun.Tx) error {
		for id := int64(1); id <= 10_000; id++ {
			if err := services.Open(ctx, tx, id); err != nil {
				return err
			}
			if _, err := services.Start(ctx, tx, service.Terms{UserID: id, PlanID: 1, Name: "P", Reset: service.Never, Months: 1}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	modmu.Register(mux, nodes, traffic.New(d, settings, services, nodes))
	server := httptest.NewServer(api.NewDoor(mux, nil, prometheus.NewRegistry()).Handler())
	defer server.Close()
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
	url := server.URL + "/mod_mu/users?key=" + key
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
