package format

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/node"
)

// sing-box refuses a file with a single unknown key, and no file suits the cores both before and since 1.12, so each
// key here was tested with both. 1.12 introduced DNS servers with types and the resolver for outbounds, and rule
// actions in place of the special outbounds of 1.11.
var singBoxNew = Version{1, 12}

type singBoxConfig struct {
	Log       any   `json:"log,omitempty"`
	DNS       any   `json:"dns,omitempty"`
	Inbounds  []any `json:"inbounds,omitempty"`
	Route     any   `json:"route,omitempty"`
	Outbounds []any `json:"outbounds"`
}

type singBoxOutbound struct {
	Type           string            `json:"type"`
	Tag            string            `json:"tag"`
	Server         string            `json:"server"`
	Port           int               `json:"server_port"`
	UUID           string            `json:"uuid,omitempty"`
	Security       string            `json:"security,omitempty"`
	Flow           string            `json:"flow,omitempty"`
	Method         string            `json:"method,omitempty"`
	Password       string            `json:"password,omitempty"`
	PacketEncoding string            `json:"packet_encoding,omitempty"`
	Obfs           *singBoxObfs      `json:"obfs,omitempty"`
	Congestion     string            `json:"congestion_control,omitempty"`
	UDPRelay       string            `json:"udp_relay_mode,omitempty"`
	ZeroRTT        bool              `json:"zero_rtt_handshake,omitempty"`
	TLS            *singBoxTLS       `json:"tls,omitempty"`
	Transport      *singBoxTransport `json:"transport,omitempty"`
}

type singBoxObfs struct {
	Type     string `json:"type"`
	Password string `json:"password"`
}

type singBoxTLS struct {
	Enabled     bool            `json:"enabled"`
	ServerName  string          `json:"server_name,omitempty"`
	ALPN        []string        `json:"alpn,omitempty"`
	Certificate []string        `json:"certificate,omitempty"` // Lines of PEM.
	UTLS        *singBoxUTLS    `json:"utls,omitempty"`
	Reality     *singBoxReality `json:"reality,omitempty"`
}

type singBoxUTLS struct {
	Enabled     bool   `json:"enabled"`
	Fingerprint string `json:"fingerprint"`
}

type singBoxReality struct {
	Enabled   bool   `json:"enabled"`
	PublicKey string `json:"public_key"`
	ShortID   string `json:"short_id,omitempty"`
}

type singBoxTransport struct {
	Type        string            `json:"type"`
	Path        string            `json:"path,omitempty"`
	Host        string            `json:"host,omitempty"`    // For httpupgrade.
	Headers     map[string]string `json:"headers,omitempty"` // For ws.
	ServiceName string            `json:"service_name,omitempty"`
	EarlyData   int               `json:"max_early_data,omitempty"`
	EarlyHeader string            `json:"early_data_header_name,omitempty"`
}

type singBoxGroup struct {
	Type      string   `json:"type"`
	Tag       string   `json:"tag"`
	Outbounds []string `json:"outbounds"`
	Default   string   `json:"default,omitempty"`
	URL       string   `json:"url,omitempty"`
	Interval  string   `json:"interval,omitempty"`
}

// object is a part of a configuration. Its keys are written in alphabetical order.
type object map[string]any

// singBoxDomainSuffixes is the version since which a suffix matches a name and its subdomains, not the end of any name.
var singBoxDomainSuffixes = Version{1, 9}

// singBox writes a complete configuration, or only the outbounds for nodes only.
func singBox(c content) []byte {
	var cfg singBoxConfig
	over := c.Template.SingBox
	if c.singBoxBefore(singBoxNew) {
		over = c.Template.OldBox
	}
	if !c.NodesOnly {
		cfg = c.singBoxAround()
	}
	for i := range c.entries {
		cfg.Outbounds = append(cfg.Outbounds, singBoxEntry(&c.entries[i]))
	}
	if c.NodesOnly || len(over) == 0 {
		return cfg.lines()
	}
	return indented(overlay(cfg, over))
}

// lines returns the configuration with a line for each outbound: to indent it takes longer than to encode it.
func (cfg singBoxConfig) lines() []byte {
	outbounds := lines(cfg.Outbounds)
	cfg.Outbounds = []any{} // the last part
	return slices.Concat(bytes.TrimSuffix(compact(cfg), []byte("[]}\n")), outbounds, []byte("}\n"))
}

// singBoxBefore reports whether the core is known to be older than v.
func (c content) singBoxBefore(v Version) bool {
	return c.Client.Version.Known() && c.Client.Version.Before(v)
}

// singBoxAround returns everything except the nodes.
func (c content) singBoxAround() (cfg singBoxConfig) {
	// No rule sets are fetched: a core that cannot fetch one on its first start does not start.
	routes, probe := c.Template.routes(nil), c.Template.Probe
	every := strconv.Itoa(probe.Seconds) + "s"
	cfg.Log = object{"level": "info", "timestamp": true}
	for _, g := range c.groups() {
		out := singBoxGroup{Type: "selector", Tag: g.name, Outbounds: g.members}
		switch {
		case g.auto:
			out.Type, out.URL, out.Interval = "urltest", probe.URL, every
		case g.name == groupAll:
			out.Default = groupAuto
		}
		cfg.Outbounds = append(cfg.Outbounds, out)
	}
	cfg.Outbounds = append(cfg.Outbounds, object{"type": "direct", "tag": groupDirect})
	if c.singBoxBefore(singBoxNew) {
		c.singBoxOldRules(&cfg, routes)
	} else {
		c.singBoxRules(&cfg, routes)
	}
	return cfg
}

func (c content) singBoxRules(cfg *singBoxConfig, routes []route) {
	dns := c.Template.DNS
	cfg.DNS = object{
		"servers": []object{
			{"type": "https", "tag": "remote", "server": dns.Remote, "detour": groupAll},
			{"type": "udp", "tag": "local", "server": dns.Near[0]},
		},
		"rules":    c.singBoxNames(routes, nil),
		"final":    "remote",
		"strategy": "prefer_ipv4",
	}
	cfg.Inbounds = []any{object{"type": "mixed", "tag": "mixed", "listen": "127.0.0.1", "listen_port": 2080}}
	rules := []object{
		{"action": "sniff"},
		{"protocol": "dns", "action": "hijack-dns"},
		{"ip_is_private": true, "outbound": groupDirect},
	}
	route := object{
		"rules":                   append(rules, c.singBoxRoutes(routes, object{"action": "reject"})...),
		"final":                   groupAll,
		"default_domain_resolver": "local",
	}
	if c.Client.TUN {
		cfg.Inbounds = append(cfg.Inbounds, singBoxTUN())
		route["auto_detect_interface"] = true
	}
	cfg.Route = route
}

func (c content) singBoxOldRules(cfg *singBoxConfig, routes []route) {
	dns := c.Template.DNS
	cfg.DNS = object{
		"servers": []object{
			{"tag": "remote", "address": "https://" + dns.Remote + "/dns-query", "detour": groupAll},
			{"tag": "local", "address": dns.Near[0], "detour": groupDirect},
		},
		"rules":    c.singBoxNames(routes, []object{{"outbound": "any", "server": "local"}}),
		"final":    "remote",
		"strategy": "prefer_ipv4",
	}
	cfg.Inbounds = []any{object{
		"type": "mixed", "tag": "mixed", "listen": "127.0.0.1", "listen_port": 2080,
		"sniff": true,
	}}
	cfg.Outbounds = append(cfg.Outbounds, object{"type": "dns", "tag": "DNS"},
		object{"type": "block", "tag": groupBlock})
	rules := []object{{"protocol": "dns", "outbound": "DNS"}, {"ip_is_private": true, "outbound": groupDirect}}
	route := object{
		"rules": append(rules, c.singBoxRoutes(routes, object{"outbound": groupBlock})...),
		"final": groupAll,
	}
	if c.Client.TUN {
		device := singBoxTUN()
		device["sniff"] = true
		cfg.Inbounds = append(cfg.Inbounds, device)
		route["auto_detect_interface"] = true
	}
	cfg.Route = route
}

// singBoxRoutes combines adjacent rules of one kind with the same target. block is how the format refuses.
func (c content) singBoxRoutes(routes []route, block object) (rules []object) {
	for _, run := range groupRoutes(routes) {
		rule := object{}
		if run[0].suffix != "" {
			c.singBoxSuffixes(rule, run)
		} else {
			rule["ip_cidr"] = values(run, func(r route) string { return r.network })
		}
		if run[0].to == groupBlock {
			maps.Copy(rule, block)
		} else {
			rule["outbound"] = run[0].to
		}
		rules = append(rules, rule)
	}
	return rules
}

// singBoxSuffixes makes a rule match the names of routes and their subdomains.
func (c content) singBoxSuffixes(rule object, routes []route) {
	rule["domain_suffix"] = values(routes, func(r route) string { return r.suffix })
	// In older cores cn also matches evilcn, and .cn does not match cn itself.
	if c.singBoxBefore(singBoxDomainSuffixes) {
		rule["domain"] = rule["domain_suffix"]
		rule["domain_suffix"] = values(routes, func(r route) string { return "." + r.suffix })
	}
}

func values(routes []route, of func(route) string) []string {
	out := make([]string, len(routes))
	for i, r := range routes {
		out[i] = of(r)
	}
	return out
}

// singBoxNames sends names that are reached directly to the near resolver, after the rules in before.
func (c content) singBoxNames(routes []route, before []object) []object {
	rules := append([]object{}, before...) // An empty list is written too.
	var near []route
	for _, r := range routes {
		if r.suffix != "" && r.to != groupBlock {
			near = append(near, r)
		}
	}
	for _, rule := range c.singBoxRoutes(near, nil) {
		server := "remote"
		if rule["outbound"] == groupDirect {
			server = "local"
		}
		delete(rule, "outbound")
		rule["server"] = server
		rules = append(rules, rule)
	}
	return rules
}

func singBoxTUN() object {
	return object{
		"type": "tun", "tag": "tun", "address": []string{"172.19.0.1/30", "fdfe:dcba:9876::1/126"},
		"auto_route": true, "strict_route": true,
	}
}

func singBoxEntry(p *Proxy) singBoxOutbound {
	e := singBoxOutbound{
		Type: string(p.Protocol), Tag: p.Name, Server: p.Address, Port: p.Port,
		UUID: p.UUID, Flow: p.Flow, Method: p.Method, Password: p.Password,
	}
	switch p.Protocol {
	case node.VMess:
		e.Security, e.PacketEncoding = vmessCipher, "xudp"
	case node.VLESS:
		e.PacketEncoding = "xudp"
	case node.Hysteria2:
		if p.Obfs != "" {
			e.Obfs = &singBoxObfs{p.Obfs, p.ObfsPassword}
		}
	case node.TUIC:
		e.Congestion, e.UDPRelay, e.ZeroRTT = p.Congestion, "native", p.ZeroRTT
	}
	if p.Security != "none" {
		e.TLS = singBoxSecurity(p)
	}
	switch p.Transport {
	case "ws":
		e.Transport = &singBoxTransport{Type: "ws", Path: p.Path}
		if p.Host != "" {
			e.Transport.Headers = map[string]string{"Host": p.Host}
		}
		if p.EarlyData > 0 {
			e.Transport.EarlyData, e.Transport.EarlyHeader = p.EarlyData, earlyDataHeader
		}
	case "httpupgrade":
		e.Transport = &singBoxTransport{Type: "httpupgrade", Path: p.Path, Host: p.Host}
	case "grpc":
		e.Transport = &singBoxTransport{Type: "grpc", ServiceName: p.ServiceName}
	}
	return e
}

func singBoxSecurity(p *Proxy) *singBoxTLS {
	t := &singBoxTLS{Enabled: true, ServerName: p.ServerName, ALPN: p.ALPN}
	if p.Security == "reality" { // sing-box supports it with uTLS only.
		t.UTLS = &singBoxUTLS{true, "chrome"}
		t.Reality = &singBoxReality{true, p.PublicKey, p.ShortID}
	}
	if p.Security == "pinned" {
		t.Certificate = strings.Split(strings.TrimSpace(p.Certificate), "\n")
	}
	return t
}
