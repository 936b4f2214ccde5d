package format

import (
	"slices"
	"strings"
)

// ability is one row of the capability table: from this version on, the client takes these kinds of proxy over these
// transports with these securities.
type ability struct {
	from                    Version
	kinds, over, securities []string
}

func can(from, kinds, over, securities string) ability {
	return ability{parseVersion(from), strings.Fields(kinds), strings.Fields(over), strings.Fields(securities)}
}

// abilities is what each dialect's clients can speak; all formats are driven by it. What is not listed is left out of the
// file and counted. REALITY carries plain TCP and gRPC only. A client that can neither pin a certificate nor be given it
// gets no node that needs it: skipping the check would hand the user to anybody in between.
var abilities = map[Dialect][]ability{
	URI: {
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls pinned"),
		can("", "vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc httpupgrade", "tls pinned"),
		can("", "hysteria2", "quic", "tls pinned"),
	},
	SIP002URI: {
		can("", "ss ss2022", "tcp", "none"),
	},
	SIP008JSON: {
		can("", "ss ss2022", "tcp", "none"),
	},
	OutlineJSON: {
		can("", "ss", "tcp", "none"),
	},
	V2RayURI: {
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls pinned"),
		can("", "vless", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
	},
	TrojanURI: {
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("", "trojan", "tcp grpc", "reality"),
	},
	ShadowrocketURI: {
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc httpupgrade", "none tls pinned"),
		can("", "vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("1993", "hysteria2", "quic", "tls pinned"),
	},
	LoonURI: {
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws", "none tls"),
		can("", "vless vision", "tcp", "reality"),
		can("", "vision", "tcp", "tls"),
		can("", "trojan", "tcp ws", "tls"),
		can("637", "hysteria2", "quic", "tls"),
	},
	QuantumultXURI: {
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws", "none tls"),
		can("", "vless vision", "tcp", "reality"),
		can("", "trojan", "tcp ws", "tls"),
	},
	ClashYAML: {
		can("", "ss", "tcp", "none"),
		can("", "vmess", "tcp ws", "none tls"),
		can("", "vmess", "grpc", "tls"),
		can("", "trojan", "tcp ws grpc", "tls"),
	},
	ClashMetaYAML: {
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws httpupgrade", "none tls pinned"),
		can("", "vmess vless", "grpc", "tls pinned"),
		can("", "vmess vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc httpupgrade", "tls pinned"),
		can("", "hysteria2", "quic", "tls pinned"),
	},
	StashYAML: {
		can("", "ss", "tcp", "none"),
		can("3.0.0", "ss2022", "tcp", "none"),
		can("", "vmess", "tcp ws", "none tls pinned"),
		can("", "vmess", "grpc", "tls pinned"),
		can("3.1.0", "vless", "tcp ws", "none tls pinned"),
		can("3.1.0", "vless", "grpc", "tls pinned"),
		can("3.1.0", "vless vision", "tcp", "reality"),
		can("3.1.0", "vision", "tcp", "tls pinned"),
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("2.5.0", "hysteria2", "quic", "tls pinned"),
	},
	SingBoxJSON: {
		can("", "ss ss2022", "tcp", "none"),
		can("", "vmess vless", "tcp ws grpc", "none tls pinned"),
		can("1.8.0", "vmess vless", "httpupgrade", "none tls pinned"),
		can("", "vmess vless trojan", "tcp grpc", "reality"),
		can("", "vision", "tcp", "tls pinned reality"),
		can("", "trojan", "tcp ws grpc", "tls pinned"),
		can("1.8.0", "trojan", "httpupgrade", "tls pinned"),
		can("1.5.0", "hysteria2", "quic", "tls pinned"),
	},
}

// speaks tells whether a client of this dialect and version takes p. An unknown version is taken for a present one: every
// version in the table is years old.
func speaks(d Dialect, v Version, p *Proxy) bool {
	if d == SingBoxJSON && p.Security == "pinned" && p.Certificate == "" {
		return false // it is given the certificate itself, which only the node may have
	}
	kind := p.kind()
	for _, a := range abilities[d] {
		if slices.Contains(a.kinds, kind) && slices.Contains(a.over, p.Transport) && slices.Contains(a.securities, p.Security) &&
			(!v.Known() || !v.Before(a.from)) {
			return true
		}
	}
	return false
}
