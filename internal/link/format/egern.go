package format

import (
	"airstrip/internal/node"
)

// egernProxy is an entry of proxies. Its type determines its fields.
type egernProxy struct {
	Name         string                    `json:"name"`
	Server       string                    `json:"server"`
	Port         int                       `json:"port"`
	Method       string                    `json:"method,omitempty"`
	Security     string                    `json:"security,omitempty"`
	UserID       string                    `json:"user_id,omitempty"`
	UUID         string                    `json:"uuid,omitempty"`
	Password     string                    `json:"password,omitempty"`
	Auth         string                    `json:"auth,omitempty"`
	Flow         string                    `json:"flow,omitempty"`
	Obfs         string                    `json:"obfs,omitempty"`
	ObfsPassword string                    `json:"obfs_password,omitempty"`
	SNI          string                    `json:"sni,omitempty"`
	ALPN         []string                  `json:"alpn,omitempty"`
	UDPRelay     bool                      `json:"udp_relay,omitempty"`
	Reality      *egernReality             `json:"reality,omitempty"` // For trojan.
	Websocket    *egernWebsocket           `json:"websocket,omitempty"`
	Transport    map[string]egernTransport `json:"transport,omitempty"`
}

type egernWebsocket struct {
	Path string `json:"path"`
	Host string `json:"host,omitempty"`
}

type egernTransport struct {
	Path        string            `json:"path,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	ServiceName string            `json:"service_name,omitempty"`
	SNI         string            `json:"sni,omitempty"`
	Reality     *egernReality     `json:"reality,omitempty"`
}

type egernReality struct {
	PublicKey string `json:"public_key"`
	ShortID   string `json:"short_id"`
}

// egern writes a profile, or only its proxies for nodes only.
func egern(c content) []byte {
	y := yamlFile{over: c.Template.Egern}
	y.WriteString(c.leftOutComment("# "))
	proxies := make([]map[string]egernProxy, len(c.entries))
	for i := range c.entries {
		kind, entry := egernEntry(&c.entries[i])
		proxies[i] = map[string]egernProxy{kind: entry}
	}
	list(&y, "proxies", proxies)
	if c.NodesOnly {
		return y.Bytes()
	}
	if names := c.Template.DNS.realPatterns(); len(names) > 0 {
		list(&y, "real_ip_domains", names)
	}
	var groups []object
	for _, g := range c.groups() {
		if g.auto {
			groups = append(groups, object{"auto_test": object{
				"name": g.name, "policies": g.members,
				"interval": c.Template.Probe.Seconds,
			}})
		} else {
			groups = append(groups, object{"select": object{"name": g.name, "policies": g.members}})
		}
	}
	list(&y, "policy_groups", groups)
	var lines []object
	for _, r := range c.Template.routes(nil) {
		switch {
		case r.suffix != "":
			lines = append(lines, object{"domain_suffix": object{"match": r.suffix, "policy": r.to}})
		case v6(r.network):
			lines = append(lines, object{"ip_cidr6": object{"match": r.network, "policy": r.to, "no_resolve": true}})
		default:
			lines = append(lines, object{"ip_cidr": object{"match": r.network, "policy": r.to, "no_resolve": true}})
		}
	}
	list(&y, "rules", append(lines, object{"default": object{"policy": groupAll}}))
	y.writeRemaining()
	return y.Bytes()
}

func egernEntry(p *Proxy) (kind string, e egernProxy) {
	e = egernProxy{Name: p.Name, Server: p.Address, Port: p.Port, UDPRelay: true}
	switch p.Protocol {
	case node.Shadowsocks:
		e.Method, e.Password = p.Method, p.Password
		if p.Method == "chacha20-ietf-poly1305" {
			e.Method = "chacha20-poly1305"
		}
	case node.VMess, node.VLESS:
		e.UserID, e.Flow, e.Transport = p.UUID, p.Flow, egernTransports(p)
		if p.Protocol == node.VMess {
			e.Security = vmessCipher
		}
	case node.Hysteria2:
		e.Auth, e.Obfs, e.ObfsPassword, e.SNI = p.Password, p.Obfs, p.ObfsPassword, p.ServerName
	case node.TUIC:
		e.UUID, e.Password, e.SNI, e.ALPN = p.UUID, p.Password, p.ServerName, p.ALPN
	default:
		e.Password, e.SNI, e.Reality = p.Password, p.ServerName, egernKeys(p)
		if p.Transport == "ws" {
			e.Websocket = &egernWebsocket{p.Path, p.Host}
		}
	}
	return string(p.Protocol), e
}

// egernTransports returns the transport of VMess and VLESS, nil for plain TCP.
func egernTransports(p *Proxy) map[string]egernTransport {
	kind, t := "", egernTransport{SNI: p.ServerName}
	switch {
	case p.Transport == "ws":
		kind, t.Path = "ws", p.Path
		if p.secured() {
			kind = "wss"
		}
		if p.Host != "" {
			t.Headers = map[string]string{"Host": p.Host}
		}
	case p.Transport == "grpc":
		kind, t.ServiceName = "grpc", p.ServiceName
	case p.secured():
		kind = "tls"
	default:
		return nil
	}
	t.Reality = egernKeys(p)
	return map[string]egernTransport{kind: t}
}

// egernKeys returns the keys of REALITY, or nil.
func egernKeys(p *Proxy) *egernReality {
	if p.Security != "reality" {
		return nil
	}
	return &egernReality{p.PublicKey, p.ShortID}
}
