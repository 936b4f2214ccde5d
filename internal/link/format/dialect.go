package format

import (
	"slices"
	"strings"

	"airstrip/internal/node"
)

// Dialect is one form of the file: a format with what its readers support.
type Dialect string

// The dialects.
const (
	URI             Dialect = "uri"
	SIP002URI       Dialect = "uri-sip002"
	V2RayURI        Dialect = "uri-v2ray"
	TrojanURI       Dialect = "uri-trojan"
	ShadowrocketURI Dialect = "uri-shadowrocket"
	SSRURI          Dialect = "uri-ssr"
	SSDJSON         Dialect = "ssd"
	SIP008JSON      Dialect = "sip008"
	OutlineJSON     Dialect = "outline"
	ClashYAML       Dialect = "clash"
	ClashMetaYAML   Dialect = "clash-meta"
	StashYAML       Dialect = "stash"
	EgernYAML       Dialect = "egern"
	SingBoxJSON     Dialect = "sing-box"
	XrayJSON        Dialect = "xray"
	SurgeConf       Dialect = "surge"
	SurfboardConf   Dialect = "surfboard"
	LoonLines       Dialect = "loon"
	QuantumultLines Dialect = "quantumult"
	QuantumultXConf Dialect = "quantumultx"
	MellowConf      Dialect = "mellow"
)

const (
	plainText = "text/plain; charset=utf-8"
	yamlText  = "text/yaml; charset=utf-8"
	jsonText  = "application/json; charset=utf-8"
)

// plainHTTP is the protocol of notices in formats whose oldest readers support none of the nodes' protocols.
const plainHTTP node.Protocol = "http"

// dialect describes a Dialect. A new one is a file with its write function and a row of the table below.
type dialect struct {
	write         func(content) []byte
	media, suffix string
	notice        node.Protocol // Protocol of entries that only carry information: one that every reader accepts.
	single        bool          // The file holds one node, the first that the client supports.
	forbidden     string        // Characters that the format cannot express in values.
	wide          string        // Characters of names that its readers misinterpret, written in full width.
	insecure      bool          // Links with a pin also say insecure, for readers that do not know pins.
	reach         []reach
	can           []ability
}

// ability says that from this version on a client supports these kinds of proxy over these transports with these
// securities.
type ability struct {
	from                    Version
	kinds, over, securities []string
}

func can(from, kinds, over, securities string) ability {
	return ability{parseVersion(from), strings.Fields(kinds), strings.Fields(over), strings.Fields(securities)}
}

// reach says that over these transports a client reaches nodes with these kinds of path, besides the plain ones that
// all reach.
type reach struct{ over, paths []string }

func reaches(over, paths string) reach { return reach{strings.Fields(over), strings.Fields(paths)} }

// Characters that separate settings in the formats with one entry per line.
const (
	lineBars = `",|\`
	lineWide = `=",#;[]`
)

// dialects defines all formats: what is not listed here is left out of the file and counted. REALITY supports plain
// TCP, gRPC and XHTTP only. A client that can neither pin a certificate nor receive it gets no node that needs it:
// without the check anybody could impersonate the node. Odd paths are for clients that a test with the real program has
// shown to reach them. XHTTP in share links is limited to VLESS and Trojan, which clients parse alike: the authors of
// v2rayN and v2rayNG omit it from VMess.
var dialects = map[Dialect]dialect{
	URI: {write: uriList, media: plainText, suffix: "txt", insecure: true, notice: node.Shadowsocks, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls pinned"),
		can("", "vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc httpupgrade", "tls pinned"),
		can("", "vless", "xhttp", "none tls pinned reality"),
		can("", "trojan", "xhttp", "tls pinned reality"),
		can("", "hysteria2 salamander", "quic", "tls pinned"),
		can("", "tuic", "quic", "tls"),
		can("", "anytls", "tcp", "tls"),
	}},
	SIP002URI: {write: uriList, media: plainText, suffix: "txt", notice: node.Shadowsocks, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
	}},
	V2RayURI: {write: uriList, media: plainText, suffix: "txt", insecure: true, notice: node.VMess, can: []ability{
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls pinned"),
		can("", "vless", "tcp grpc", "reality"),
		can("", "vless", "xhttp", "none tls pinned reality"),
		can("", "vision", "tcp", "tls pinned reality"),
	}},
	TrojanURI: {write: uriList, media: plainText, suffix: "txt", insecure: true, notice: node.Trojan, can: []ability{
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("", "trojan", "tcp grpc", "reality"),
	}},
	ShadowrocketURI: {write: uriList, media: plainText, suffix: "txt", notice: node.Shadowsocks, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls"),
		can("", "vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls reality"),
		can("", "trojan", "tcp ws grpc", "tls"),
		can("", "vless", "xhttp", "none tls reality"),
		can("1993", "hysteria2 salamander", "quic", "tls"),
		can("", "tuic", "quic", "tls"),
		can("2592", "anytls", "tcp", "tls"),
	}},
	// ShadowsocksR supports none of the nodes' ciphers.
	SSRURI: {write: ssrList, media: plainText, suffix: "txt", notice: node.Shadowsocks},
	SSDJSON: {write: ssd, media: plainText, suffix: "txt", notice: node.Shadowsocks, can: []ability{
		can("", "ss", "tcp", "none"),
	}},
	SIP008JSON: {write: sip008, media: jsonText, suffix: "json", notice: node.Shadowsocks, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
	}},
	OutlineJSON: {
		write: outline, media: jsonText, suffix: "json", notice: node.Shadowsocks, single: true,
		can: []ability{
			can("", "ss", "tcp", "none"),
		},
	},
	ClashYAML: {write: clash, media: yamlText, suffix: "yaml", notice: node.Shadowsocks, can: []ability{
		can("", "ss", "tcp", "none"),
		can("", "vmess", "tcp ws", "none tls"),
		can("", "vmess", "grpc", "tls"),
		can("", "trojan", "tcp ws grpc", "tls"),
	}},
	ClashMetaYAML: {write: clash, media: yamlText, suffix: "yaml", notice: node.Shadowsocks, reach: []reach{
		reaches("ws httpupgrade", "marks"),
		reaches("grpc", "rooted"),
	}, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws httpupgrade", "none tls pinned"),
		can("", "vmess vless", "grpc", "tls pinned"),
		can("", "vmess vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc httpupgrade", "tls pinned"),
		can("1.19.22", "vless", "xhttp", "none tls pinned reality"),
		can("", "hysteria2 salamander tuic", "quic", "tls pinned"),
		can("1.19.3", "anytls", "tcp", "tls pinned"),
	}},
	StashYAML: {write: clash, media: yamlText, suffix: "yaml", notice: node.Shadowsocks, can: []ability{
		can("", "ss", "tcp", "none"),
		can("3.0.0", "ss2022", "tcp", "none"),
		can("", "vmess", "tcp ws", "none tls pinned"),
		can("", "vmess", "grpc", "tls pinned"),
		can("3.1.0", "vless", "tcp ws", "none tls pinned"),
		can("3.1.0", "vless", "grpc", "tls pinned"),
		can("3.1.0", "vless vision", "tcp", "reality"),
		can("3.1.0", "vision", "tcp", "tls pinned"),
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("2.5.0", "hysteria2 salamander", "quic", "tls pinned"),
		can("2.3.0", "tuic", "quic", "tls pinned"),
		can("3.3.0", "anytls", "tcp", "tls pinned"),
	}},
	EgernYAML: {write: egern, media: yamlText, suffix: "yaml", notice: node.Shadowsocks, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws", "none tls"),
		can("", "vmess vless", "grpc", "tls"),
		can("", "vless", "grpc", "reality"),
		can("", "vless vision trojan", "tcp", "reality"),
		can("", "vision", "tcp", "tls"),
		can("", "trojan", "tcp ws", "tls"),
		can("", "hysteria2 salamander tuic", "quic", "tls"),
		can("", "anytls", "tcp", "tls"),
	}},
	SingBoxJSON: {write: singBox, media: jsonText, suffix: "json", notice: node.Shadowsocks, reach: []reach{
		reaches("ws httpupgrade", "marks query fragment slashes"),
		reaches("grpc", "name"),
	}, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc", "none tls pinned"),
		can("1.8.0", "vmess vless", "httpupgrade", "none tls pinned"),
		can("", "vmess vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("1.8.0", "trojan", "httpupgrade", "tls pinned"),
		can("1.5.0", "hysteria2 salamander tuic", "quic", "tls pinned"),
		can("1.12.0", "anytls", "tcp", "tls pinned"),
	}},
	XrayJSON: {write: xray, media: jsonText, suffix: "json", notice: node.Shadowsocks, reach: []reach{
		reaches("ws", "marks slashes"),
		reaches("httpupgrade", "marks query fragment escape stray slashes"),
		reaches("grpc", "name rooted"),
	}, can: []ability{
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls pinned"),
		can("", "vmess vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc httpupgrade", "tls pinned"),
		can("", "vmess vless", "xhttp", "none tls pinned reality"),
		can("", "trojan", "xhttp", "tls pinned reality"),
		can("", "hysteria2 salamander", "quic", "tls pinned"),
	}},
	// Surge 2 supports Shadowsocks only through a module, a program of a third party.
	SurgeConf: {
		write: surge, media: plainText, suffix: "conf", notice: plainHTTP, forbidden: lineBars,
		wide: lineWide, can: []ability{
			can("3", "ss", "tcp", "none"),
			can("4", "vmess", "tcp ws", "none tls"),
			can("4", "trojan", "tcp ws", "tls"),
			can("5", "ss2022", "tcp", "none"),
			can("5", "vmess trojan", "tcp ws", "pinned"),
			can("5", "hysteria2 tuic", "quic", "tls pinned"),
			can("5.17", "anytls", "tcp", "tls pinned"),
			can("6", "salamander", "quic", "tls pinned"),
			can("6", "vless", "tcp ws", "none tls pinned"),
			can("6", "vless", "grpc", "tls pinned reality"),
			can("6", "vless vision", "tcp", "reality"),
			can("6", "vision", "tcp", "tls pinned"),
		},
	},
	SurfboardConf: {
		write: surge, media: plainText, suffix: "conf", notice: plainHTTP, forbidden: lineBars,
		wide: lineWide, can: []ability{
			can("", "ss ss2022", "tcp", "none"),
			can("", "vmess", "tcp ws", "none tls"),
			can("", "trojan", "tcp ws", "tls"),
			can("", "hysteria2 tuic", "quic", "tls"),
			can("", "anytls", "tcp", "tls"),
		},
	},
	LoonLines: {
		write: loon, media: plainText, suffix: "list", notice: node.Shadowsocks, forbidden: lineBars,
		wide: lineWide, can: []ability{
			can("", "ss ss2022", "tcp", "none"),
			can("", "vmess vless", "tcp ws", "none tls"),
			can("", "vless vision", "tcp", "reality"),
			can("", "vision", "tcp", "tls"),
			can("", "trojan", "tcp ws", "tls"),
			can("637", "hysteria2 salamander", "quic", "tls"),
			can("", "anytls", "tcp", "tls"),
		},
	},
	QuantumultLines: {
		write: quantumult, media: plainText, suffix: "txt", notice: node.Shadowsocks,
		forbidden: lineBars, wide: lineWide, can: []ability{
			can("", "ss", "tcp", "none"),
			can("", "vmess", "tcp ws", "none tls"),
		},
	},
	QuantumultXConf: {
		write: quantumultX, media: plainText, suffix: "list", notice: node.Shadowsocks,
		forbidden: lineBars, wide: lineWide, can: []ability{
			can("", "ss ss2022", "tcp", "none"),
			can("", "vmess vless", "tcp ws", "none tls"),
			can("", "vless vision", "tcp", "reality"),
			can("", "vision", "tcp", "tls"),
			can("", "trojan", "tcp ws", "tls"),
			can("", "anytls", "tcp", "tls"),
		},
	},
	MellowConf: {
		write: mellow, media: plainText, suffix: "conf", notice: node.Shadowsocks, forbidden: lineBars,
		wide: lineWide + ":", can: []ability{
			can("", "ss", "tcp", "none"),
			can("", "vmess", "tcp ws", "none tls"),
		},
	},
}

// speaks reports whether the client supports p. An unknown version counts as a recent one: every version in the table
// is older, or the client has a dialect of its own.
func (c Client) speaks(p *Proxy) bool {
	d, kind := dialects[c.Dialect], p.kind()
	if c.Dialect == SingBoxJSON && p.Security == "pinned" && p.Certificate == "" {
		return false // It needs the certificate itself, which only the node may have.
	}
	if p.Security == "pinned" && d.insecure && !c.Pins {
		return false
	}
	if !p.fits(d.forbidden) || !d.reaches(p) || c.lacks(kind) || c.lacks(p.Transport) {
		return false
	}
	for _, a := range d.can {
		if slices.Contains(a.kinds, kind) && slices.Contains(a.over, p.Transport) &&
			slices.Contains(a.securities, p.Security) &&
			(!c.Version.Known() || c.App || !c.Version.Before(a.from)) {
			return true
		}
	}
	return false
}

// lacks reports whether a client lacks a kind of proxy or a transport that others of its dialect support.
func (c Client) lacks(word string) bool { return slices.Contains(strings.Fields(c.Lacks), word) }

// reaches reports whether clients reach the path of p.
func (d dialect) reaches(p *Proxy) bool {
	kind := p.pathKind()
	return kind == "" || slices.ContainsFunc(d.reach, func(r reach) bool {
		return slices.Contains(r.over, p.Transport) && slices.Contains(r.paths, kind)
	})
}

// fits reports whether a format that cannot express the forbidden characters can contain p.
func (p *Proxy) fits(bars string) bool {
	if bars == "" {
		return true
	}
	for _, value := range []string{p.Password, p.Host, p.ServiceName, p.ServerName, p.ObfsPassword} {
		if strings.ContainsAny(value, bars) || strings.ContainsFunc(value,
			func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return false
		}
	}
	return true
}
