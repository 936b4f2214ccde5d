// Package format renders a user's nodes as the files that proxy clients read. It recognises the client, knows what it
// supports, and has one file of code per format. A node that a client cannot use safely is left out and counted, since
// one bad entry makes many clients refuse the file. Rendering is a pure function: the same proxies and options give the
// same bytes.
package format

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"airstrip/internal/node"
)

// Proxy is a node as one user's client connects to it. It contains only what the client may know; the server's keys are
// never part of it.
type Proxy struct {
	Name     string
	Country  string // ISO 3166-1 alpha-2, ZZ if unknown.
	Protocol node.Protocol
	Address  string // Host name, IPv4, or IPv6 without brackets.
	Port     int

	UUID     string // For vmess, vless and tuic.
	Password string // For the others; for Shadowsocks 2022 "server key:user key".
	Method   string // For shadowsocks.

	Transport   string // tcp, ws, grpc, httpupgrade, xhttp; tcp for shadowsocks and anytls, quic for hysteria2 and tuic
	Path        string // For ws, httpupgrade and xhttp, as the server compares it.
	EarlyData   int    // Bytes that ws may carry in the request's header, as in Xray's ?ed=; 0 for none.
	Host        string
	Mode        string // For xhttp: auto, packet-up, stream-up, stream-one.
	ServiceName string

	Security    string // none, tls, pinned (tls with the node's own certificate), reality
	Flow        string
	ServerName  string
	ALPN        []string
	Pin         string // SHA-256 of the certificate in lower-case hex.
	Certificate string // PEM, if the server knows it.
	PublicKey   string // For REALITY.
	ShortID     string

	Obfs         string // For hysteria2.
	ObfsPassword string
	Congestion   string // For tuic.
	ZeroRTT      bool   // For tuic.
}

// keyBytes are the Shadowsocks ciphers that all clients support, with the key length of the 2022 edition. That edition
// supports several users on one port with AES only, so its ChaCha20 is missing.
var keyBytes = map[string]int{
	"aes-128-gcm": 0, "aes-256-gcm": 0, "chacha20-ietf-poly1305": 0,
	"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32,
}

// vmessCipher is the cipher in every link. With auto, sing-box and clients with its core use none under TLS, which the
// sing-box core of third-party agents refuses.
const vmessCipher = "aes-128-gcm"

var hostName = regexp.MustCompile(`^(?i)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// NewProxy returns the node n as the user with this secret connects to it. The error says why no client could use the
// node: one bad node makes many clients refuse the whole file, so it is left out.
func NewProxy(n node.Node, secret string) (Proxy, error) {
	s := n.Settings
	p := Proxy{
		Name: n.Name, Country: n.Country, Protocol: n.Protocol, Address: strings.Trim(n.Address, "[]"), Port: n.Port,
		Transport: s.Transport, Path: s.Path, Host: s.Host, ServiceName: s.ServiceName, Security: s.Security,
		Flow: s.Flow,
		Obfs: s.Obfs, ObfsPassword: s.ObfsPassword, Congestion: s.Congestion, ZeroRTT: s.ZeroRTT,
	}
	if _, err := netip.ParseAddr(p.Address); err != nil && !hostName.MatchString(p.Address) {
		return p, errors.New("the address is neither a host name nor an IP")
	}
	if p.Port < 1 || p.Port > 65535 {
		return p, errors.New("the port is not between 1 and 65535")
	}
	var err error
	switch p.Protocol {
	case node.Shadowsocks:
		p.Transport, p.Security = "tcp", "none"
		p.Method = s.Method
		p.Password, err = shadowsocksPassword(s, secret)
	case node.Hysteria2:
		p.Transport, p.Security, p.Flow, p.Password = "quic", "tls", "", secret
	case node.TUIC:
		p.Transport, p.Security, p.Flow, p.Password = "quic", "tls", "", secret
		p.UUID, err = userID(secret)
	case node.AnyTLS:
		p.Transport, p.Security, p.Flow, p.Password = "tcp", "tls", "", secret
	case node.Trojan:
		p.Flow, p.Password = "", secret
	case node.VMess, node.VLESS:
		p.UUID, err = userID(secret)
	default:
		err = fmt.Errorf("no client is known to speak %q", p.Protocol)
	}
	if err == nil && secret == "" {
		err = errors.New("the user has no secret for it")
	}
	if err != nil {
		return p, err
	}
	if err := p.transport(s); err != nil {
		return p, err
	}
	return p, p.security(s)
}

func userID(secret string) (string, error) {
	id, err := uuid.Parse(secret)
	return id.String(), err
}

func shadowsocksPassword(s node.Settings, secret string) (string, error) {
	size, known := keyBytes[s.Method]
	if !known {
		return "", fmt.Errorf("no client is known to speak the method %q", s.Method)
	}
	if size == 0 {
		return secret, nil
	}
	for _, key := range []string{s.ServerKey, secret} {
		if b, err := base64.StdEncoding.DecodeString(key); err != nil || len(b) != size {
			return "", fmt.Errorf("%s needs keys of %d bytes in base64", s.Method, size)
		}
	}
	return s.ServerKey + ":" + secret, nil
}

func (p *Proxy) transport(s node.Settings) error {
	switch p.Transport {
	case "":
		p.Transport = "tcp"
	case "tcp", "quic":
	case "ws", "httpupgrade":
		p.Path, p.EarlyData = splitPath(p.Path)
		if p.Transport == "httpupgrade" {
			p.EarlyData = 0 // Other clients do not support it here, and the server does not require it.
		}
	case "xhttp":
		return p.xhttp(s)
	case "grpc":
		if p.ServiceName == "" {
			return errors.New("grpc needs a service name")
		}
	default:
		return fmt.Errorf("no client is known to speak the transport %q", p.Transport)
	}
	if p.Obfs != "" && (p.Obfs != "salamander" || p.ObfsPassword == "") {
		return errors.New("the obfuscation must be salamander with a password")
	}
	return nil
}

// xhttp leaves the mode to the client if the node names none.
func (p *Proxy) xhttp(s node.Settings) error {
	switch p.Mode = cmp.Or(s.XHTTPMode, "auto"); p.Mode {
	case "auto", "packet-up", "stream-up", "stream-one":
	default:
		return fmt.Errorf("no client is known to speak the mode %q of xhttp", p.Mode)
	}
	if !strings.HasPrefix(p.Path, "/") {
		p.Path = "/" + p.Path
	}
	return nil
}

func (p *Proxy) security(s node.Settings) error {
	switch p.Security {
	case "", "none":
		p.Security = "none"
	case "tls":
		p.tls(s.TLS)
	case "reality":
		if err := p.reality(s.Reality); err != nil {
			return err
		}
	default:
		return fmt.Errorf("no client is known to speak the security %q", p.Security)
	}
	if p.Flow != "" && (p.Flow != "xtls-rprx-vision" || p.Protocol != node.VLESS || p.Transport != "tcp" ||
		p.Security == "none") {
		return errors.New("the flow must be xtls-rprx-vision, on VLESS over tcp with tls or reality")
	}
	if raw, err := hex.DecodeString(p.Pin); err != nil || (p.Pin != "" && len(raw) != 32) {
		return errors.New("the pin is not a SHA-256 in hex")
	}
	return nil
}

func (p *Proxy) tls(t *node.TLS) {
	if t == nil {
		t = &node.TLS{}
	}
	p.ServerName = t.ServerName
	if _, err := netip.ParseAddr(p.Address); p.ServerName == "" && err != nil {
		p.ServerName = p.Address
	}
	for _, proto := range t.ALPN {
		if p.Transport == "ws" || p.Transport == "httpupgrade" {
			proto = "http/1.1" // HTTP/2 has no connection upgrade.
		}
		if len(p.ALPN) == 0 || p.ALPN[len(p.ALPN)-1] != proto {
			p.ALPN = append(p.ALPN, proto)
		}
	}
	if p.Protocol == node.TUIC && len(p.ALPN) == 0 {
		p.ALPN = []string{"h3"}
	}
	if t.Pin != "" {
		p.Security, p.Pin = "pinned", strings.ToLower(strings.ReplaceAll(t.Pin, ":", ""))
		p.Certificate = pinnedCertificate(t.Certificate, p.Pin)
	}
}

// pinnedCertificate returns the certificate in text that has this pin, as PEM.
func pinnedCertificate(text, pin string) string {
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if sum := sha256.Sum256(block.Bytes); hex.EncodeToString(sum[:]) == pin {
			return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes}))
		}
	}
	return ""
}

func (p *Proxy) reality(r *node.Reality) error {
	if r == nil || len(r.ServerNames) == 0 || r.ServerNames[0] == "" {
		return errors.New("REALITY needs a server name")
	}
	if key, err := base64.RawURLEncoding.DecodeString(r.PublicKey); err != nil || len(key) != 32 {
		return errors.New("the REALITY public key is not 32 bytes in base64url")
	}
	if len(r.ShortIDs) > 0 {
		p.ShortID = r.ShortIDs[0]
	}
	if _, err := hex.DecodeString(p.ShortID); err != nil || len(p.ShortID) > 16 {
		return errors.New("the REALITY short id is not an even number of at most 16 hex digits")
	}
	p.ServerName, p.PublicKey = r.ServerNames[0], r.PublicKey
	return nil
}

// kind returns the protocol, with the variants that some clients lack, as the capability table names them.
func (p *Proxy) kind() string {
	switch {
	case p.Protocol == node.Shadowsocks && strings.HasPrefix(p.Method, "2022-"):
		return "ss2022"
	case p.Protocol == node.Shadowsocks:
		return "ss"
	case p.Flow != "":
		return "vision"
	case p.Obfs != "":
		return "salamander"
	}
	return string(p.Protocol)
}
