package format

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"airstrip/internal/node"
)

// surge writes a profile of Surge or of Surfboard, which has the same lines except a few, or only the lines of the
// nodes for nodes only.
func surge(c content) []byte {
	var b bytes.Buffer
	probe := strings.Replace(c.Template.Probe.URL, "https:", "http:", 1) // A TLS handshake would count as latency.
	if c.NodesOnly {
		b.WriteString(c.leftOutComment("# "))
		c.surgeProxies(&b)
		return b.Bytes()
	}
	if c.URL != "" { // A refreshed file without this first line would not be refreshed again.
		fmt.Fprintf(&b, "#!MANAGED-CONFIG %s interval=%d strict=false\n", c.URL, c.Hours*3600)
	}
	b.WriteString(c.leftOutComment("# "))
	b.WriteString("[General]\nloglevel = notify\n")
	fmt.Fprintf(&b, "dns-server = system, %s\n", strings.Join(c.Template.DNS.Near, ", "))
	b.WriteString("skip-proxy = localhost, *.local, " + strings.Join(c.Template.Direct.Networks, ", ") + "\n")
	if c.Client.Dialect == SurfboardConf || !c.Client.Version.Before(Version{3}) {
		b.WriteString("proxy-test-url = " + probe + "\n")
		if names := c.Template.DNS.realPatterns(); len(names) > 0 {
			b.WriteString("always-real-ip = " + strings.Join(names, ", ") + "\n")
		}
	}
	b.WriteString("\n[Proxy]\n")
	c.surgeProxies(&b)
	b.WriteString("\n[Proxy Group]\n")
	for _, g := range c.groups() {
		if g.auto {
			fmt.Fprintf(&b, "%s = url-test, %s, url=%s, interval=%d\n", g.name, strings.Join(g.members, ", "), probe,
				c.Template.Probe.Seconds)
		} else {
			fmt.Fprintf(&b, "%s = select, %s\n", g.name, strings.Join(g.members, ", "))
		}
	}
	b.WriteString("\n[Rule]\n")
	for _, r := range c.Template.routes(surgeFiles) {
		if r.file == nil {
			b.WriteString(r.clashRule() + "\n")
			continue
		}
		kind := "RULE-SET,"
		if r.file.domains {
			kind = "DOMAIN-SET,"
		}
		b.WriteString(kind + r.file.address(c.Template.Files) + "," + r.to + "\n")
	}
	b.WriteString("FINAL," + groupAll + "\n")
	return b.Bytes()
}

// surgeFiles are the lists of Loyalsoldier/surge-rules that this format uses.
var surgeFiles = []ruleFile{
	{"ads", "Loyalsoldier/surge-rules", "release", "reject.txt", true, groupBlock},
	{"direct", "Loyalsoldier/surge-rules", "release", "direct.txt", true, groupDirect},
	{"cn-ip", "Loyalsoldier/surge-rules", "release", "cncidr.txt", false, groupDirect},
}

func (c content) surgeProxies(b *bytes.Buffer) {
	for i := range c.entries {
		b.WriteString(surgeLine(&c.entries[i]) + "\n")
	}
}

var surgeTypes = map[node.Protocol]string{
	plainHTTP: "http", node.Shadowsocks: "ss", node.VMess: "vmess", node.VLESS: "vless", node.Trojan: "trojan",
	node.Hysteria2: "hysteria2", node.TUIC: "tuic-v5", node.AnyTLS: "anytls",
}

func surgeLine(p *Proxy) string {
	l := line{comma: ", "}
	l.word(p.Name + " = " + surgeTypes[p.Protocol])
	l.word(p.Address)
	l.word(p.port())
	switch p.Protocol {
	case plainHTTP:
		return l.String()
	case node.Shadowsocks:
		l.set("encrypt-method", p.Method)
		l.secret("password", p.Password)
		l.set("udp-relay", "true")
		return l.String()
	case node.VMess:
		l.set("username", p.UUID)
		l.set("vmess-aead", "true") // Otherwise it uses the legacy handshake.
		l.set("tls", strconv.FormatBool(p.secured()))
	case node.VLESS:
		l.set("username", p.UUID)
		l.set("flow", p.Flow)
		if p.Security != "reality" {
			l.set("tls", strconv.FormatBool(p.secured()))
		}
	case node.TUIC:
		l.set("uuid", p.UUID)
		l.secret("password", p.Password)
		l.secret("alpn", strings.Join(p.ALPN, "; "))
	default:
		l.secret("password", p.Password)
		l.secret("salamander-password", p.ObfsPassword)
	}
	switch p.Transport {
	case "ws":
		l.set("ws", "true")
		l.set("ws-path", urlPath(p.Path))
		if p.Host != "" {
			l.set("ws-headers", "Host:"+p.Host)
		}
	case "grpc":
		l.set("grpc", "true")
		l.secret("grpc-service-name", p.ServiceName)
	}
	if p.secured() {
		l.set("sni", p.ServerName)
		l.set("server-cert-fingerprint-sha256", p.Pin)
		l.set("reality-public-key", p.PublicKey)
		l.set("reality-short-id", p.ShortID)
	}
	return l.String()
}
