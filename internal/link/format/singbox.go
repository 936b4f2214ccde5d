package format

import (
	"strconv"
	"strings"

	"airstrip/internal/node"
)

// sing-box refuses a file with one key that it does not know, and no file suits the cores before and since 1.12, so each
// key here was tried on both: 1.12 brought DNS servers with types and the resolver for outbounds, and takes rule actions
// in place of the special outbounds that 1.11 still has.
var singBoxNew = Version{1, 12}

type singBoxConfig struct {
	Log       any   `json:"log,omitempty"`
	DNS       any   `json:"dns,omitempty"`
	Inbounds  []any `json:"inbounds,omitempty"`
	Outbounds []any `json:"outbounds"`
	Route     any   `json:"route,omitempty"`
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
	Certificate []string        `json:"certificate,omitempty"` // lines of PEM
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
	Host        string            `json:"host,omitempty"`    // of httpupgrade
	Headers     map[string]string `json:"headers,omitempty"` // of ws
	ServiceName string            `json:"service_name,omitempty"`
}

type singBoxGroup struct {
	Type      string   `json:"type"`
	Tag       string   `json:"tag"`
	Outbounds []string `json:"outbounds"`
	Default   string   `json:"default,omitempty"`
	URL       string   `json:"url,omitempty"`
	Interval  string   `json:"interval,omitempty"`
}

// object is a small part of a configuration; its keys are written in the order of the alphabet.
type object map[string]any

// singBox writes a whole configuration, or the outbounds alone where only the nodes are wanted.
func singBox(c content) []byte {
	old := c.Client.Version.Known() && c.Client.Version.Before(singBoxNew)
	var cfg singBoxConfig
	if !c.NodesOnly {
		cfg.Log = object{"level": "info", "timestamp": true}
		cfg.Outbounds = []any{
			singBoxGroup{Type: "selector", Tag: groupAll, Outbounds: c.choices(), Default: groupAuto},
			singBoxGroup{Type: "urltest", Tag: groupAuto, Outbounds: c.nodes(), URL: basic.Probe, Interval: strconv.Itoa(basic.Interval) + "s"},
			object{"type": "direct", "tag": groupDirect},
		}
		if old {
			singBoxOldRules(&cfg, c.Client.TUN)
		} else {
			singBoxRules(&cfg, c.Client.TUN)
		}
	}
	for i := range c.entries {
		cfg.Outbounds = append(cfg.Outbounds, singBoxEntry(&c.entries[i]))
	}
	return indented(cfg)
}

func singBoxRules(cfg *singBoxConfig, tun bool) {
	cfg.DNS = object{
		"servers": []object{
			{"type": "https", "tag": "remote", "server": basic.Remote, "detour": groupAll},
			{"type": "udp", "tag": "local", "server": basic.Resolvers[0]},
		},
		"rules":    []object{{"domain_suffix": basic.dotted(), "server": "local"}},
		"final":    "remote",
		"strategy": "prefer_ipv4",
	}
	cfg.Inbounds = []any{object{"type": "mixed", "tag": "mixed", "listen": "127.0.0.1", "listen_port": 2080}}
	route := object{
		"rules": []object{
			{"action": "sniff"},
			{"protocol": "dns", "action": "hijack-dns"},
			{"ip_is_private": true, "outbound": groupDirect},
			{"domain_suffix": basic.dotted(), "outbound": groupDirect},
		},
		"final":                   groupAll,
		"default_domain_resolver": "local",
	}
	if tun {
		cfg.Inbounds = append(cfg.Inbounds, singBoxTUN())
		route["auto_detect_interface"] = true
	}
	cfg.Route = route
}

func singBoxOldRules(cfg *singBoxConfig, tun bool) {
	cfg.DNS = object{
		"servers": []object{
			{"tag": "remote", "address": "https://" + basic.Remote + "/dns-query", "detour": groupAll},
			{"tag": "local", "address": basic.Resolvers[0], "detour": groupDirect},
		},
		"rules": []object{
			{"outbound": "any", "server": "local"},
			{"domain_suffix": basic.dotted(), "server": "local"},
		},
		"final":    "remote",
		"strategy": "prefer_ipv4",
	}
	cfg.Inbounds = []any{object{"type": "mixed", "tag": "mixed", "listen": "127.0.0.1", "listen_port": 2080, "sniff": true}}
	cfg.Outbounds = append(cfg.Outbounds, object{"type": "dns", "tag": "DNS"})
	route := object{
		"rules": []object{
			{"protocol": "dns", "outbound": "DNS"},
			{"ip_is_private": true, "outbound": groupDirect},
			{"domain_suffix": basic.dotted(), "outbound": groupDirect},
		},
		"final": groupAll,
	}
	if tun {
		device := singBoxTUN()
		device["sniff"] = true
		cfg.Inbounds = append(cfg.Inbounds, device)
		route["auto_detect_interface"] = true
	}
	cfg.Route = route
}

func singBoxTUN() object {
	return object{"type": "tun", "tag": "tun", "address": []string{"172.19.0.1/30", "fdfe:dcba:9876::1/126"}, "auto_route": true, "strict_route": true}
}

func singBoxEntry(p *Proxy) singBoxOutbound {
	e := singBoxOutbound{
		Type: string(p.Protocol), Tag: p.Name, Server: p.Address, Port: p.Port,
		UUID: p.UUID, Flow: p.Flow, Method: p.Method, Password: p.Password,
	}
	switch p.Protocol {
	case node.VMess:
		e.Security, e.PacketEncoding = "auto", "xudp"
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
	case "httpupgrade":
		e.Transport = &singBoxTransport{Type: "httpupgrade", Path: p.Path, Host: p.Host}
	case "grpc":
		e.Transport = &singBoxTransport{Type: "grpc", ServiceName: p.ServiceName}
	}
	return e
}

func singBoxSecurity(p *Proxy) *singBoxTLS {
	t := &singBoxTLS{Enabled: true, ServerName: p.ServerName, ALPN: p.ALPN}
	if p.Security == "reality" { // which sing-box does with uTLS only
		t.UTLS = &singBoxUTLS{true, "chrome"}
		t.Reality = &singBoxReality{true, p.PublicKey, p.ShortID}
	}
	if p.Security == "pinned" {
		t.Certificate = strings.Split(strings.TrimSpace(p.Certificate), "\n")
	}
	return t
}
