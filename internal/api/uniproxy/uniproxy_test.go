package uniproxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/api"
	"airstrip/internal/api/nodetest"
	"airstrip/internal/api/uniproxy"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
)

// site is a server with a node of each kind. Users 1 and 2 may use them, except the trojan one; 3 has no service.
type site struct {
	nodetest.Site
	server *httptest.Server
	closed chan string // Remote addresses of connections that the server closed.
	stop   func()      // Ends the server's context, as a shutdown does.
}

// v2 returns the same site at the v2 paths.
func (s *site) v2() *site {
	later := *s
	later.URL = s.server.URL + "/api/v2/server/"
	return &later
}

// intervals sets the write timeout of a socket, and how often it pings and checks devices.
type intervals struct{ write, ping, devices time.Duration }

// quietIntervals make sockets send only changes.
var quietIntervals = intervals{time.Minute, time.Hour, time.Hour}

func drafts() []node.Node {
	reality := node.Draft("reality", node.VLESS, "hk.example", 443)
	reality.ListenPort, reality.RatePermille, reality.Class, reality.SpeedMbps = 8443, 1500, 1, new(200)
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
	upgrade.Settings = node.Settings{
		Transport: "httpupgrade", Path: "/u", Host: "cdn.example", Security: "tls",
		TLS: &node.TLS{ServerName: "u.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	vmess := node.Draft("vmess", node.VMess, "1.2.3.4", 80)
	vmess.Settings = node.Settings{Transport: "ws", Path: "/v2", Host: "cdn.example"}
	tcp := node.Draft("vmess-tcp", node.VMess, "1.2.3.4", 81)
	ss := node.Draft("ss", node.Shadowsocks, "ss.example", 8388)
	ss.Settings.Method = "aes-256-gcm"
	ss2022 := node.Draft("ss2022", node.Shadowsocks, "ss.example", 8389)
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "cTdaazFtV3g5UnRCNHZIZA=="}
	long := node.Draft("ss2022-long", node.Shadowsocks, "ss.example", 8390)
	long.Settings = node.Settings{
		Method:    "2022-blake3-aes-256-gcm",
		ServerKey: "cTdaazFtV3g5UnRCNHZIZEwyblBjOEpzWTZlVWYzR2E=",
	}
	trojan := node.Draft("trojan", node.Trojan, "t.example", 443)
	trojan.GroupID = 9
	trojan.Settings = node.Settings{
		Transport: "grpc", ServiceName: "g",
		TLS: &node.TLS{ServerName: "t.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	hysteria := node.Draft("hysteria2", node.Hysteria2, "h.example", 443)
	tuic := node.Draft("tuic", node.TUIC, "q.example", 443)
	tuic.Settings = node.Settings{
		Congestion: "cubic", ZeroRTT: true,
		TLS: &node.TLS{ServerName: "q.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	anytls := node.Draft("anytls", node.AnyTLS, "a.example", 443)
	anytls.Settings = node.Settings{
		Padding: []string{"stop=2", "0=30-30", "1=100-400"},
		TLS:     &node.TLS{ServerName: "a.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	hysteria.Settings = node.Settings{
		Obfs: "salamander", ObfsPassword: "o", UpMbps: 100, DownMbps: 500,
		TLS: &node.TLS{ServerName: "h.example", CertificateFile: "/c", KeyFile: "/k"},
	}
	xhttp := node.Draft("xhttp", node.VLESS, "x.example", 443)
	xhttp.Settings = node.Settings{
		Transport: "xhttp", Path: "/x", Host: "cdn.example", XHTTPMode: "stream-up", Security: "reality",
		Reality: &node.Reality{
			Dest: "www.example:443", ServerNames: []string{"www.example"},
			PrivateKey: "QCQ0u7sIuaLUjoTuLSiSRi0JNFfHgMv8mzD0jxJqvVE", ShortIDs: []string{"38e92059"},
		},
	}
	return []node.Node{reality, other, upgrade, xhttp, vmess, tcp, ss, ss2022, long, trojan, hysteria, tuic, anytls}
}

func each(t *testing.T, test func(s *site)) {
	t.Helper()
	eachAt(t, quietIntervals, test)
}

func eachAt(t *testing.T, pace intervals, test func(s *site)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) { test(open(t, d, pace)) })
}

func open(t *testing.T, d *db.DB, pace intervals) *site {
	s := &site{Site: nodetest.Open(t, d)}
	s.AddNodes(drafts())
	mux := http.NewServeMux()
	uniproxy.RegisterAt(mux, s.Nodes, s.Traffic, s.Settings, "https://panel.example", pace.write, pace.ping,
		pace.devices)
	s.serve(api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler())
	return s
}

// serve serves h and follows the database's revisions until the test ends.
func (s *site) serve(h http.Handler) {
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.DB.Follow(ctx) }()
	s.server = httptest.NewUnstartedServer(h)
	s.server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.closed = make(chan string, 100)
	s.server.Listener = smallBufferListener{s.server.Listener, s.closed}
	s.server.Start()
	s.URL, s.stop = s.server.URL+"/api/v1/server/UniProxy/", cancel
	s.Cleanup(func() { cancel(); s.server.Close(); <-done })
}

// smallBufferListener accepts connections with small buffers, and reports when they are closed.
type smallBufferListener struct {
	net.Listener
	closed chan string
}

func (l smallBufferListener) Accept() (net.Conn, error) {
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
	default: // Nobody is waiting.
	}
	return c.Conn.Close()
}

// call sends a request as XrayR and V2bX do, for the node name as one of nodeType; path is relative to the prefix.
func (s *site) call(name, nodeType, method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	query := fmt.Sprintf("?node_id=%d&node_type=%s&token=%s", s.IDs[name], nodeType, s.Keys[name])
	return s.Send(method, path+query, body, append([]string{
		"User-Agent",
		"go-resty/2.13.1 (https://github.com/go-resty/resty)",
	}, headers...)...)
}

// ok decodes the answer to a request that must succeed into out.
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
