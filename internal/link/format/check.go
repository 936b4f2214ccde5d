package format

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"airstrip/internal/node"
)

// Problem is what is wrong with a template, and the key that it concerns.
type Problem struct{ Key, Code, ZH, EN string }

var namePattern = regexp.MustCompile(`^(\+\.)?([A-Za-z0-9_-]+|\*)(\.([A-Za-z0-9_-]+|\*))*$`)

const (
	maxGroups  = 20
	maxMatches = 2000
)

var singBoxKeys = []string{"log", "dns", "ntp", "inbounds", "route", "experimental"}

// treeKeys are the keys of each format's file that a template may change. Nodes are never among them, so templates
// contain no secrets.
var treeKeys = map[string][]string{
	"clash": {
		"mixed-port", "port", "socks-port", "allow-lan", "bind-address", "mode", "log-level", "ipv6", "unified-delay",
		"tcp-concurrent", "external-controller",
		"find-process-mode", "geodata-mode", "geox-url", "geo-auto-update", "geo-update-interval",
		"global-client-fingerprint", "keep-alive-interval",
		"dns", "hosts", "sniffer", "tun", "profile", "ntp", "proxy-groups", "rule-providers", "rules", "sub-rules",
		"experimental",
	},
	"stash": {
		"mode", "log-level", "dns", "hosts", "script", "http", "cron", "proxy-groups", "rule-providers",
		"rules",
	},
	"egern": {
		"http_port", "socks_port", "dns", "real_ip_domains", "policy_groups", "rules", "ipv6",
		"vif_only", "modules", "scriptings", "url_rewrites", "header_rewrites",
	},
	"sing_box":      singBoxKeys,
	"sing_box_1_11": singBoxKeys,
	"xray":          {"log", "dns", "inbounds", "routing", "policy", "stats"},
}

// Check renders the template in every format with a node of each kind, and returns the first problem for which a client
// would refuse the file, or nil.
func (t *Template) Check() *Problem {
	for _, check := range []func() *Problem{t.checkTerms, t.checkGroups, t.checkTrees, t.checkFiles} {
		if p := check(); p != nil {
			return p
		}
	}
	return nil
}

func (t *Template) checkTerms() *Problem {
	if !slices.Contains([]RuleSet{NoRules, BasicRules, FullRules}, t.Rules) {
		return &Problem{"rules", "choice", "规则集为 none、basic 或 full", "The rule set is none, basic or full"}
	}
	for key, m := range map[string]Match{"blocked": t.Blocked, "proxied": t.Proxied, "direct": t.Direct} {
		if p := m.check(key); p != nil {
			return p
		}
	}
	for key, addresses := range map[string][]string{"dns.near": t.DNS.Near, "dns.remote": {t.DNS.Remote}} {
		if len(addresses) == 0 || slices.ContainsFunc(addresses,
			func(a string) bool { _, err := netip.ParseAddr(a); return err != nil }) {
			return &Problem{key, "format", "请填写 DNS 服务器的 IP", "DNS servers are given by their IP"}
		}
	}
	if len(t.DNS.Real) > maxMatches || slices.ContainsFunc(t.DNS.Real,
		func(name string) bool { return !namePattern.MatchString(name) }) {
		return &Problem{
			"dns.real", "format", "请填写域名；* 代表一级，开头的 +. 代表该域名及其下所有域名",
			"These are host names, in which * stands for one label and +. before a name for it and everything under it",
		}
	}
	if len(t.DNS.Secure) == 0 || slices.ContainsFunc(t.DNS.Secure, func(a string) bool { return !webAddress(a) }) {
		return &Problem{
			"dns.secure", "format", "请填写以 https:// 开头的 DNS 地址",
			"Secure DNS servers are given by addresses that begin with https://",
		}
	}
	switch {
	case !webAddress(t.Probe.URL):
		return &Problem{"probe.url", "format", "测速地址须以 https:// 开头", "The probe's address begins with https://"}
	case t.Probe.Seconds < 10 || t.Probe.Seconds > 86400:
		return &Problem{
			"probe.seconds", "range", "测速间隔为 10 至 86400 秒",
			"The probe's interval is between 10 and 86400 seconds",
		}
	case !webAddress(strings.NewReplacer("{repo}", "a/b", "{branch}", "c", "{file}", "d").Replace(t.Files)) ||
		!strings.Contains(t.Files, "{file}"):
		return &Problem{
			"files", "format", "规则文件地址须以 https:// 开头，并含 {file}",
			"The address of rule files begins with https:// and has {file} in it",
		}
	}
	return nil
}

// webAddress reports whether s may be an address in a line of any format.
func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Host != "" && len(s) <= 500 &&
		!strings.ContainsAny(s, " ,;\"'|\\{}\r\n\t")
}

func (m Match) check(key string) *Problem {
	switch {
	case len(m.Suffixes)+len(m.Networks) > maxMatches:
		return &Problem{
			key, "too_long", fmt.Sprintf("最多 %d 条", maxMatches),
			fmt.Sprintf("At most %d entries", maxMatches),
		}
	case slices.ContainsFunc(m.Suffixes, func(s string) bool { return !hostName.MatchString(s) }):
		return &Problem{
			key + ".suffixes", "format", "请填写域名，不带点号开头或通配符",
			"Suffixes are domains, without a leading dot or wildcard",
		}
	case slices.ContainsFunc(m.Networks, func(s string) bool { _, err := netip.ParsePrefix(s); return err != nil }):
		return &Problem{key + ".networks", "format", "请填写网段，例如 192.0.2.0/24", "Networks are written as 192.0.2.0/24"}
	}
	return nil
}

func (t *Template) checkGroups() *Problem {
	if len(t.Groups) > maxGroups {
		return &Problem{
			"groups", "too_long", fmt.Sprintf("最多 %d 个分组", maxGroups),
			fmt.Sprintf("At most %d groups", maxGroups),
		}
	}
	taken := names{}
	for _, name := range reserved {
		taken.unique(name)
	}
	for i, g := range t.Groups {
		key := fmt.Sprintf("groups[%d]", i)
		switch {
		case g.Name == "" || g.Name != clean(g.Name) || strings.ContainsAny(g.Name, lineWide+`:"'|\`):
			return &Problem{
				key + ".name", "format", "分组名不能为空，也不能含标点",
				"A group's name is not empty and has no punctuation in it",
			}
		case taken.unique(g.Name) != g.Name:
			return &Problem{key + ".name", "taken", "分组名已被使用", "This name is taken"}
		case g.Kind != "select" && g.Kind != "auto":
			return &Problem{key + ".kind", "choice", "分组类型为 select 或 auto", "The kind is select or auto"}
		}
		if _, err := regexp.Compile(g.Include); err != nil || len(g.Include) > 500 {
			return &Problem{key + ".include", "format", "不是有效的正则表达式（RE2）", "This is no regular expression (RE2)"}
		}
		if p := g.Match.check(key); p != nil {
			return p
		}
	}
	return nil
}

func (t *Template) checkTrees() *Problem {
	for name, known := range treeKeys {
		for key := range t.tree(name) {
			if !slices.Contains(known, key) {
				return &Problem{
					name + "." + key, "unknown", "该格式的模板不能设置此项",
					"A template cannot set this for the format",
				}
			}
		}
	}
	return nil
}

// checkFiles parses the rendered files as clients do.
func (t *Template) checkFiles() *Problem {
	for _, each := range []struct {
		key    string
		client Client
		read   func([]byte) error
	}{
		{"clash", Client{Dialect: ClashMetaYAML}, readClash},
		{"clash", Client{Dialect: ClashYAML}, readClash},
		{"stash", Client{Dialect: StashYAML}, readClash},
		{"egern", Client{Dialect: EgernYAML}, func(b []byte) error { return yaml.Unmarshal(b, new(map[string]any)) }},
		{"sing_box", Client{Dialect: SingBoxJSON, TUN: true}, readSingBox},
		{"sing_box_1_11", Client{Dialect: SingBoxJSON, TUN: true, Version: Version{1, 11}}, readSingBox},
		{"xray", Client{Dialect: XrayJSON}, readXray},
	} {
		o := Options{Client: each.client, Flags: true, Template: t.without()}
		if over := t.tree(each.key); len(over) > 0 {
			if key := findMismatch(contents(Render(Sample(), o).Body), over, each.key); key != "" {
				return &Problem{
					key, "type", "此处的值类型与文件中原有的不同（列表、对象或单个值）",
					"What stands here in the file is of another kind: a list, an object or a single value",
				}
			}
		}
		o.Template = t
		if err := each.read(Render(Sample(), o).Body); err != nil {
			return &Problem{
				each.key, "refused", "客户端会拒绝该文件：" + err.Error(),
				"Clients would refuse the file: " + err.Error(),
			}
		}
	}
	return nil
}

// tree returns what is merged over the file of one format.
func (t *Template) tree(format string) map[string]any {
	return map[string]map[string]any{
		"clash": t.Clash, "stash": t.Stash, "egern": t.Egern, "sing_box": t.SingBox,
		"sing_box_1_11": t.OldBox, "xray": t.Xray,
	}[format]
}

// without returns the template without changes to the files of single formats.
func (t *Template) without() *Template {
	bare := *t
	bare.Clash, bare.Stash, bare.Egern, bare.SingBox, bare.OldBox, bare.Xray = nil, nil, nil, nil, nil, nil
	return &bare
}

// contents parses a file, YAML or JSON. If it contains several documents, it returns the first.
func contents(body []byte) any {
	var file any
	if err := yaml.Unmarshal(body, &file); err != nil {
		panic(err) // It was just written.
	}
	if several, ok := file.([]any); ok {
		return several[0]
	}
	return file
}

// findMismatch returns the location of the first value in over whose kind differs from the value that it replaces, or
// empty. A value without a counterpart is not checked.
func findMismatch(under, over any, place string) string {
	if under == nil || over == nil {
		return ""
	}
	below, isObject := under.(map[string]any)
	above, overObject := over.(map[string]any)
	_, isList := under.([]any)
	_, overList := over.([]any)
	if isObject != overObject || isList != overList {
		return place
	}
	for _, key := range slices.Sorted(maps.Keys(above)) {
		if at := findMismatch(below[key], above[key], place+"."+key); at != "" {
			return at
		}
	}
	return ""
}

// readClash checks what makes the core exit: a group without members or with unknown ones, and a rule without a target.
func readClash(body []byte) error {
	var file struct {
		Proxies []struct{ Name string }
		Groups  []struct {
			Name    string
			Type    string
			Proxies []string
		} `yaml:"proxy-groups"`
		Providers map[string]any `yaml:"rule-providers"`
		Rules     []string
	}
	if err := yaml.Unmarshal(body, &file); err != nil {
		return err
	}
	known := map[string]bool{groupDirect: true, groupBlock: true, "REJECT-DROP": true, "PASS": true}
	for _, p := range file.Proxies {
		known[p.Name] = true
	}
	for _, g := range file.Groups {
		if known[g.Name] {
			return fmt.Errorf("proxy-groups: %q stands there twice", g.Name)
		}
		known[g.Name] = true
	}
	for _, g := range file.Groups {
		if len(g.Proxies) == 0 {
			return fmt.Errorf("proxy-groups: %q has no members", g.Name)
		}
		for _, p := range g.Proxies {
			if !known[p] {
				return fmt.Errorf("proxy-groups: %q has the unknown member %q", g.Name, p)
			}
		}
	}
	for _, r := range file.Rules {
		words := strings.Split(r, ",")
		if len(words) > 2 && words[len(words)-1] == "no-resolve" {
			words = words[:len(words)-1]
		}
		if to := words[len(words)-1]; len(words) < 2 || !known[to] {
			return fmt.Errorf("rules: %q leads to nothing that there is", r)
		}
		if words[0] == "RULE-SET" && file.Providers[words[1]] == nil {
			return fmt.Errorf("rules: %q names no rule provider", r)
		}
	}
	return nil
}

func readSingBox(body []byte) error {
	var file struct {
		Outbounds []struct {
			Tag       string
			Outbounds []string
		}
		DNS struct {
			Servers []struct{ Tag string }
			Final   string
		}
		Route struct {
			Rules []struct{ Outbound string }
			Final string
		}
	}
	if err := json.Unmarshal(body, &file); err != nil {
		return err
	}
	known, servers := map[string]bool{"": true}, map[string]bool{"": true}
	for _, o := range file.Outbounds {
		if known[o.Tag] {
			return fmt.Errorf("outbounds: %q stands there twice", o.Tag)
		}
		known[o.Tag] = true
	}
	for _, s := range file.DNS.Servers {
		servers[s.Tag] = true
	}
	for _, r := range append(file.Route.Rules, struct{ Outbound string }{file.Route.Final}) {
		if !known[r.Outbound] {
			return fmt.Errorf("route: there is no outbound %q", r.Outbound)
		}
	}
	if !servers[file.DNS.Final] {
		return fmt.Errorf("dns: there is no server %q", file.DNS.Final)
	}
	return nil
}

func readXray(body []byte) error {
	var files []struct {
		Outbounds []struct{ Tag string }
		Routing   struct {
			Rules []struct{ OutboundTag string }
		}
	}
	if err := json.Unmarshal(body, &files); err != nil {
		return err
	}
	for _, f := range files {
		for _, r := range f.Routing.Rules {
			if !slices.ContainsFunc(f.Outbounds, func(o struct{ Tag string }) bool { return o.Tag == r.OutboundTag }) {
				return fmt.Errorf("routing: there is no outbound %q", r.OutboundTag)
			}
		}
	}
	return nil
}

// SampleSecret is what stands for a user's secret in files that staff looks at.
const SampleSecret = "00000000-0000-4000-8000-000000000000"

// Sample returns a node of each kind, with made-up secrets.
func Sample() []Proxy {
	const host, secret = "node.example.com", SampleSecret
	p := func(name, country string, protocol node.Protocol, transport, security string) Proxy {
		out := Proxy{
			Name: name, Country: country, Protocol: protocol, Address: host, Port: 443, Transport: transport,
			Security: security,
		}
		if security != "none" {
			out.ServerName = host
		}
		switch protocol {
		case node.VMess, node.VLESS:
			out.UUID = secret
		case node.TUIC:
			out.UUID, out.Password, out.Congestion = secret, secret, "bbr"
		default:
			out.Password = secret
		}
		return out
	}
	ss := p("香港 01", "HK", node.Shadowsocks, "tcp", "none")
	ss.Method = "aes-256-gcm"
	ws := p("日本 01", "JP", node.VMess, "ws", "tls")
	ws.Path, ws.Host = "/ws", host
	grpc := p("新加坡 01", "SG", node.Trojan, "grpc", "tls")
	grpc.ServiceName = "grpc"
	reality := p("美国 01", "US", node.VLESS, "tcp", "reality")
	reality.Flow, reality.ServerName = "xtls-rprx-vision", "www.example.com"
	reality.PublicKey, reality.ShortID = "jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0", "38e92059"
	return []Proxy{
		ss, ws, grpc, reality,
		p("德国 01", "DE", node.Hysteria2, "quic", "tls"), p("英国 01", "GB", node.TUIC, "quic", "tls"), p("法国 01", "FR",
			node.AnyTLS, "tcp", "tls"),
	}
}
