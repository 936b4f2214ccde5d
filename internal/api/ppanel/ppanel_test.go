package ppanel_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"airstrip/internal/api/nodetest"
	"airstrip/internal/api/ppanel"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
)

// site is a server with a node of each kind. Users 1 and 2 may use them; 3 has no service. Nobody may use the node
// empty.
type site struct{ nodetest.Site }

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
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "cTdaazFtV3g5UnRCNHZIZA=="}
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
	xhttp := node.Draft("xhttp", node.VLESS, "x.example", 443)
	xhttp.Settings = node.Settings{
		Transport: "xhttp", Path: "/x", Host: "cdn.example", XHTTPMode: "stream-up", Security: "tls",
		TLS: files("x.example"),
	}
	empty := node.Draft("empty", node.VLESS, "e.example", 80)
	empty.GroupID, empty.Settings.Security = 9, "none"
	return []node.Node{reality, xhttp, vmess, ss, ss2022, trojan, hysteria, tuic, anytls, empty}
}

func each(t *testing.T, test func(s *site)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &site{nodetest.Open(t, d)}
		s.AddNodes(drafts())
		mux := http.NewServeMux()
		ppanel.Register(mux, s.Nodes, s.Traffic, s.Settings)
		s.Serve(mux)
		test(s)
	})
}

// call sends a request of the agent of the node name.
func (s *site) call(name, method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	query := "?secret_key=" + s.Keys[name]
	if strings.HasPrefix(path, "/v1/") {
		query += fmt.Sprintf("&protocol=%s&server_id=%d", s.protocol(name), s.IDs[name])
	}
	return s.Send(method, path+query, body, headers...)
}

func (s *site) protocol(name string) string {
	switch name {
	case "reality", "xhttp", "empty":
		return "vless"
	case "ss2022":
		return "shadowsocks"
	}
	return name
}

func (s *site) config(name string) string { return fmt.Sprintf("/v2/server/%d", s.IDs[name]) }

// ok decodes the answer to a request that must succeed into out.
func (s *site) ok(out any, name, method, path, body string) http.Header {
	s.Helper()
	status, header, got := s.call(name, method, path, body)
	if err := json.Unmarshal(got, out); err != nil || status != 200 {
		s.Fatalf("%s %s answered %d %s: %v", method, path, status, got, err)
	}
	return header
}
