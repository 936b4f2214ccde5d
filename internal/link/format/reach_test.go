package format_test

import (
	"bytes"
	"cmp"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

// oddPaths are paths that older versions accepted, each with the reason why some clients do not reach it.
var oddPaths = []struct{ name, path string }{
	{"plain", "/ray/v1"},
	{"signs", "/a-b_c.d~e!f$g&h'i(j)k*l+m,n;o=p:q@r"},
	{"marks", "/a\"b<c>d[e]f\\g^h`i{j|k}l"},
	{"early", "/ray?ed=2048"},
	{"early long", "/ray?ed=99999"},
	{"early word", "/ray?ed=abc"},
	{"early marks", "/a|b?ed=2048"},
	{"query", "/a?b=c"},
	{"query early", "/a?b=c&ed=2048"},
	{"fragment", "/a#b"},
	{"escape", "/a%20b"},
	{"stray", "/a%zz"},
	{"stray early", "/a%zz?ed=2048"},
	{"slashes", "//a/b"},
	{"bare slash", "/"},
}

var oddServices = []struct{ name, service string }{
	{"service", "GunService"},
	{"service signs", "a-b_c.d~e"},
	{"service more", "a$b&c+d=e:f@g"},
	{"service marks", "a!b*c(d)"},
	{"service comma", "a,b"},
	{"service semicolon", "a;b"},
	{"service slash", "a/b"},
	{"service path", "/a/b"},
	{"service space", "a b"},
	{"service chinese", "服务"},
	{"service escape", "a%20b"},
	{"service stray", "a%zz"},
	{"service query", "a?b"},
	{"service fragment", "a#b"},
	{"service bar", "a|b"},
}

// newCertificate returns TLS settings with a self-signed certificate, which clients pin.
func newCertificate(t testing.TB) *node.TLS {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const name = "node.example.com"
	about := x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(crand.Reader, &about, &about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	return &node.TLS{
		ServerName: name, Pin: hex.EncodeToString(sum[:]),
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

func oddNodes(t testing.TB) (nodes []node.Node) {
	add := func(name string, s node.Settings) {
		nodes = append(nodes, node.Node{
			Name: name, Protocol: node.VLESS, Address: "127.0.0.1", Port: freePort(t), Settings: s,
		})
	}
	certificate := newCertificate(t)
	for _, transport := range []string{"ws", "httpupgrade", "xhttp"} {
		for _, p := range oddPaths {
			add(transport+" "+p.name, node.Settings{Transport: transport, Path: p.path, Security: "none"})
		}
	}
	for _, s := range oddServices { // mihomo supports it with TLS only.
		add("grpc "+s.name, node.Settings{Transport: "grpc", ServiceName: s.service, Security: "tls", TLS: certificate})
	}
	return nodes
}

// A client reaches every node in its file, whatever the node's path; nodes that it would not reach are left out.
func TestRealClients_ReachEveryNode(t *testing.T) {
	nodes, origin := oddNodes(t), newOrigin(t)
	serve(t, nodes)
	proxies := proxiesOf(t, nodes)
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var fetches sync.WaitGroup
			through := c.start(t, proxies)
			if len(through) != c.nodes {
				names := slices.Sorted(maps.Keys(through))
				t.Errorf("the file has %d of %d nodes, want %d: %q", len(through), len(proxies), c.nodes, names)
			}
			for name, port := range through {
				fetches.Go(func() {
					if err := carries(port, origin); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			fetches.Wait()
		})
	}
}

// Complete files, with all rules, are started without a network: the nodes are the only way out, and nobody listens
// there.
func TestRealClients_StartOffline(t *testing.T) {
	files, err := format.NewTemplate(json.RawMessage(`{"rules": "full", "files": "https://127.0.0.1:1/{repo}/{branch}/{file}"}`))
	if err != nil {
		t.Fatal(err)
	}
	n := node.Node{
		Name: "away", Protocol: node.VLESS, Address: "127.0.0.1", Port: 1, Settings: node.Settings{Security: "none"},
	}
	p, err := format.NewProxy(n, userUUID)
	if err != nil {
		t.Fatal(err)
	}
	render := func(c format.Client) []byte {
		return format.Render([]format.Proxy{p}, format.Options{Client: c, Template: files}).Body
	}
	for _, version := range []string{"1.14.1", "1.11.15"} {
		t.Run("sing-box "+version, func(t *testing.T) {
			t.Parallel()
			port, folder := freePort(t), t.TempDir()
			var file object
			if err := json.Unmarshal(render(client(t, "AUTO", "sing-box "+version)), &file); err != nil {
				t.Fatal(err)
			}
			file["inbounds"].([]any)[0].(object)["listen_port"] = port
			run(t, []int{port}, "sing-box-"+version, "run", "-c", writeFile(t, folder, "config.json", file), "-D",
				folder)
		})
	}
	t.Run("mihomo", func(t *testing.T) {
		t.Parallel()
		port, folder := freePort(t), t.TempDir()
		var file object
		if err := yaml.Unmarshal(render(client(t, "ClashMeta", "")), &file); err != nil {
			t.Fatal(err)
		}
		file["mixed-port"] = port
		run(t, []int{port}, "mihomo", "-d", folder, "-f", writeFile(t, folder, "config.yaml", file))
	})
	t.Run("Xray", func(t *testing.T) {
		t.Parallel()
		port := freePort(t)
		var all []object
		if err := json.Unmarshal(render(client(t, "XrayJson", "")), &all); err != nil {
			t.Fatal(err)
		}
		file := all[0]
		file["inbounds"] = []object{{"protocol": "http", "listen": "127.0.0.1", "port": port}}
		run(t, []int{port}, "xray", "run", "-c", writeFile(t, t.TempDir(), "config.json", file))
	})
}

// A suffix in a rule matches the name and its subdomains, and no other name with the same ending.
func TestSingBox_SuffixMatchesNameAndSubdomains(t *testing.T) {
	var file struct{ Route struct{ Rules []object } }
	body := format.Render(nil, format.Options{Client: client(t, "SingBox", "")}).Body
	if err := json.Unmarshal(body, &file); err != nil {
		t.Fatal(err)
	}
	var rules []object
	for _, r := range file.Route.Rules {
		if suffixes := r["domain_suffix"]; suffixes != nil {
			rules = append(rules, object{"domain_suffix": suffixes})
		}
	}
	path := writeFile(t, t.TempDir(), "rules.json", object{"version": 1, "rules": rules})
	for name, wants := range map[string]bool{
		"bilibili.com": true, "www.bilibili.com": true, "gov.cn": true, "evilbilibili.com": false, "example.com": false,
	} {
		out, err := exec.Command(program(t, "sing-box-1.14.1"), "rule-set", "match", path, name).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("match rules")) != wants {
			t.Errorf("%s: matched, wants %v: %v %s", name, wants, err, out)
		}
	}
}

// Every client that gets XHTTP uses it in each of its modes, in clear text, with TLS and with REALITY.
func TestRealClients_XHTTP(t *testing.T) {
	origin := newOrigin(t)
	var nodes []node.Node
	for _, protocol := range []node.Protocol{node.VLESS, node.VMess, node.Trojan} {
		for _, mode := range []string{"", "packet-up", "stream-up", "stream-one"} {
			for _, s := range []node.Settings{
				{Security: "none"},
				{Security: "tls", TLS: newCertificate(t)},
				{Security: "reality", Reality: newReality(t, origin)},
			} {
				if protocol == node.Trojan && s.Security == "none" {
					continue
				}
				name := strings.Join([]string{string(protocol), s.Security, cmp.Or(mode, "auto")}, " ")
				s.Transport, s.Path, s.Host, s.XHTTPMode = "xhttp", "/a-b_c.d/e", "cdn.example.com", mode
				if s.TLS != nil && mode == "stream-one" {
					s.TLS.ALPN = []string{"h2"}
				}
				nodes = append(nodes, node.Node{
					Name: name, Protocol: protocol, Address: "127.0.0.1", Port: freePort(t), Settings: s,
				})
			}
		}
	}
	serve(t, nodes)
	proxies := proxiesOf(t, nodes)
	for _, c := range []struct {
		name  string
		nodes int
		start func(t testing.TB, proxies []format.Proxy) map[string]int
	}{
		{"Xray", 32, startXray},
		{"mihomo", 12, startMihomo},
		{"mihomo on share links", 8, startMihomoOnLinks},
		{"sing-box 1.14.1", 0, startSingBox("1.14.1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			through := map[string]int{}
			if c.nodes > 0 {
				through = c.start(t, proxies)
			} else if f := format.Render(proxies,
				format.Options{Client: client(t, "AUTO", c.name)}); f.LeftOut != len(proxies) {
				t.Errorf("%d of %d nodes were left out", f.LeftOut, len(proxies))
			}
			if len(through) != c.nodes {
				t.Errorf("the file has %d of %d nodes, want %d", len(through), len(nodes), c.nodes)
			}
			for name, port := range through {
				if err := carries(port, origin); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// newReality returns REALITY settings with new keys and a web server whose handshake is presented.
func newReality(t testing.TB, origin string) *node.Reality {
	t.Helper()
	key, err := ecdh.X25519().GenerateKey(crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString
	return &node.Reality{
		Dest: strings.TrimPrefix(origin, "https://"), ServerNames: []string{"example.com"},
		PrivateKey: text(key.Bytes()), PublicKey: text(key.PublicKey().Bytes()), ShortIDs: []string{"38e92059"},
	}
}

func proxiesOf(t testing.TB, nodes []node.Node) []format.Proxy {
	t.Helper()
	var proxies []format.Proxy
	for _, n := range nodes {
		p, err := format.NewProxy(n, userUUID)
		if err != nil {
			t.Fatal(err)
		}
		proxies = append(proxies, p)
	}
	return proxies
}

// Every protocol that supports REALITY works with it in every client that can be run.
func TestRealClients_REALITY(t *testing.T) {
	origin := newOrigin(t)
	settings := node.Settings{Transport: "tcp", Security: "reality", Reality: newReality(t, origin)}
	var nodes []node.Node
	for _, protocol := range []node.Protocol{node.VLESS, node.VMess, node.Trojan} {
		for _, transport := range []string{"tcp", "grpc"} {
			n := node.Node{
				Name: string(protocol) + " " + transport, Protocol: protocol, Address: "127.0.0.1", Port: freePort(t),
				Settings: settings,
			}
			if n.Settings.Transport = transport; transport == "grpc" {
				n.Settings.ServiceName = "GunService"
			}
			nodes = append(nodes, n)
		}
	}
	serve(t, nodes)
	proxies := proxiesOf(t, nodes)
	for _, c := range realClients {
		if c.links {
			continue // Its reader of links supports VLESS and Trojan only.
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			through := c.start(t, proxies)
			if len(through) != len(nodes) {
				t.Errorf("the file has %d of %d nodes", len(through), len(nodes))
			}
			for name, port := range through {
				if err := carries(port, origin); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
