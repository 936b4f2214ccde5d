package format_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestFiles_MatchGolden(t *testing.T) {
	proxies := allCombinations().proxies(t)
	for _, r := range readers {
		t.Run(r.file, func(t *testing.T) {
			f := format.Render(proxies, format.Options{
				Client: client(t, r.clientType, r.userAgent), Flags: true, Status: "1.5 GB left", Title: "Süd, \"网\"",
				URL: "https://site.example.com/link2/token?client_type=x", Hours: 12, Usage: format.Usage{
					Used:  3 << 29,
					Total: 100 << 30, Expires: "2030-01-31",
				},
			})
			got := f.Body
			if strings.HasSuffix(r.file, ".b64") {
				got = decode(t, got)
			}
			path := filepath.Join("testdata", strings.TrimSuffix(r.file, ".b64")+map[bool]string{
				true:  ".txt",
				false: "",
			}[strings.HasSuffix(r.file, ".b64")])
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs from the reviewed file; look at the difference and run with -update\n%s", path,
					got)
			}
			if f.Nodes+f.LeftOut != len(proxies) {
				t.Errorf("%d nodes and %d left out of %d", f.Nodes, f.LeftOut, len(proxies))
			}
		})
	}
}

func decode(t testing.TB, body []byte) []byte {
	t.Helper()
	text, err := base64.StdEncoding.Strict().DecodeString(string(body))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRender_IsDeterministic(t *testing.T) {
	for _, r := range readers {
		o := format.Options{Client: client(t, r.clientType, r.userAgent), Flags: true, Notices: []string{"a", "a"}}
		first := format.Render(allCombinations().proxies(t), o)
		for range 3 {
			if again := format.Render(allCombinations().proxies(t), o); !bytes.Equal(first.Body, again.Body) {
				t.Errorf("%s: two renderings differ", r.file)
			}
		}
	}
}

func TestRender_ContainsNoServerSecret(t *testing.T) {
	for _, r := range readers {
		body := format.Render(allCombinations().proxies(t),
			format.Options{Client: client(t, r.clientType, r.userAgent)}).Body
		if strings.HasSuffix(r.file, ".b64") {
			body = decode(t, body)
		}
		if bytes.Contains(body, []byte(serverPSK)) || bytes.Contains(body, []byte("secret-dest")) {
			t.Errorf("%s holds what is the server's own", r.file)
		}
	}
}

// clashFile is the part of a Clash profile that the tests read.
type clashFile struct {
	Proxies []map[string]any
	Groups  []struct {
		Name, Type string
		Proxies    []string
	} `yaml:"proxy-groups"`
	Rules []string
}

func readClash(t testing.TB, body []byte) clashFile {
	t.Helper()
	var f clashFile
	if err := yaml.UnmarshalWithOptions(body, &f, yaml.Strict(), yaml.AllowDuplicateMapKey()); err != nil {
		if err = yaml.Unmarshal(body, &f); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
	}
	return f
}

func TestClash_ReadsBackWithTypes(t *testing.T) {
	for _, clientType := range []string{"Clash", "ClashMeta", "Stash"} {
		f := readClash(t, format.Render(allCombinations().proxies(t),
			format.Options{Client: client(t, clientType, "")}).Body)
		fixture, byPort := allCombinations(), map[string]string{}
		for i, n := range fixture.nodes {
			byPort[fmt.Sprint(n.Port)] = fixture.secrets[i]
		}
		names := map[string]bool{"PROXY": true, "AUTO": true, "DIRECT": true}
		shortIDs := map[string]bool{}
		for _, p := range f.Proxies {
			name, ok := p["name"].(string)
			if !ok || name == "" || names[name] || strings.ContainsAny(name, ",\r\n\x00\u202e") {
				t.Errorf("%s: the name %q", clientType, p["name"])
			}
			names[name] = true
			for _, key := range []string{"server", "type", "uuid", "password", "cipher", "sni", "servername"} {
				if v, has := p[key]; has {
					if _, ok := v.(string); !ok {
						t.Errorf("%s: %s is %T %v", clientType, key, v, v)
					}
				}
			}
			if r, has := p["reality-opts"].(map[string]any); has {
				id, ok := r["short-id"].(string)
				if !ok {
					t.Errorf("%s: short-id is %T %v", clientType, r["short-id"], r["short-id"])
				}
				shortIDs[id] = true
			}
			if secret := byPort[fmt.Sprint(p["port"])]; (p["type"] == "trojan" || p["type"] == "anytls" ||
				p["type"] == "tuic") && p["password"] != secret {
				t.Errorf("%s: the password %q came back as %q", clientType, secret, p["password"])
			}
		}
		if clientType == "ClashMeta" && (!shortIDs["38e92059"] || !shortIDs["0e12"] || !shortIDs["00000000"]) {
			t.Errorf("short ids that look like numbers: %v", shortIDs)
		}
		for _, g := range f.Groups {
			if len(g.Proxies) == 0 {
				t.Errorf("%s: the group %s is empty", clientType, g.Name)
			}
			for _, member := range g.Proxies {
				if !names[member] {
					t.Errorf("%s: the group %s names %q, which is nowhere", clientType, g.Name, member)
				}
			}
		}
		if last := f.Rules[len(f.Rules)-1]; last != "MATCH,PROXY" {
			t.Errorf("%s: the last rule is %s", clientType, last)
		}
	}
}

// singBox returns the path of the real program of a version.
func singBox(t testing.TB, version string) string {
	t.Helper()
	path := os.Getenv("AIRSTRIP_SINGBOX_" + strings.ReplaceAll(version, ".", "_"))
	if path == "" {
		path = filepath.Join("..", "..", "..", ".tools", "sing-box-"+version)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("this test needs the real sing-box %s: run `make tools`, or name it in AIRSTRIP_SINGBOX_%s (%v)",
			version, strings.ReplaceAll(version, ".", "_"), err)
	}
	return path
}

func TestSingBox_AcceptsFiles(t *testing.T) {
	full := allCombinations().proxies(t)
	files, err := format.NewTemplate(json.RawMessage(`{"rules": "full"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, core := range []struct{ version, userAgent string }{
		{"1.14.1", "SFA/1.14.1 (900; sing-box 1.14.1; language zh_Hant_HK)"},
		{"1.14.1", "sing-box 1.14.1"},
		{"1.14.1", ""},
		{"1.11.15", "SFA/1.11.15 (500; sing-box 1.11.15; language en_US)"},
		{"1.11.15", "sing-box/1.11.15"},
	} {
		program := singBox(t, core.version)
		for name, o := range map[string]format.Options{
			"all":         {Flags: true},
			"nodes only":  {NodesOnly: true},
			"notice only": {Notices: []string{"expired"}},
			"rule files":  {Template: files},
		} {
			o.Client = client(t, "SingBox", core.userAgent)
			proxies := full
			if name == "notice only" {
				proxies = nil
			}
			f := format.Render(proxies, o)
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, f.Body, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(program, "check", "-c", path).CombinedOutput()
			if err != nil || bytes.Contains(out, []byte("deprecated")) && core.version == "1.14.1" {
				t.Errorf("%s %q %s: %v\n%s", core.version, core.userAgent, name, err, out)
			}
			if name != "notice only" && f.Nodes < 30 {
				t.Errorf("%s: only %d nodes", core.version, f.Nodes)
			}
		}
	}
}

func TestTemplate_SingBoxSchema(t *testing.T) {
	printed, err := exec.Command(singBox(t, "1.14.1"), "schema").Output()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("singbox/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, printed); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(kept), want.Bytes()) {
		t.Error("singbox/schema.json is not what sing-box prints: replace it, without white space")
	}
}

func TestSingBox_BareCore_NeedsNoTUN(t *testing.T) {
	for userAgent, wants := range map[string]bool{
		"sing-box 1.14.1": false, "SFI/1.14.1 (1; sing-box 1.14.1)": true,
		"": true,
	} {
		var cfg struct{ Inbounds []struct{ Type string } }
		if err := json.Unmarshal(format.Render(nil, format.Options{Client: client(t, "SingBox", userAgent)}).Body,
			&cfg); err != nil {
			t.Fatal(err)
		}
		has := false
		for _, in := range cfg.Inbounds {
			has = has || in.Type == "tun"
		}
		if has != wants {
			t.Errorf("%q: a tunnel device: %v", userAgent, has)
		}
	}
}

func TestRender_NoClientGetsEmptyFile(t *testing.T) {
	for _, r := range readers {
		f := format.Render(nil, format.Options{Client: client(t, r.clientType, r.userAgent)})
		body := f.Body
		if strings.HasSuffix(r.file, ".b64") {
			body = decode(t, body)
		}
		encoded := bytes.Contains(body, []byte("vmess://")) || bytes.HasPrefix(body, []byte("ss"))
		if f.Nodes != 0 || !bytes.Contains(body, []byte("127.0.0.1")) && !encoded {
			t.Errorf("%s: %s", r.file, body)
		}
	}
}

func TestRender_UnusableNodes_AreRefusedIndividually(t *testing.T) {
	good := func() node.Node {
		return node.Node{
			Name: "n", Protocol: node.VLESS, Address: "a.example.com", Port: 443,
			Settings: settings("tcp", "reality", 0),
		}
	}
	if _, err := format.NewProxy(good(), userUUID); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*node.Node){
		"address":       func(n *node.Node) { n.Address = "a b\nc" },
		"no address":    func(n *node.Node) { n.Address = "" },
		"port":          func(n *node.Node) { n.Port = 70000 },
		"protocol":      func(n *node.Node) { n.Protocol = "juicity" },
		"transport":     func(n *node.Node) { n.Settings.Transport = "quic2" },
		"grpc":          func(n *node.Node) { n.Settings.Transport = "grpc" },
		"security":      func(n *node.Node) { n.Settings.Security = "xtls" },
		"no reality":    func(n *node.Node) { n.Settings.Reality = nil },
		"short id":      func(n *node.Node) { n.Settings.Reality.ShortIDs = []string{"abc"} },
		"long short id": func(n *node.Node) { n.Settings.Reality.ShortIDs = []string{"0123456789abcdef01"} },
		"public key":    func(n *node.Node) { n.Settings.Reality.PublicKey = "short" },
		"flow":          func(n *node.Node) { n.Settings.Flow = "xtls-rprx-direct" },
		"flow over ws":  func(n *node.Node) { n.Settings.Flow, n.Settings.Transport = "xtls-rprx-vision", "ws" },
		"pin":           func(n *node.Node) { n.Settings.Security, n.Settings.TLS = "tls", &node.TLS{Pin: "abcd"} },
		"method":        func(n *node.Node) { n.Protocol, n.Settings.Method = node.Shadowsocks, "rc4-md5" },
		"2022 server key": func(n *node.Node) {
			n.Protocol, n.Settings.Method = node.Shadowsocks,
				"2022-blake3-aes-128-gcm"
		},
		"obfs": func(n *node.Node) { n.Protocol, n.Settings.Obfs = node.Hysteria2, "salamander" },
	} {
		n := good()
		spoil(&n)
		if p, err := format.NewProxy(n, userUUID); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if _, err := format.NewProxy(good(), "not a uuid"); err == nil {
		t.Error("a secret that is no UUID passed")
	}
}

func TestSingBox_PinnedNode_NeedsCertificate(t *testing.T) {
	n := node.Node{
		Name: "n", Protocol: node.Trojan, Address: "a.example.com", Port: 443,
		Settings: settings("tcp", "pinned", 0),
	}
	n.Settings.TLS.Certificate = ""
	p, err := format.NewProxy(n, "pw")
	if err != nil {
		t.Fatal(err)
	}
	if f := format.Render([]format.Proxy{p}, format.Options{Client: client(t, "SingBox", "")}); f.LeftOut != 1 {
		t.Errorf("left out %d:\n%s", f.LeftOut, f.Body)
	}
	if f := format.Render([]format.Proxy{p}, format.Options{Client: client(t, "ClashMeta", "")}); f.Nodes != 1 {
		t.Errorf("Clash Meta takes the pin alone:\n%s", f.Body)
	}
}
