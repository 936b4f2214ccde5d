package ppanel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/api/ppanel"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

var update = flag.Bool("update", false, "write the golden files anew")

// site is a server with a node of each kind. Users 1 and 2 may use them; 3 has nothing, and nobody may use the node empty.
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
	files := func(name string) *node.TLS {
		return &node.TLS{ServerName: name, CertificateFile: "/c", KeyFile: "/k"}
	}
	reality := node.Draft("reality", node.VLESS, "hk.example", 443)
	reality.ListenPort, reality.Class, reality.SpeedMbps = 8443, 1, new(50)
	reality.Settings = node.Settings{Security: "reality", Flow: "xtls-rprx-vision", Reality: &node.Reality{
		Dest: "origin.example:8443", ServerNames: []string{"www.example", "example"},
		PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059", "aa"},
	}}
	vmess := node.Draft("vmess", node.VMess, "1.2.3.4", 80)
	vmess.Settings = node.Settings{Transport: "ws", Path: "/v2", Host: "cdn.example"}
	ss := node.Draft("shadowsocks", node.Shadowsocks, "ss.example", 8388)
	ss.Settings.Method = "aes-256-gcm"
	ss2022 := node.Draft("ss2022", node.Shadowsocks, "ss.example", 8389)
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "MDEyMzQ1Njc4OWFiY2RlZg=="}
	trojan := node.Draft("trojan", node.Trojan, "t.example", 443)
	trojan.Settings = node.Settings{Transport: "grpc", ServiceName: "g", TLS: files("t.example")}
	hysteria := node.Draft("hysteria2", node.Hysteria2, "h.example", 443)
	hysteria.Settings = node.Settings{Obfs: "salamander", ObfsPassword: "o", UpMbps: 100, DownMbps: 500, TLS: &node.TLS{
		ServerName: "h.example", ACME: &node.ACME{Email: "a@example.com", Challenge: "http-01"},
	}}
	tuic := node.Draft("tuic", node.TUIC, "q.example", 443)
	tuic.Settings = node.Settings{Congestion: "cubic", ZeroRTT: true, TLS: files("q.example")}
	anytls := node.Draft("anytls", node.AnyTLS, "a.example", 443)
	anytls.Settings = node.Settings{Padding: []string{"stop=2", "0=30-30", "1=100-400"}, TLS: files("a.example")}
	empty := node.Draft("empty", node.VLESS, "e.example", 80)
	empty.GroupID, empty.Settings.Security = 9, "none"
	return []node.Node{reality, vmess, ss, ss2022, trojan, hysteria, tuic, anytls, empty}
}

func each(t *testing.T, test func(s *site)) {
	t.Helper()
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
		err = d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for id := int64(1); id <= 3; id++ {
				if err := s.services.Open(ctx, tx, id); err != nil {
					return err
				}
				if _, err := tx.NewRaw(`UPDATE access SET uuid = ?, password = ? WHERE user_id = ?`, uuid.NewSHA1(uuid.Nil, []byte{byte(id)}), fmt.Sprint("password-", id), id).Exec(ctx); err != nil {
					return err
				}
			}
			if _, err := s.services.Start(ctx, tx, service.Terms{UserID: 1, PlanID: 1, Name: "P", Class: 1, SpeedMbps: new(100), Devices: new(3), QuotaBytes: new(int64(10_000)), Reset: service.Never, Months: 1}); err != nil {
				return err
			}
			_, err := s.services.Start(ctx, tx, service.Terms{UserID: 2, PlanID: 1, Name: "P", Class: 1, Reset: service.Never, Months: 1})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		ppanel.Register(mux, s.nodes, traffic.New(d, settings, s.services, s.nodes), settings)
		server := httptest.NewServer(api.NewDoor(mux, nil, prometheus.NewRegistry()).Handler())
		t.Cleanup(server.Close)
		s.url = server.URL
		test(s)
	})
}

// call asks as the agent of the node called name does.
func (s *site) call(name, method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	query := "?secret_key=" + s.keys[name]
	if strings.HasPrefix(path, "/v1/") {
		query += fmt.Sprintf("&protocol=%s&server_id=%d", s.protocol(name), s.ids[name])
	}
	return s.raw(method, path+query, body, headers...)
}

func (s *site) protocol(name string) string {
	switch name {
	case "reality", "empty":
		return "vless"
	case "ss2022":
		return "shadowsocks"
	}
	return name
}

func (s *site) raw(method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
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

func (s *site) config(name string) string { return fmt.Sprintf("/v2/server/%d", s.ids[name]) }

// ok reads the answer to a call that must succeed into out.
func (s *site) ok(out any, name, method, path, body string) http.Header {
	s.Helper()
	status, header, got := s.call(name, method, path, body)
	if err := json.Unmarshal(got, out); err != nil || status != 200 {
		s.Fatalf("%s %s answered %d %s: %v", method, path, status, got, err)
	}
	return header
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

func (s *site) used(userID int64) int64 {
	s.Helper()
	a, err := s.services.Access(s.Context(), userID)
	if err != nil {
		s.Fatal(err)
	}
	return a.UsedBytes
}
