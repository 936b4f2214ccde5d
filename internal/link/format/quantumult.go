package format

import (
	"bytes"
	"encoding/base64"
	"strings"

	"airstrip/internal/node"
)

// quantumult writes the server list of the original Quantumult: share links, of which VMess contains one of its own
// lines.
func quantumult(c content) []byte {
	var b strings.Builder
	for i := range c.entries {
		p := &c.entries[i]
		if p.Protocol == node.VMess {
			b.WriteString("vmess://" + base64.RawURLEncoding.EncodeToString([]byte(quantumultLine(p, c.Title))) + "\n")
		} else {
			b.WriteString(ssURI(p, QuantumultLines) + "\n")
		}
	}
	return base64List(b.String())
}

func quantumultLine(p *Proxy, group string) string {
	l := line{comma: ", "}
	l.word(p.Name + " = vmess")
	l.word(p.Address)
	l.word(p.port())
	l.word(vmessCipher)
	l.quoted(p.UUID)
	l.set("group", fullWidth(clean(group), lineWide))
	if p.secured() {
		l.set("over-tls", "true")
		l.set("tls-host", p.ServerName)
		l.set("certificate", "1")
	}
	if p.Transport == "ws" {
		l.set("obfs", "ws")
		l.word(`obfs-path="` + urlPath(p.Path) + `"`)
		if p.Host != "" {
			l.word(`obfs-header="Host: ` + p.Host + `"`)
		}
	}
	return l.String()
}

// quantumultX writes the nodes as Quantumult X's lines. Rules and groups are in the app.
func quantumultX(c content) []byte {
	var b bytes.Buffer
	b.WriteString(c.leftOutComment("# "))
	for i := range c.entries {
		b.WriteString(quantumultXLine(&c.entries[i]) + "\n")
	}
	return b.Bytes()
}

func quantumultXLine(p *Proxy) string {
	l := line{comma: ", "}
	l.word(string(p.Protocol) + "=" + p.hostPort())
	switch p.Protocol {
	case node.Shadowsocks:
		l.set("method", p.Method)
		l.set("password", p.Password)
	case node.VMess:
		l.set("method", vmessCipher)
		l.set("password", p.UUID)
	case node.VLESS:
		l.set("method", "none")
		l.set("password", p.UUID)
	default:
		l.set("password", p.Password)
	}
	switch {
	case p.Transport == "ws" && p.secured():
		l.set("obfs", "wss")
	case p.Transport == "ws":
		l.set("obfs", "ws")
	case p.UUID != "" && p.secured():
		l.set("obfs", "over-tls")
	case p.secured():
		l.set("over-tls", "true")
	}
	if p.Transport == "ws" {
		l.set("obfs-host", p.Host)
		l.set("obfs-uri", urlPath(p.Path))
	}
	if p.secured() {
		if p.Security != "reality" {
			l.set("tls-verification", "true")
		}
		l.set("tls-host", p.ServerName)
	}
	l.set("vless-flow", p.Flow)
	l.set("reality-base64-pubkey", p.PublicKey)
	l.set("reality-hex-shortid", p.ShortID)
	l.set("udp-relay", "true")
	l.set("tag", p.Name)
	return l.String()
}
