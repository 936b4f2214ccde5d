package uniproxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/api/uniproxy"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

var update = flag.Bool("update", false, "write the golden files anew")

// site is a server with a node of each kind. Users 1 and 2 may use them, but for the trojan one; 3 has nothing.
type site struct {
	*testing.T
	db       *db.DB
	services *service.Services
	nodes    *node.Nodes
	keys     map[string]string // by name of the node
	ids      map[string]int64
	server   *httptest.Server
	closed   chan string // the other ends of connections that the server closed
	stop     func()      // ends what the server does, as a shutdown would
	url      string
}

// v2 is the same site at the later paths.
func (s *site) v2() *site {
	later := *s
	later.url = s.server.URL + "/api/v2/server/"
	return &later
}

// pace is how long a socket's write may take, and how often it pings and looks for devices.
type pace struct{ write, ping, devices time.Duration }

// calm sockets speak only of what happens.
var calm = pace{time.Minute, time.Hour, time.Hour}

func drafts() []node.Node {
	reality := node.Draft("reality", node.VLESS, "hk.example", 443)
	reality.ListenPort, reality.RatePermille, reality.Class, reality.SpeedMbps = 8443, 1500, 1, ptr(200)
	reality.Settings = node.Settings{Security: "reality", Flow: "xtls-rprx-vision", Reality: &node.Reality{
		Dest: "www.example:443", ServerNames: []string{"www.example", "example"},
		PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059", "aa"},
	}}
	other := node.Draft("reality-other", node.VLESS, "hk.example", 444)
	other.Settings = node.Settings{Security: "reality", Reality: &node.Reality{
		Dest: "1.1.1.1:8443", ServerNames: []string{"www.example"},
		PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059"},
	}}
	upgrade := node.Draft("vless-httpupgrade", node.VLESS, "u.example", 443)
	upgrade.Settings = node.Settings{Transport: "httpupgrade", Path: "/u", Host: "cdn.example", Security: "tls", TLS: &node.TLS{ServerName: "u.example", CertificateFile: "/c", KeyFile: "/k"}}
	vmess := node.Draft("vmess", node.VMess, "1.2.3.4", 80)
	vmess.Settings = node.Settings{Transport: "ws", Path: "/v2", Host: "cdn.example"}
	tcp := node.Draft("vmess-tcp", node.VMess, "1.2.3.4", 81)
	ss := node.Draft("ss", node.Shadowsocks, "ss.example", 8388)
	ss.Settings.Method = "aes-256-gcm"
	ss2022 := node.Draft("ss2022", node.Shadowsocks, "ss.example", 8389)
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "AAECAwQFBgcICQoLDA0ODw=="}
	long := node.Draft("ss2022-long", node.Shadowsocks, "ss.example", 8390)
	long.Settings = node.Settings{Method: "2022-blake3-aes-256-gcm", ServerKey: "AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8="}
	trojan := node.Draft("trojan", node.Trojan, "t.example", 443)
	trojan.GroupID = 9
	trojan.Settings = node.Settings{Transport: "grpc", ServiceName: "g", TLS: &node.TLS{ServerName: "t.example", CertificateFile: "/c", KeyFile: "/k"}}
	hysteria := node.Draft("hysteria2", node.Hysteria2, "h.example", 443)
	tuic := node.Draft("tuic", node.TUIC, "q.example", 443)
	tuic.Settings = node.Settings{Congestion: "cubic", ZeroRTT: true, TLS: &node.TLS{ServerName: "q.example", CertificateFile: "/c", KeyFile: "/k"}}
	anytls := node.Draft("anytls", node.AnyTLS, "a.example", 443)
	anytls.Settings = node.Settings{Padding: []string{"stop=2", "0=30-30", "1=100-400"}, TLS: &node.TLS{ServerName: "a.example", CertificateFile: "/c", KeyFile: "/k"}}
	hysteria.Settings = node.Settings{Obfs: "salamander", ObfsPassword: "o", UpMbps: 100, DownMbps: 500, TLS: &node.TLS{ServerName: "h.example", CertificateFile: "/c", KeyFile: "/k"}}
	return []node.Node{reality, other, upgrade, vmess, tcp, ss, ss2022, long, trojan, hysteria, tuic, anytls}
}

func ptr[T any](v T) *T { return &v }

func each(t *testing.T, test func(s *site)) {
	t.Helper()
	eachAt(t, calm, test)
}

func eachAt(t *testing.T, pace pace, test func(s *site)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(open(t, d, pace)) })
}

func open(t *testing.T, d *db.DB, pace pace) *site {
	s := &site{T: t, db: d, keys: map[string]string{}, ids: map[string]int64{}}
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s.services = service.New(d, settings)
	s.nodes = node.New(d, seal.Key{}, settings, s.services)
	for _, draft := range drafts() {
		s.add(draft)
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
	uniproxy.RegisterAt(mux, s.nodes, traffic.New(d, settings, s.services, s.nodes), settings, "https://panel.example", pace.write, pace.ping, pace.devices)
	s.serve(api.NewDoor(mux, nil, prometheus.NewRegistry()).Handler())
	return s
}

// serve answers with h, and follows the database's revisions, until the test ends.
func (s *site) serve(h http.Handler) {
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.db.Follow(ctx) }()
	s.server = httptest.NewUnstartedServer(h)
	s.server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.closed = make(chan string, 100)
	s.server.Listener = small{s.server.Listener, s.closed}
	s.server.Start()
	s.url, s.stop = s.server.URL+"/api/v1/server/UniProxy/", cancel
	s.Cleanup(func() { cancel(); s.server.Close(); <-done })
}

// small gives connections that keep little of what was not read at the other end, and tells when they are closed.
type small struct {
	net.Listener
	closed chan string
}

func (l small) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return smallConn{c, l.closed}, c.(*net.TCPConn).SetWriteBuffer(16 << 10)
}

type smallConn struct {
	net.Conn
	closed chan string
}

func (c smallConn) Close() error {
	select {
	case c.closed <- c.RemoteAddr().String():
	default: // nobody listens
	}
	return c.Conn.Close()
}

func (s *site) add(draft node.Node) {
	s.Helper()
	n, key, err := s.nodes.Add(s.Context(), draft)
	if err != nil {
		s.Fatal(draft.Name, err)
	}
	s.keys[n.Name], s.ids[n.Name] = key, n.ID
}

func (s *site) do(fn func(context.Context, bun.Tx) error) {
	s.Helper()
	if err := s.db.Tx(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

// call asks as XrayR and V2bX do, for the node called name as one of nodeType; path is below the prefix.
func (s *site) call(name, nodeType, method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	query := fmt.Sprintf("?node_id=%d&node_type=%s&token=%s", s.ids[name], nodeType, s.keys[name])
	return s.raw(method, path+query, body, append([]string{"User-Agent", "go-resty/2.13.1 (https://github.com/go-resty/resty)"}, headers...)...)
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
	req.Host = req.Header.Get("Host")
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

// ok reads the answer to a call that must succeed into out.
func (s *site) ok(out any, name, nodeType, method, path, body string, headers ...string) http.Header {
	s.Helper()
	status, header, got := s.call(name, nodeType, method, path, body, headers...)
	s.read(out, status, got)
	return header
}

func (s *site) read(out any, status int, got []byte) {
	s.Helper()
	if err := json.Unmarshal(got, out); err != nil || status != 200 {
		s.Fatalf("answered %d %s: %v", status, got, err)
	}
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
