package format_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

// entry is one line as an independent reader parses it.
type entry struct {
	name, kind, host, port string
	words                  []string
	settings               map[string]string
}

// split cuts a line at commas outside quotes, and removes the quotes.
func split(text string) (out []string) {
	var word strings.Builder
	inside := false
	for _, r := range text {
		switch {
		case r == '"':
			inside = !inside
		case r == ',' && !inside:
			out = append(out, strings.TrimSpace(word.String()))
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return append(out, strings.TrimSpace(word.String()))
}

// readLine parses "name = kind, host, port, word, setting=value" as Surge, Loon and Quantumult do.
func readLine(t testing.TB, text string) entry {
	t.Helper()
	name, rest, ok := strings.Cut(text, "=")
	parts := split(rest)
	if !ok || len(parts) < 3 {
		t.Fatalf("no entry: %s", text)
	}
	e := entry{
		name: strings.TrimSpace(name), kind: parts[0], host: parts[1], port: parts[2],
		settings: map[string]string{},
	}
	for _, part := range parts[3:] {
		if key, value, ok := strings.Cut(part, "="); ok && !strings.ContainsAny(key, "/:") {
			if _, twice := e.settings[key]; twice {
				t.Errorf("%s is there twice: %s", key, text)
			}
			e.settings[key] = value
		} else {
			e.words = append(e.words, part)
		}
	}
	return e
}

// sections parses a file with [Section]s, without comments.
func sections(body []byte) map[string][]string {
	out, section := map[string][]string{}, ""
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, ";"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		default:
			out[section] = append(out[section], line)
		}
	}
	return out
}

// check compares an entry with its node in the fixture.
func (f fixture) check(t testing.TB, e entry, secret string) {
	t.Helper()
	for i, n := range f.nodes {
		if fmt.Sprint(n.Port) != e.port {
			continue
		}
		want := f.secrets[i]
		if n.Settings.ServerKey != "" {
			want = n.Settings.ServerKey + ":" + want
		}
		if secret != want || e.host != n.Address {
			t.Errorf("%s on %s with the secret %q, not %q", e.name, e.host, secret, want)
		}
		return
	}
	t.Errorf("%s has the port %s of no node", e.name, e.port)
}

func TestSurge_ReadsBack(t *testing.T) {
	f := allCombinations()
	kinds := map[string]string{
		"Surge2": "", "Surge3": "ss", "Surge4": "ss trojan vmess",
		"Surge5": "hysteria2 ss trojan tuic-v5 vmess", "Surge6": "anytls hysteria2 ss trojan tuic-v5 vless vmess",
		"Surfboard": "anytls hysteria2 ss trojan tuic-v5 vmess",
	}
	for clientType, want := range kinds {
		file := format.Render(f.proxies(t), format.Options{
			Client:  client(t, clientType, ""),
			Notices: []string{"two, notices = 1", "two, notices = 1"}, URL: "https://a/b?c=d", Hours: 6,
		})
		if !strings.HasPrefix(string(file.Body), "#!MANAGED-CONFIG https://a/b?c=d interval=21600 strict=false\n# ") {
			t.Errorf("%s begins %.100s", clientType, file.Body)
		}
		s := sections(file.Body)
		names, seen := map[string]bool{"PROXY": true, "AUTO": true, "DIRECT": true}, map[string]bool{}
		for _, line := range s["Proxy"] {
			e := readLine(t, line)
			if names[e.name] || e.name == "" || strings.ContainsAny(e.name, `,"#`) {
				t.Errorf("%s: the name %q", clientType, e.name)
			}
			names[e.name] = true
			if e.kind == "http" && e.host == "127.0.0.1" {
				continue
			}
			seen[e.kind] = true
			secret := e.settings["password"]
			if secret == "" {
				secret = e.settings["username"]
			}
			f.check(t, e, secret)
			if e.kind == "vmess" && e.settings["vmess-aead"] != "true" {
				t.Errorf("%s: %s", clientType, line)
			}
			if e.settings["skip-cert-verify"] != "" {
				t.Errorf("%s does not check who it talks to: %s", clientType, line)
			}
		}
		var got []string
		for kind := range seen {
			got = append(got, kind)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s has %v", clientType, got)
		}
		for _, line := range s["Proxy Group"] {
			name, rest, _ := strings.Cut(line, " = ")
			members := split(rest)[1:]
			if len(members) == 0 || strings.Contains(members[0], "=") {
				t.Errorf("%s: the group %s is empty", clientType, name)
			}
			for _, member := range members {
				if !names[member] && !strings.HasPrefix(member, "url=") && !strings.HasPrefix(member, "interval=") {
					t.Errorf("%s: the group %s names %q, which is nowhere", clientType, name, member)
				}
			}
		}
		if rules := s["Rule"]; len(rules) < 10 || rules[len(rules)-1] != "FINAL,PROXY" {
			t.Errorf("%s: the rules %v", clientType, rules)
		}
	}
}

func TestSurge_LaterVersion_GetsNoFewerNodes(t *testing.T) {
	proxies := allCombinations().proxies(t)
	last := -1
	for _, clientType := range []string{"Surge2", "Surge3", "Surge4", "Surge5", "Surge6"} {
		n := format.Render(proxies, format.Options{Client: client(t, clientType, "")}).Nodes
		if n <= last {
			t.Errorf("%s gets %d nodes, the one before it %d", clientType, n, last)
		}
		last = n
	}
}

func TestLoon_ReadsBack(t *testing.T) {
	f := allCombinations()
	file := format.Render(f.proxies(t), format.Options{Client: client(t, "Loon", "")})
	read := 0
	for _, line := range sections(file.Body)[""] {
		e := readLine(t, line)
		f.check(t, e, e.words[len(e.words)-1])
		read++
	}
	if read != file.Nodes || read < 15 {
		t.Errorf("%d lines, %d nodes", read, file.Nodes)
	}
}

func TestQuantumultX_ReadsBack(t *testing.T) {
	f := allCombinations()
	file := format.Render(f.proxies(t), format.Options{Client: client(t, "QuantumultX", "")})
	tags := map[string]bool{}
	for _, line := range sections(file.Body)[""] {
		settings := map[string]string{}
		for _, part := range split(line) {
			name, value, _ := strings.Cut(part, "=")
			settings[name] = value
		}
		kind, address, _ := strings.Cut(split(line)[0], "=")
		host, port, err := net.SplitHostPort(address)
		if err != nil || tags[settings["tag"]] || settings["tag"] == "" {
			t.Errorf("%s: %v", line, err)
		}
		tags[settings["tag"]] = true
		f.check(t, entry{name: settings["tag"], kind: kind, host: host, port: port}, settings["password"])
	}
	if len(tags) != file.Nodes || len(tags) < 15 {
		t.Errorf("%d lines, %d nodes", len(tags), file.Nodes)
	}
}

func TestQuantumult_ReadsBack(t *testing.T) {
	f := allCombinations()
	file := format.Render(f.proxies(t), format.Options{Client: client(t, "Quantumult", ""), Title: "a, b = c"})
	for line := range strings.Lines(string(decode(t, file.Body))) {
		line = strings.TrimSpace(line)
		encoded, ok := strings.CutPrefix(line, "vmess://")
		if !ok {
			l := readLink(t, line)
			f.check(t, entry{name: l.name, host: l.host, port: l.port}, strings.TrimPrefix(l.user, "aes-128-gcm:"))
			continue
		}
		text, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		e := readLine(t, string(text))
		f.check(t, e, e.words[1])
		if e.settings["group"] != "a， b ＝ c" {
			t.Errorf("the group %q", e.settings["group"])
		}
	}
}

func TestMellow_ReadsBack(t *testing.T) {
	f := allCombinations()
	s := sections(format.Render(f.proxies(t), format.Options{Client: client(t, "Mellow", "")}).Body)
	names := map[string]bool{}
	for _, line := range s["Endpoint"] {
		parts := strings.SplitN(line, ", ", 3)
		names[parts[0]] = true
		switch parts[1] {
		case "ss":
			l := readLink(t, parts[2])
			f.check(t, entry{name: parts[0], host: l.host, port: l.port}, strings.TrimPrefix(l.user, "aes-128-gcm:"))
		case "vmess1":
			l := readLink(t, parts[2])
			f.check(t, entry{name: parts[0], host: l.host, port: l.port}, l.user)
		}
	}
	for _, line := range s["EndpointGroup"] {
		for _, member := range strings.Split(strings.Split(line, ", ")[1], ":") {
			if !names[member] {
				t.Errorf("the group names %q, which is nowhere", member)
			}
		}
	}
	for _, line := range s["RoutingRule"] {
		parts := strings.Split(line, ", ")
		if last := parts[len(parts)-1]; !names[last] && last != "PROXY" {
			t.Errorf("a rule leads nowhere: %s", line)
		}
	}
}

func TestSSD_ListsServersAndRemaining(t *testing.T) {
	f := allCombinations()
	body := format.Render(f.proxies(t), format.Options{
		Client: client(t, "SSD", ""), Title: "Site",
		Usage: format.Usage{Used: 1 << 30, Total: 10 << 30, Expires: "2030-01-31"},
	}).Body
	var file struct {
		Airport, Expiry string
		TrafficUsed     float64 `json:"traffic_used"`
		TrafficTotal    float64 `json:"traffic_total"`
		Servers         []struct {
			Server, Password, Encryption, Remarks string
			Port                                  int
		}
	}
	if err := json.Unmarshal(decode(t, body[len("ssd://"):]), &file); err != nil {
		t.Fatal(err)
	}
	if file.Airport != "Site" || file.Expiry != "2030-01-31" || file.TrafficUsed != 1 || file.TrafficTotal != 10 ||
		len(file.Servers) != 4 {
		t.Errorf("%+v", file)
	}
	for _, s := range file.Servers {
		f.check(t, entry{name: s.Remarks, host: s.Server, port: fmt.Sprint(s.Port)}, s.Password)
	}
}

func TestEgern_ReadsBack(t *testing.T) {
	f := allCombinations()
	var file struct {
		Proxies []map[string]struct {
			Name, Server, Password, Auth string
			UserID                       string `yaml:"user_id"`
			Port                         int
			Reality                      struct {
				PublicKey string `yaml:"public_key"`
			}
			Transport map[string]struct {
				ServiceName string `yaml:"service_name"`
				Reality     struct {
					ShortID any `yaml:"short_id"`
				}
			}
		}
		PolicyGroups []map[string]struct{ Policies []string } `yaml:"policy_groups"`
		Rules        []map[string]struct{ Policy string }
	}
	rendered := format.Render(f.proxies(t), format.Options{Client: client(t, "Egern", "")})
	if err := yaml.Unmarshal(rendered.Body, &file); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"PROXY": true, "AUTO": true, "DIRECT": true}
	grpc, reality := map[string]int{}, map[string]int{}
	for _, entries := range file.Proxies {
		for kind, p := range entries {
			if p.Transport["grpc"].ServiceName == "svc.Of_this~node" {
				grpc[kind]++
			}
			if p.Reality.PublicKey == publicKey {
				reality[kind]++
			}
			if names[p.Name] {
				t.Errorf("two are called %q", p.Name)
			}
			names[p.Name] = true
			secret := p.Password + p.Auth + p.UserID
			f.check(t, entry{name: p.Name, kind: kind, host: p.Server, port: fmt.Sprint(p.Port)}, secret)
			for _, transport := range p.Transport {
				if id := transport.Reality.ShortID; id != nil {
					if _, ok := id.(string); !ok {
						t.Errorf("the short id is a %T", id)
					}
				}
			}
		}
	}
	if len(file.Proxies) != rendered.Nodes || rendered.Nodes < 20 {
		t.Errorf("%d proxies of %d nodes", len(file.Proxies), rendered.Nodes)
	}
	if grpc["vmess"] != 1 || grpc["vless"] != 2 || reality["trojan"] != 1 {
		t.Errorf("over gRPC: %v, with REALITY: %v", grpc, reality)
	}
	for _, groups := range file.PolicyGroups {
		for kind, group := range groups {
			if len(group.Policies) == 0 {
				t.Errorf("the group %s is empty", kind)
			}
			for _, member := range group.Policies {
				if !names[member] {
					t.Errorf("a group names %q, which is nowhere", member)
				}
			}
		}
	}
	if last := file.Rules[len(file.Rules)-1]["default"].Policy; last != "PROXY" {
		t.Errorf("the last rule is %v", last)
	}
}

// A format that cannot express a character leaves out the one node with it, not the whole file.
func TestLine_ValueThatDoesNotFit_OmitsOneNode(t *testing.T) {
	n := node.Node{
		Name: "n", Protocol: node.Trojan, Address: "a.example.com", Port: 443,
		Settings: settings("tcp", "tls", 0),
	}
	var proxies []format.Proxy
	for _, secret := range []string{`quote"`, "comma,", "line\nbreak", "plain"} {
		p, err := format.NewProxy(n, secret)
		if err != nil {
			t.Fatal(err)
		}
		proxies = append(proxies, p)
	}
	for _, clientType := range []string{"Surge5", "Surfboard", "Loon", "QuantumultX"} {
		if f := format.Render(proxies, format.Options{Client: client(t, clientType, "")}); f.Nodes != 1 ||
			f.LeftOut != 3 || strings.Contains(string(f.Body), "break") {
			t.Errorf("%s: %d nodes, %d left out\n%s", clientType, f.Nodes, f.LeftOut, f.Body)
		}
	}
}

func TestXray_NeverSkipsVerification(t *testing.T) {
	proxies := allCombinations().proxies(t)
	for _, nodesOnly := range []bool{false, true} {
		f := format.Render(proxies, format.Options{Client: client(t, "XrayJson", ""), NodesOnly: nodesOnly})
		if strings.Contains(string(f.Body), "nsecure") || !strings.Contains(string(f.Body), `"pinnedPeerCertSha256"`) {
			t.Errorf("%s", f.Body)
		}
		if !json.Valid(f.Body) {
			t.Error("no JSON")
		}
	}
}
