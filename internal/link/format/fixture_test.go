package format_test

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"strings"
	"testing"

	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

//go:embed testdata/node.crt
var certificate string

const (
	userUUID  = "3f2b1c9a-5d44-4e0b-9c77-2a1f0e6d8b55"
	publicKey = "jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0"
	serverPSK = "the-private-key-of-the-server-never-leaves"
)

// printable contains every character that a password may have.
var printable = func() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

var (
	uglyNames = []string{
		"香港 01", `say "hi", friend: #1`, "- yes: no", "🇯🇵 Tokyo 👨‍👩‍👧", "null", "38e92059", "PROXY", "DIRECT",
		"a\r\nX-Evil: 1", "名\u202eevil",
		"'single' & <b> | `tick` {x} [y] %20+ = // x", "", "  spaces   inside  ", "香港 01", "\x00\x7f\u0085",
		strings.Repeat("长", 100), "*anchor &ref !tag", "C:\\path\\n",
	}
	addresses = []string{"hk.example.com", "2001:db8::1", "192.0.2.7"}
	shortIDs  = []string{"38e92059", "0e12", "00000000", "", "0123456789abcdef"}
)

func pin() string {
	block, _ := pem.Decode([]byte(certificate))
	sum := sha256.Sum256(block.Bytes)
	return hex.EncodeToString(sum[:])
}

type fixture struct {
	nodes   []node.Node
	secrets []string
}

func (f *fixture) add(p node.Protocol, s node.Settings, secret string) {
	i := len(f.nodes)
	f.nodes = append(f.nodes, node.Node{
		ID: int64(i + 1), Name: uglyNames[i%len(uglyNames)], Protocol: p, Address: addresses[i%len(addresses)],
		Port:     10000 + i,
		Settings: s, Country: []string{"HK", "ZZ", "JP", "us"}[i%4],
	})
	f.secrets = append(f.secrets, secret)
}

// allCombinations returns every protocol over every transport with every security, including combinations that are
// useless.
func allCombinations() fixture {
	var f fixture
	key := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k\xff", 16)[:n])) }
	for _, method := range []string{"aes-128-gcm", "aes-256-gcm", "chacha20-ietf-poly1305"} {
		f.add(node.Shadowsocks, node.Settings{Method: method}, printable)
	}
	f.add(node.Shadowsocks, node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: key(16)}, key(16))
	f.add(node.Shadowsocks, node.Settings{Method: "2022-blake3-aes-256-gcm", ServerKey: key(32)}, key(32))
	for _, protocol := range []node.Protocol{node.VMess, node.VLESS, node.Trojan} {
		for _, transport := range []string{"tcp", "ws", "grpc", "httpupgrade"} {
			for _, security := range []string{"none", "tls", "pinned", "reality"} {
				secret := userUUID
				if protocol == node.Trojan && security != "tls" { // Formats without quotes cannot express it.
					secret = printable
				}
				f.add(protocol, settings(transport, security, len(f.nodes)), secret)
				if protocol == node.VLESS && transport == "tcp" && security != "none" {
					vision := settings(transport, security, len(f.nodes))
					vision.Flow = "xtls-rprx-vision"
					f.add(protocol, vision, secret)
				}
			}
		}
	}
	for _, security := range []string{"tls", "pinned"} {
		f.add(node.Hysteria2, settings("", security, len(f.nodes)), printable)
		obfs := settings("", security, len(f.nodes))
		obfs.Obfs, obfs.ObfsPassword = "salamander", `ob fs&=#`
		f.add(node.Hysteria2, obfs, "userpass-1")
		f.add(node.Hysteria2, settings("", security, len(f.nodes)), userUUID)
		tuic := settings("", security, len(f.nodes))
		tuic.Congestion = "bbr"
		f.add(node.TUIC, tuic, userUUID)
		tuic.Congestion, tuic.ZeroRTT = "new_reno", true
		f.add(node.TUIC, tuic, userUUID)
		anytls := settings("tcp", security, len(f.nodes))
		anytls.Padding = []string{"stop=8", "0=30-30"}
		f.add(node.AnyTLS, anytls, userUUID)
		f.add(node.AnyTLS, settings("tcp", security, len(f.nodes)), printable)
	}
	f.add(node.Shadowsocks, node.Settings{Method: "aes-128-gcm"}, "Plain-Password_1")
	for _, transport := range []string{"ws", "httpupgrade"} {
		for _, odd := range oddPaths {
			s := settings(transport, "none", 0)
			s.Path = odd.path
			f.add(node.VMess, s, userUUID)
		}
	}
	for _, odd := range oddServices {
		s := settings("grpc", "tls", 0)
		s.ServiceName = odd.service
		f.add(node.VLESS, s, userUUID)
	}
	for _, protocol := range []node.Protocol{node.VMess, node.VLESS, node.Trojan} {
		for _, security := range []string{"none", "tls", "pinned", "reality"} {
			s := settings("xhttp", security, len(f.nodes))
			s.XHTTPMode = []string{"", "packet-up", "stream-up", "stream-one"}[len(f.nodes)%4]
			f.add(protocol, s, userUUID)
		}
	}
	for _, odd := range oddPaths {
		s := settings("xhttp", "none", 0)
		s.Path = odd.path
		f.add(node.VLESS, s, userUUID)
	}
	return f
}

func settings(transport, security string, i int) node.Settings {
	s := node.Settings{Transport: transport, Security: security}
	switch transport {
	case "ws":
		s.Path, s.Host = "/ray(1),a;b/v2?ed=2048", "cdn.example.com"
	case "httpupgrade", "xhttp":
		s.Path, s.Host = "/ray(1),a;b/v2", "cdn.example.com"
	case "grpc":
		s.ServiceName = "svc.Of_this~node"
	}
	switch security {
	case "tls":
		s.TLS = &node.TLS{ServerName: "tls.example.com", ALPN: []string{"h2", "http/1.1"}, Key: serverPSK}
	case "pinned":
		s.Security = "tls"
		s.TLS = &node.TLS{
			ServerName: "pinned.example.com", Certificate: serverPSK + "\n" + certificate,
			Key: serverPSK, Pin: pin(),
		}
	case "reality":
		s.Reality = &node.Reality{
			Dest: "secret-dest.example.com:443", ServerNames: []string{"www.example.org"}, PrivateKey: serverPSK,
			PublicKey: publicKey, ShortIDs: []string{shortIDs[i/4%len(shortIDs)]},
		}
	}
	if transport == "" { // Hysteria2.
		s.Security = ""
		s.TLS.ALPN = []string{"h3"}
	}
	return s
}

func (f fixture) proxies(t testing.TB) []format.Proxy {
	t.Helper()
	var out []format.Proxy
	for i, n := range f.nodes {
		p, err := format.NewProxy(n, f.secrets[i])
		if err != nil {
			t.Fatalf("%s %+v: %v", n.Protocol, n.Settings, err)
		}
		out = append(out, p)
	}
	return out
}

func client(t testing.TB, clientType, userAgent string) format.Client {
	t.Helper()
	c, ok := format.Resolve(clientType, userAgent, "")
	if !ok {
		t.Fatalf("no client for %q %q", clientType, userAgent)
	}
	return c
}

// readers are the clients whose files the tests examine.
var readers = []struct{ file, clientType, userAgent string }{
	{"nodelist.txt", "NodeList", ""},
	{"mixed.b64", "Mixed", ""},
	{"v2rayn.b64", "AUTO", "v2rayN/7.23.4"},
	{"v2ray.b64", "V2Ray", ""},
	{"trojan.b64", "Trojan", ""},
	{"sip002.b64", "SIP002", ""},
	{"sip008.json", "SIP008", ""},
	{"outline.json", "AUTO", "Outline/1.14"},
	{"shadowrocket.b64", "AUTO", "Shadowrocket/2701 CFNetwork/1399 Darwin/22.1.0 iPhone11,8"},
	{"ssr.b64", "SSR", ""},
	{"ssd.txt", "SSD", ""},
	{"loon.list", "AUTO", "Loon/762 CFNetwork/1399"},
	{"quantumult.b64", "Quantumult", ""},
	{"quantumultx.list", "AUTO", "Quantumult%20X/1.5.0 (iPhone; iOS 17)"},
	{"surge-2.conf", "Surge2", ""},
	{"surge-3.conf", "Surge3", ""},
	{"surge-4.conf", "Surge4", ""},
	{"surge-5.conf", "AUTO", "Surge iOS/3272"},
	{"surge-6.conf", "Surge6", ""},
	{"surfboard.conf", "Surfboard", ""},
	{"mellow.conf", "Mellow", ""},
	{"egern.yaml", "Egern", ""},
	{"xray.json", "XrayJson", ""},
	{"clash.yaml", "Clash", ""},
	{"clash-meta.yaml", "ClashMeta", ""},
	{"stash.yaml", "AUTO", "Stash/3.2.0 Clash/1.9.0"},
	{"stash-2.yaml", "AUTO", "Stash/2.4.0 Clash/1.9.0"},
	{"sing-box.json", "SingBox", ""},
	{"sing-box-1.11.json", "AUTO", "SFA/1.11.15 (500; sing-box 1.11.15; language en_US)"},
}
