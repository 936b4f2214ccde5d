package format

import (
	"bytes"
	"strconv"

	"airstrip/internal/node"
)

// loon writes the nodes as Loon's lines. Rules and groups are in the app.
func loon(c content) []byte {
	var b bytes.Buffer
	b.WriteString(c.leftOutComment("# "))
	for i := range c.entries {
		b.WriteString(loonLine(&c.entries[i]) + "\n")
	}
	return b.Bytes()
}

var loonTypes = map[node.Protocol]string{
	node.Shadowsocks: "Shadowsocks", node.VMess: "vmess", node.VLESS: "VLESS", node.Trojan: "trojan",
	node.Hysteria2: "Hysteria2", node.AnyTLS: "anytls",
}

func loonLine(p *Proxy) string {
	l := line{comma: ","}
	l.word(p.Name + " = " + loonTypes[p.Protocol])
	l.word(p.Address)
	l.word(p.port())
	switch p.Protocol {
	case node.Shadowsocks:
		l.word(p.Method)
		l.quoted(p.Password)
	case node.VMess:
		l.word(vmessCipher)
		l.quoted(p.UUID)
		l.set("alterId", "0")
	case node.VLESS:
		l.quoted(p.UUID)
		l.set("flow", p.Flow)
	default:
		l.quoted(p.Password)
		l.secret("salamander-password", p.ObfsPassword)
	}
	switch {
	case p.Transport == "ws":
		l.set("transport", "ws")
		l.set("path", urlPath(p.Path))
		l.set("host", p.Host)
	case p.UUID != "":
		l.set("transport", "tcp")
	}
	if p.UUID != "" { // The other protocols always or never use TLS.
		l.set("over-tls", strconv.FormatBool(p.secured()))
	}
	if p.secured() {
		l.set("sni", p.ServerName)
		// REALITY identifies its server by a key instead.
		l.set("skip-cert-verify", strconv.FormatBool(p.Security == "reality"))
	}
	if p.Security == "reality" {
		l.word(`public-key="` + p.PublicKey + `"`)
		l.set("short-id", p.ShortID)
	}
	l.set("udp", "true")
	return l.String()
}
