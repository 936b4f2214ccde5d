package format

import (
	"strings"

	"airstrip/internal/node"
)

// clashProxy is an entry of proxies in Clash, mihomo and Stash. Each reads the keys that it knows.
type clashProxy struct {
	Name              string            `json:"name"`
	Type              string            `json:"type"`
	Server            string            `json:"server"`
	Port              int               `json:"port"`
	Version           int               `json:"version,omitempty"` // For tuic in Stash.
	UUID              string            `json:"uuid,omitempty"`
	AlterID           *int              `json:"alterId,omitempty"`
	Cipher            string            `json:"cipher,omitempty"`
	Password          string            `json:"password,omitempty"`
	Auth              string            `json:"auth,omitempty"` // Stash's name for the password of hysteria2.
	UDP               bool              `json:"udp"`
	Flow              string            `json:"flow,omitempty"`
	PacketEncoding    string            `json:"packet-encoding,omitempty"`
	Encryption        *string           `json:"encryption,omitempty"`
	Network           string            `json:"network,omitempty"`
	TLS               bool              `json:"tls,omitempty"`
	ServerName        string            `json:"servername,omitempty"`
	SNI               string            `json:"sni,omitempty"`
	ALPN              []string          `json:"alpn,omitempty"`
	Fingerprint       string            `json:"fingerprint,omitempty"` // Of the certificate.
	StashFingerprint  string            `json:"server-cert-fingerprint,omitempty"`
	ClientFingerprint string            `json:"client-fingerprint,omitempty"`
	Reality           *clashReality     `json:"reality-opts,omitempty"`
	WS                *clashWS          `json:"ws-opts,omitempty"`
	GRPC              map[string]string `json:"grpc-opts,omitempty"`
	XHTTP             *clashXHTTP       `json:"xhttp-opts,omitempty"`
	Obfs              string            `json:"obfs,omitempty"`
	ObfsPassword      string            `json:"obfs-password,omitempty"`
	Congestion        string            `json:"congestion-controller,omitempty"`
	UDPRelay          string            `json:"udp-relay-mode,omitempty"`
	ReduceRTT         bool              `json:"reduce-rtt,omitempty"`
}

type clashReality struct {
	PublicKey string `json:"public-key"`
	ShortID   string `json:"short-id"`
}

type clashWS struct {
	Path        string            `json:"path"`
	Headers     map[string]string `json:"headers,omitempty"`
	EarlyData   int               `json:"max-early-data,omitempty"`
	EarlyHeader string            `json:"early-data-header-name,omitempty"`
	HTTPUpgrade bool              `json:"v2ray-http-upgrade,omitempty"`
}

type clashXHTTP struct {
	Path string `json:"path"`
	Host string `json:"host,omitempty"`
	Mode string `json:"mode"`
}

type clashGroup struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	URL      string   `json:"url,omitempty"`
	Interval int      `json:"interval,omitempty"`
	Proxies  []string `json:"proxies"`
}

type clashDNS struct {
	Enable            bool     `json:"enable"`
	IPv6              bool     `json:"ipv6"`
	EnhancedMode      string   `json:"enhanced-mode"`
	FakeIPRange       string   `json:"fake-ip-range"`
	FakeIPFilter      []string `json:"fake-ip-filter"`
	DefaultNameserver []string `json:"default-nameserver"`
	Nameserver        []string `json:"nameserver"`
}

// clash writes a complete profile, or a provider file for nodes only.
func clash(c content) []byte {
	y := yamlFile{over: c.Template.Clash}
	if c.Client.Dialect == StashYAML {
		y.over = c.Template.Stash
	}
	y.WriteString(c.leftOutComment("# "))
	proxies := make([]clashProxy, len(c.entries))
	for i := range c.entries {
		proxies[i] = clashEntry(&c.entries[i], c.Client.Dialect)
	}
	if c.NodesOnly {
		list(&y, "proxies", proxies)
		return y.Bytes()
	}
	y.value("mixed-port", 7890)
	y.value("allow-lan", false)
	y.value("mode", "rule")
	y.value("log-level", "info")
	if c.Client.Dialect == ClashMetaYAML {
		y.value("unified-delay", true)
		y.value("tcp-concurrent", true)
	}
	y.value("dns", clashDNS{
		Enable: true, EnhancedMode: "fake-ip", FakeIPRange: "198.18.0.1/16", FakeIPFilter: c.Template.DNS.Real,
		DefaultNameserver: c.Template.DNS.Near, Nameserver: c.Template.DNS.Secure,
	})
	list(&y, "proxies", proxies)
	probe := c.Template.Probe
	var groups []clashGroup
	for _, g := range c.groups() {
		if g.auto {
			groups = append(groups, clashGroup{
				Name: g.name, Type: "url-test", URL: probe.URL,
				Interval: probe.Seconds, Proxies: g.members,
			})
		} else {
			groups = append(groups, clashGroup{Name: g.name, Type: "select", Proxies: g.members})
		}
	}
	list(&y, "proxy-groups", groups)
	var files []ruleFile
	if c.Client.Dialect != ClashYAML { // The original Clash has no rule providers.
		files = clashFiles
	}
	routes := c.Template.routes(files)
	if providers := c.clashProviders(routes); len(providers) > 0 {
		y.value("rule-providers", providers)
	}
	list(&y, "rules", clashRules(routes, "MATCH"))
	y.writeRemaining()
	return y.Bytes()
}

// clashFiles are the lists of Loyalsoldier/clash-rules that this format uses.
var clashFiles = []ruleFile{
	{"ads", "Loyalsoldier/clash-rules", "release", "reject.txt", true, groupBlock},
	{"direct", "Loyalsoldier/clash-rules", "release", "direct.txt", true, groupDirect},
	{"cn-ip", "Loyalsoldier/clash-rules", "release", "cncidr.txt", false, groupDirect},
}

type clashProvider struct {
	Type     string `json:"type"`
	Behavior string `json:"behavior"`
	URL      string `json:"url"`
	Path     string `json:"path"`
	Interval int    `json:"interval"`
	Proxy    string `json:"proxy,omitempty"` // For mihomo: the list may be reachable only through a node.
}

func (c content) clashProviders(routes []route) map[string]clashProvider {
	out := map[string]clashProvider{}
	for _, r := range routes {
		if r.file == nil {
			continue
		}
		p := clashProvider{
			Type: "http", Behavior: "ipcidr", URL: r.file.address(c.Template.Files),
			Path: "./ruleset/" + r.file.name + ".yaml", Interval: 86400,
		}
		if r.file.domains {
			p.Behavior = "domain"
		}
		if c.Client.Dialect == ClashMetaYAML {
			p.Proxy = groupAll
		}
		out[r.file.name] = p
	}
	return out
}

// clashRules are rules in the syntax of Clash, which Surge and similar clients share. last is the target of everything
// else.
func clashRules(routes []route, last string) []string {
	var out []string
	for _, r := range routes {
		out = append(out, r.clashRule())
	}
	return append(out, last+","+groupAll)
}

func (r route) clashRule() string {
	switch {
	case r.file != nil:
		return "RULE-SET," + r.file.name + "," + r.to
	case r.suffix != "":
		return "DOMAIN-SUFFIX," + r.suffix + "," + r.to
	case v6(r.network):
		return "IP-CIDR6," + r.network + "," + r.to + ",no-resolve"
	}
	return "IP-CIDR," + r.network + "," + r.to + ",no-resolve"
}

func clashEntry(p *Proxy, d Dialect) clashProxy {
	e := clashProxy{Name: p.Name, Server: p.Address, Port: p.Port, UDP: true}
	switch p.Protocol {
	case node.Shadowsocks:
		e.Type, e.Cipher, e.Password = "ss", p.Method, p.Password
		return e
	case node.VMess:
		e.Type, e.UUID, e.AlterID, e.Cipher, e.ServerName, e.TLS = "vmess", p.UUID, new(int), vmessCipher, p.ServerName,
			p.Security != "none"
	case node.VLESS:
		e.Type, e.UUID, e.Flow, e.ServerName, e.TLS = "vless", p.UUID, p.Flow, p.ServerName, p.Security != "none"
		e.Encryption, e.PacketEncoding = new(string), "xudp"
	case node.Trojan:
		e.Type, e.Password, e.SNI = "trojan", p.Password, p.ServerName
	case node.Hysteria2:
		e.Type, e.Password, e.SNI, e.Obfs, e.ObfsPassword = "hysteria2", p.Password, p.ServerName, p.Obfs,
			p.ObfsPassword
		if d == StashYAML {
			e.Auth, e.Password = p.Password, ""
		}
	case node.TUIC:
		e.Type, e.UUID, e.Password, e.SNI, e.Congestion, e.UDPRelay, e.ReduceRTT = "tuic", p.UUID, p.Password,
			p.ServerName, p.Congestion, "native", p.ZeroRTT
		if d == StashYAML {
			e.Version = 5
		}
	case node.AnyTLS:
		e.Type, e.Password, e.SNI = "anytls", p.Password, p.ServerName
	}
	clashTLS(&e, p, d)
	clashTransport(&e, p)
	return e
}

func clashTLS(e *clashProxy, p *Proxy, d Dialect) {
	if p.Security == "none" {
		return
	}
	e.ALPN = p.ALPN
	if p.Transport != "quic" && d == ClashMetaYAML {
		e.ClientFingerprint = "chrome"
	}
	if p.Security == "reality" {
		e.Reality = &clashReality{p.PublicKey, p.ShortID}
	}
	if p.Pin != "" && d == StashYAML {
		e.StashFingerprint = colons(p.Pin)
	} else if p.Pin != "" {
		e.Fingerprint = colons(p.Pin)
	}
}

func clashTransport(e *clashProxy, p *Proxy) {
	switch p.Transport {
	case "ws", "httpupgrade":
		e.Network, e.WS = "ws", &clashWS{Path: p.Path, HTTPUpgrade: p.Transport == "httpupgrade"}
		if p.Host != "" {
			e.WS.Headers = map[string]string{"Host": p.Host}
		}
		if p.EarlyData > 0 {
			e.WS.EarlyData, e.WS.EarlyHeader = p.EarlyData, earlyDataHeader
		}
	case "xhttp":
		e.Network, e.XHTTP = "xhttp", &clashXHTTP{Path: p.Path, Host: p.Host, Mode: p.Mode}
	case "grpc":
		e.Network, e.GRPC = "grpc", map[string]string{"grpc-service-name": p.ServiceName}
	case "tcp":
		if p.UUID != "" {
			e.Network = "tcp"
		}
	}
}

// colons formats a fingerprint as AA:BB:…
func colons(pin string) string {
	var b strings.Builder
	for i := 0; i < len(pin); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(strings.ToUpper(pin[i : i+2]))
	}
	return b.String()
}
