package format

import (
	"airstrip/internal/node"
)

// xray writes an array with one configuration per node, as v2rayN, v2rayNG and Happ read it. For nodes only it is one
// configuration with outbounds alone.
func xray(c content) []byte {
	if c.NodesOnly {
		outbounds := make([]object, len(c.entries))
		for i := range c.entries {
			outbounds[i] = xrayOutbound(&c.entries[i], c.entries[i].Name)
		}
		return indented(object{"outbounds": outbounds})
	}
	configs := make([]any, len(c.entries))
	for i := range c.entries {
		p := &c.entries[i]
		var config any = xrayConfig{
			Remarks: p.Name, Log: object{"loglevel": "warning"}, DNS: c.xrayDNS(), Inbounds: xrayInbounds,
			Routing: c.xrayRouting(),
			Outbounds: []object{
				xrayOutbound(p, "proxy"),
				{"tag": "direct", "protocol": "freedom"},
				{"tag": "block", "protocol": "blackhole"},
			},
		}
		if len(c.Template.Xray) > 0 {
			config = overlay(config, c.Template.Xray)
		}
		configs[i] = config
	}
	return lines(configs)
}

type xrayConfig struct {
	Remarks   string   `json:"remarks"`
	Log       object   `json:"log"`
	DNS       object   `json:"dns"`
	Inbounds  []object `json:"inbounds"`
	Outbounds []object `json:"outbounds"`
	Routing   object   `json:"routing"`
}

var xrayInbounds = []object{
	{
		"tag": "socks", "listen": "127.0.0.1", "port": 10808, "protocol": "socks", "settings": object{"udp": true},
		"sniffing": object{"enabled": true, "destOverride": []string{"http", "tls", "quic"}},
	},
	{"tag": "http", "listen": "127.0.0.1", "port": 10809, "protocol": "http"},
}

func (c content) xrayDNS() object {
	near := object{"address": c.Template.DNS.Near[0], "domains": xrayDomains(c.Template.Direct.Suffixes)}
	return object{"servers": []any{near, "https://" + c.Template.DNS.Remote + "/dns-query"}}
}

// xrayRouting has no groups: their traffic goes through the one node of its configuration.
func (c content) xrayRouting() object {
	rules := []object{{"type": "field", "ip": []string{c.Template.DNS.Near[0]}, "outboundTag": "direct"}}
	for _, run := range groupRoutes(c.Template.routes(nil)) {
		kind, values := "ip", make([]string, len(run))
		for i, r := range run {
			values[i] = r.network
			if r.suffix != "" {
				kind, values[i] = "domain", "domain:"+r.suffix
			}
		}
		to := "proxy"
		switch run[0].to {
		case groupDirect:
			to = "direct"
		case groupBlock:
			to = "block"
		}
		rules = append(rules, object{"type": "field", kind: values, "outboundTag": to})
	}
	return object{"domainStrategy": "IPIfNonMatch", "rules": rules}
}

func xrayDomains(suffixes []string) []string {
	out := make([]string, len(suffixes))
	for i, suffix := range suffixes {
		out[i] = "domain:" + suffix
	}
	return out
}

func xrayOutbound(p *Proxy, tag string) object {
	out := object{"tag": tag, "protocol": string(p.Protocol)}
	stream := object{"network": p.Transport, "security": p.Security}
	server := object{"address": p.Address, "port": p.Port}
	switch p.Protocol {
	case node.Hysteria2:
		out["protocol"] = "hysteria"
		server["version"] = 2
		out["settings"] = server
		stream["network"] = "hysteria"
		stream["hysteriaSettings"] = object{"version": 2, "auth": p.Password}
		if p.Obfs != "" {
			stream["finalmask"] = object{"udp": []object{{
				"type":     p.Obfs,
				"settings": object{"password": p.ObfsPassword},
			}}}
		}
	case node.VMess, node.VLESS:
		user := object{"id": p.UUID, "security": vmessCipher}
		if p.Protocol == node.VLESS {
			user = object{"id": p.UUID, "encryption": "none"}
		}
		if p.Flow != "" {
			user["flow"] = p.Flow
		}
		server["users"] = []object{user}
		out["settings"] = object{"vnext": []object{server}}
	default:
		server["password"] = p.Password
		if p.Method != "" {
			server["method"] = p.Method
		}
		out["settings"] = object{"servers": []object{server}}
	}
	switch p.Transport {
	case "ws", "httpupgrade":
		settings := object{"path": p.xrayPath()}
		if p.Host != "" {
			settings["host"] = p.Host
		}
		stream[map[string]string{"ws": "wsSettings", "httpupgrade": "httpupgradeSettings"}[p.Transport]] = settings
	case "xhttp":
		settings := object{"path": p.Path, "mode": p.Mode}
		if p.Host != "" {
			settings["host"] = p.Host
		}
		stream["xhttpSettings"] = settings
	case "grpc":
		stream["grpcSettings"] = object{"serviceName": p.ServiceName}
	}
	xraySecurity(stream, p)
	out["streamSettings"] = stream
	return out
}

// xraySecurity adds the server's certificate or key. A certificate of its own is pinned. The former practice of
// skipping the check keeps newer cores from starting.
func xraySecurity(stream object, p *Proxy) {
	switch p.Security {
	case "reality":
		stream["realitySettings"] = object{
			"serverName": p.ServerName, "fingerprint": "chrome",
			"publicKey": p.PublicKey, "shortId": p.ShortID,
		}
	case "tls", "pinned":
		settings := object{"serverName": p.ServerName}
		if p.Transport != "quic" {
			settings["fingerprint"] = "chrome"
		}
		if len(p.ALPN) > 0 {
			settings["alpn"] = p.ALPN
		}
		if p.Pin != "" {
			settings["pinnedPeerCertSha256"], settings["verifyPeerCertByName"] = p.Pin, p.ServerName
		}
		stream["security"], stream["tlsSettings"] = "tls", settings
	}
}
