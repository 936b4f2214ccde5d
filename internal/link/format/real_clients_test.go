package format_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

type object = map[string]any

// program returns the path of a real program that `make tools` builds.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", ".tools", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("this test needs the real %s: run `make tools` (%v)", name, err)
	}
	return path
}

// ports are assigned to this run, below the range that the system uses for outgoing connections and below those of the
// tests of the agent and of the browser.
var ports = struct {
	sync.Mutex
	taken map[int]bool
}{taken: map[int]bool{}}

func freePort(t testing.TB) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	for range 10_000 {
		port := 10_000 + rand.IntN(10_000)
		if ports.taken[port] {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			ports.taken[port] = true
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// run starts a program and waits until it listens on all ports.
func run(t testing.TB, ports []int, name string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(program(t, name), args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s said:\n%s", name, said.String())
		}
	})
	for _, port := range ports {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err == nil {
				conn.Close()
				break
			}
			select {
			case <-ended:
				t.Fatalf("%s ended", name)
			default:
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s does not listen on port %d", name, port)
			}
		}
	}
}

func writeFile(t testing.TB, folder, name string, content any) string {
	t.Helper()
	text, isText := content.([]byte)
	if !isText {
		var err error
		if text, err = json.Marshal(content); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// serve runs the agent's core with these nodes, configured as the agent does.
func serve(t testing.TB, nodes []node.Node) {
	t.Helper()
	var inbounds []object
	var ports []int
	for _, n := range nodes {
		s := n.Settings
		stream := object{"network": s.Transport, "security": "none"}
		switch s.Transport {
		case "ws", "httpupgrade", "xhttp":
			stream[s.Transport+"Settings"] = object{"path": s.Path}
		case "grpc":
			stream["grpcSettings"] = object{"serviceName": s.ServiceName}
		}
		if s.Security == "reality" {
			stream["security"] = "reality"
			stream["realitySettings"] = object{
				"target": s.Reality.Dest, "serverNames": s.Reality.ServerNames,
				"privateKey": s.Reality.PrivateKey, "shortIds": s.Reality.ShortIDs,
			}
		}
		if s.Security == "tls" {
			certificate := object{
				"certificate": strings.Split(s.TLS.Certificate, "\n"),
				"key":         strings.Split(s.TLS.Key, "\n"),
			}
			stream["security"] = "tls"
			stream["tlsSettings"] = object{"serverName": s.TLS.ServerName, "certificates": []object{certificate}}
		}
		users := object{"clients": []object{{"id": userUUID}}}
		switch n.Protocol {
		case node.VLESS:
			users["decryption"] = "none"
		case node.Trojan:
			users = object{"clients": []object{{"password": userUUID}}}
		}
		inbounds = append(inbounds, object{
			"listen": "127.0.0.1", "port": n.Port, "protocol": string(n.Protocol), "settings": users,
			"streamSettings": stream,
		})
		ports = append(ports, n.Port)
	}
	whole := object{"inbounds": inbounds, "outbounds": []object{{"protocol": "freedom"}}}
	config := writeFile(t, t.TempDir(), "server.json", whole)
	run(t, ports, "xray", "run", "-c", config)
}

// A realClient starts a real client with the rendered file of the proxies, and returns the HTTP proxy through each node
// by the node's name.
type realClient struct {
	name  string
	nodes int // Number of nodes with odd paths that it reaches.
	start func(t testing.TB, proxies []format.Proxy) map[string]int
	links bool // It reads share links.
}

var realClients = []realClient{
	{"sing-box 1.14.1", 36, startSingBox("1.14.1"), false},
	{"sing-box 1.11.15", 36, startSingBox("1.11.15"), false},
	{"mihomo", 21, startMihomo, false},
	{"mihomo on share links", 9, startMihomoOnLinks, true},
	{"Xray", 41, startXray, false},
}

func startSingBox(version string) func(t testing.TB, proxies []format.Proxy) map[string]int {
	return func(t testing.TB, proxies []format.Proxy) map[string]int { return runSingBox(t, version, proxies) }
}

func runSingBox(t testing.TB, version string, proxies []format.Proxy) map[string]int {
	f := format.Render(proxies, format.Options{Client: client(t, "AUTO", "sing-box "+version), NodesOnly: true})
	var file struct{ Outbounds []object }
	if err := json.Unmarshal(f.Body, &file); err != nil {
		t.Fatal(err)
	}
	through, inbounds, rules := map[string]int{}, []object{}, []object{}
	for i, out := range file.Outbounds {
		name, tag := out["tag"].(string), strconv.Itoa(i)
		through[name] = freePort(t)
		inbounds = append(inbounds, object{
			"type": "mixed", "tag": tag, "listen": "127.0.0.1",
			"listen_port": through[name],
		})
		rules = append(rules, object{"inbound": []string{tag}, "outbound": name})
	}
	folder := t.TempDir()
	whole := object{"inbounds": inbounds, "outbounds": file.Outbounds, "route": object{"rules": rules}}
	config := writeFile(t, folder, "config.json", whole)
	run(t, slices.Collect(maps.Values(through)), "sing-box-"+version, "run", "-c", config, "-D", folder,
		"--disable-color")
	return through
}

func startMihomo(t testing.TB, proxies []format.Proxy) map[string]int {
	f := format.Render(proxies, format.Options{Client: client(t, "ClashMeta", ""), NodesOnly: true})
	var file struct{ Proxies []object }
	if err := yaml.Unmarshal(f.Body, &file); err != nil {
		t.Fatal(err)
	}
	through, listeners := map[string]int{}, []object{}
	for i, p := range file.Proxies {
		name := p["name"].(string)
		through[name] = freePort(t)
		listeners = append(listeners, mihomoListener(i, through[name], name))
	}
	runMihomo(t, t.TempDir(), through, object{"proxies": file.Proxies, "listeners": listeners})
	return through
}

func mihomoListener(i, port int, to string) object {
	return object{"name": strconv.Itoa(i), "type": "mixed", "listen": "127.0.0.1", "port": port, "proxy": to}
}

// startMihomoOnLinks starts a core other than Xray's with share links. In these it supports no HTTPUpgrade, and XHTTP
// for VLESS only.
func startMihomoOnLinks(t testing.TB, proxies []format.Proxy) map[string]int {
	proxies = slices.DeleteFunc(slices.Clone(proxies), func(p format.Proxy) bool {
		return p.Transport == "httpupgrade" || p.Transport == "xhttp" && p.Protocol != node.VLESS
	})
	folder := t.TempDir()
	f := format.Render(proxies, format.Options{Client: client(t, "NodeList", "")})
	writeFile(t, folder, "links.txt", f.Body)
	through, listeners, groups := map[string]int{}, []object{}, []object{}
	for i, line := range strings.Split(strings.TrimSpace(string(f.Body)), "\n") {
		name, tag := readLinkName(t, line), "group"+strconv.Itoa(i)
		through[name] = freePort(t)
		groups = append(groups, object{
			"name": tag, "type": "select", "use": []string{"links"},
			"filter": "^" + name + "$",
		})
		listeners = append(listeners, mihomoListener(i, through[name], tag))
	}
	runMihomo(t, folder, through, object{
		"proxy-providers": object{"links": object{"type": "file", "path": "./links.txt"}},
		"proxy-groups":    groups, "listeners": listeners,
	})
	return through
}

func readLinkName(t testing.TB, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Fragment
}

func runMihomo(t testing.TB, folder string, through map[string]int, config object) {
	config["ipv6"], config["log-level"], config["rules"] = false, "debug", []string{"MATCH,REJECT"}
	run(t, slices.Collect(maps.Values(through)), "mihomo", "-d", folder, "-f",
		writeFile(t, folder, "config.yaml", config))
}

func startXray(t testing.TB, proxies []format.Proxy) map[string]int {
	f := format.Render(proxies, format.Options{Client: client(t, "XrayJson", ""), NodesOnly: true})
	var file struct{ Outbounds []object }
	if err := json.Unmarshal(f.Body, &file); err != nil {
		t.Fatal(err)
	}
	through, inbounds, rules := map[string]int{}, []object{}, []object{}
	for i, out := range file.Outbounds {
		name, tag := out["tag"].(string), strconv.Itoa(i)
		through[name] = freePort(t)
		inbounds = append(inbounds, object{
			"tag": tag, "protocol": "http", "listen": "127.0.0.1",
			"port": through[name],
		})
		rules = append(rules, object{"type": "field", "inboundTag": []string{tag}, "outboundTag": name})
	}
	whole := object{"inbounds": inbounds, "outbounds": file.Outbounds, "routing": object{"rules": rules}}
	config := writeFile(t, t.TempDir(), "client.json", whole)
	run(t, slices.Collect(maps.Values(through)), "xray", "run", "-c", config)
	return through
}

// carries requests a page through the HTTP proxy on a port. A client may listen before it has loaded its nodes, so a
// request that fails at once is repeated.
func carries(port int, origin string) (err error) {
	c := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{
			Scheme: "http",
			Host:   fmt.Sprintf("127.0.0.1:%d", port),
		}), DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var res *http.Response
		if res, err = c.Get(origin); err != nil {
			continue
		}
		text, readErr := io.ReadAll(res.Body)
		res.Body.Close()
		if readErr == nil && string(text) == "the page" {
			return nil
		}
		err = fmt.Errorf("%d %q %v", res.StatusCode, text, readErr)
	}
	return err
}

// newOrigin starts a web server with TLS, which clients tunnel. After a plain request Xray closes its direction, and
// with it a WebSocket that still carries the answer.
func newOrigin(t testing.TB) string {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "the page")
	}))
	t.Cleanup(s.Close)
	return s.URL
}
