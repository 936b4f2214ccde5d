// Package xraytest provides real clients for a node, and servers for them to connect to, all on loopback. A Setup
// describes one way to serve a node and how xray's client connects to it; Setups lists those of all protocols. Ports
// are reserved per process, so that packages can be tested in parallel.
package xraytest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/xtls/xray-core/app/dispatcher"
	xraynet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/serial"
	"github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"
	"golang.org/x/crypto/curve25519"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine/xray"
)

// Object is a piece of xray's JSON configuration.
type Object = map[string]any

// User returns a user with the ID and secrets derived from it.
func User(id int64) api.User {
	return api.User{
		ID: id, UUID: fmt.Sprintf("66ad4540-b58c-4ad2-9926-%012d", id),
		Password: fmt.Sprintf("password-%d", id),
	}
}

// Ptr returns a pointer to v.
func Ptr[T any](v T) *T { return &v }

// Client is an xray with the node as its only outbound.
type Client struct {
	t        testing.TB
	instance *core.Instance
}

// NewClient starts a client with an outbound in xray's JSON configuration.
func NewClient(t testing.TB, outbound Object) *Client {
	t.Helper()
	text, err := json.Marshal(outbound)
	if err != nil {
		t.Fatal(err)
	}
	detour := new(conf.OutboundDetourConfig)
	if err := json.Unmarshal(text, detour); err != nil {
		t.Fatal(err)
	}
	config, err := detour.Build()
	if err != nil {
		t.Fatal(err)
	}
	instance, err := NewXray(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := instance.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { instance.Close() })
	return &Client{t, instance}
}

// NewXray returns an unmodified xray with these outbounds.
func NewXray(outbounds ...*core.OutboundHandlerConfig) (*core.Instance, error) {
	return xray.NewInstance(&core.Config{
		App:      []*serial.TypedMessage{serial.ToTypedMessage(new(dispatcher.Config))},
		Outbound: outbounds,
	})
}

// Dial opens a connection through the node. It succeeds even if the node refuses the connection later.
func (c *Client) Dial(target string) net.Conn {
	c.t.Helper()
	dest, err := xraynet.ParseDestination("tcp:" + target)
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := core.Dial(context.Background(), c.instance, dest)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

// ListenPacket opens a UDP flow through the node.
func (c *Client) ListenPacket() net.PacketConn {
	c.t.Helper()
	conn, err := core.DialUDP(context.Background(), c.instance)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

// Exchange sends n random bytes to an echo server, reads them back and returns how many were correct. The first few are
// sent alone, because xray's Trojan client fails if the first write exceeds its buffer. They are few enough to be found
// among the others if they come twice; n is at least 300 for that.
func Exchange(conn net.Conn, n int) (int, error) {
	sent, got := make([]byte, n), make([]byte, n)
	rand.Read(sent)
	first := min(n/3, 1000)
	if _, err := conn.Write(sent[:first]); err != nil {
		return 0, err
	}
	if read, err := readWithin(waitLimit, conn, got[:first]); err != nil {
		return read, err
	}
	failed := make(chan error, 1)
	go func() {
		_, err := conn.Write(sent[first:])
		failed <- err
	}()
	read, err := readWithin(waitLimit, conn, got[first:])
	if err == nil {
		err = <-failed
	}
	if err == nil {
		err = difference(sent, got, first)
	}
	return first + read, err
}

// ErrRepeated reports that something of what was sent came twice. xray's client of XHTTP in the mode packet-up does so
// on a busy machine: its uploadWriter (transport/internet/splithttp/dialer.go) passes a buffer on and takes its length
// afterwards, which is 0 where the buffer was sent meanwhile, so that the caller writes it again.
var ErrRepeated = errors.New("the echo has a part twice")

// MustExchange is [Exchange] in a test that fails unless all bytes come back. Where xray's client is at fault it panics
// with [ErrRepeated], so that [WithoutRepeats] starts the test again.
func MustExchange(t testing.TB, conn net.Conn, n int) {
	t.Helper()
	got, err := Exchange(conn, n)
	if errors.Is(err, ErrRepeated) {
		panic(err)
	}
	if err != nil {
		t.Fatalf("%d bytes of %d came back: %v", got, n, err)
	}
}

// WithoutRepeats runs a test that must not be parallel. After an [ErrRepeated] of [MustExchange] it runs it again, once
// the clean-up of the last run is over.
func WithoutRepeats(t *testing.T, test func(t *testing.T)) {
	for again := true; again; {
		again = false
		t.Run("run", func(t *testing.T) {
			defer func() {
				switch cause := recover(); cause {
				case nil:
				case ErrRepeated:
					t.Log(ErrRepeated)
					again = true
				default:
					panic(cause)
				}
			}()
			test(t)
		})
	}
}

// difference reports that an echo is not what was sent, of which the first bytes were sent alone.
func difference(sent, got []byte, first int) error {
	switch {
	case bytes.Equal(sent, got):
		return nil
	case bytes.Contains(got[first:], sent[:first]):
		return ErrRepeated
	}
	at := 0
	for got[at] == sent[at] {
		at++
	}
	if bytes.Contains(sent[:at], got[at:min(at+32, len(got))]) {
		return ErrRepeated
	}
	return errors.New("the echo differs")
}

// waitLimit is longer than any working operation takes, even on a busy machine.
const waitLimit = time.Minute

// readWithin reads all of b. Connections of core.Dial do not implement deadlines.
func readWithin(d time.Duration, conn net.Conn, b []byte) (int, error) {
	timer := time.AfterFunc(d, func() { conn.Close() })
	defer timer.Stop()
	return io.ReadFull(conn, b)
}

// Refused reports whether the node ends the connection without an answer.
func Refused(conn net.Conn) bool {
	if _, err := conn.Write([]byte("anyone there?")); err != nil {
		return true
	}
	n, err := readWithin(time.Second, conn, make([]byte, 1))
	return n == 0 && err != nil
}

// LetIn reports whether the node admits a user, possibly after some attempts. Some protocols do not answer an unknown
// user at all, so each attempt waits twice as long as the one before.
func LetIn(dial func() net.Conn) bool {
	wait := time.Second
	for deadline := time.Now().Add(2 * waitLimit); time.Now().Before(deadline); {
		conn, began := dial(), time.Now()
		_, err := conn.Write([]byte("anyone there?"))
		if err == nil {
			_, err = readWithin(wait, conn, make([]byte, 1))
		}
		conn.Close()
		switch {
		case err == nil:
			return true
		case time.Since(began) >= wait:
			wait *= 2
		default:
			time.Sleep(20 * time.Millisecond)
		}
	}
	return false
}

// EchoServer returns what it receives over TCP.
func EchoServer(t testing.TB) string {
	return Server(t, func(conn net.Conn) {
		// xray's Shadowsocks 2022 client rejects an answer that arrives before it has stored its own request.
		time.Sleep(20 * time.Millisecond)
		_, _ = io.Copy(conn, conn)
	})
}

// UDPEchoServer returns each packet.
func UDPEchoServer(t testing.TB) string {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, addr, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			conn.WriteTo(b[:n], addr)
		}
	}()
	return conn.LocalAddr().String()
}

// Certificate holds a certificate and its key, both as PEM.
type Certificate struct {
	PEM, Key string
	pair     tls.Certificate
	pin      string
}

// SelfSigned returns a certificate for a name.
func SelfSigned(t testing.TB, name string) Certificate {
	return SelfSignedUntil(t, name, time.Now().Add(time.Hour))
}

// SelfSignedUntil returns a certificate that became valid an hour ago.
func SelfSignedUntil(t testing.TB, name string, end time.Time) Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	return Certificate{
		PEM:  string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		Key:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
		pair: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pin:  hex.EncodeToString(sum[:]),
	}
}

// Pin returns the SHA-256 of the certificate in hex.
func (c Certificate) Pin() string { return c.pin }

// Pool returns a pool that trusts the certificate.
func (c Certificate) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(c.PEM))
	return pool
}

// tlsTarget is the TLS 1.3 site whose handshake a REALITY node presents.
func tlsTarget(t testing.TB, c Certificate) string {
	config := &tls.Config{
		Certificates: []tls.Certificate{c.pair}, MinVersion: tls.VersionTLS13,
		NextProtos: []string{"h2", "http/1.1"},
	}
	return Server(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, tls.Server(conn, config)) })
}

// Setup is one way to serve a node and how a client connects to it.
type Setup struct {
	Name     string
	Node     api.Node
	Client   func(api.User) Object
	PacketUp bool // The client may repeat what it sends, see ErrRepeated.
}

const site = "www.example.test"

// Setups returns setups of all protocols, each on a port of its own.
func Setups(t testing.TB) []Setup {
	cert := SelfSigned(t, site)
	tlsNode := api.TLS{ServerName: site, Certificate: cert.PEM, Key: cert.Key}
	tlsClient := func(alpn ...string) Object {
		o := Object{"serverName": site, "pinnedPeerCertSha256": cert.pin}
		if len(alpn) > 0 {
			o["alpn"] = alpn
		}
		return o
	}
	private := make([]byte, 32)
	rand.Read(private)
	public, err := curve25519.X25519(private, curve25519.Basepoint)
	if err != nil {
		t.Fatal(err)
	}
	serverKey := func(n int) string {
		b := make([]byte, n)
		rand.Read(b)
		return base64.StdEncoding.EncodeToString(b)
	}
	userKey := func(u api.User, n int) string {
		sum := sha256.Sum256([]byte("ss2022:" + u.Password))
		letters := base64.RawURLEncoding.EncodeToString(sum[:])
		return base64.StdEncoding.EncodeToString([]byte(letters[:n]))
	}

	var list []Setup
	add := func(name, protocol string, settings api.Settings, client func(port int, u api.User) Object) {
		port := FreePort(t)
		list = append(list, Setup{
			Name: name,
			Node: api.Node{
				ID: 1, Protocol: protocol, Listen: "127.0.0.1", Port: port, Settings: settings,
				AllowPrivate: true,
			},
			Client: func(u api.User) Object {
				return client(port, u)
			},
		})
	}
	vnext := func(protocol string, port int, account Object, stream Object) Object {
		return Object{"protocol": protocol, "streamSettings": stream, "settings": Object{"vnext": []Object{
			{"address": "127.0.0.1", "port": port, "users": []Object{account}},
		}}}
	}
	vless := func(u api.User, flow string) Object {
		return Object{"id": u.UUID, "encryption": "none", "flow": flow}
	}
	servers := func(protocol string, port int, stream Object, rest Object) Object {
		rest["address"], rest["port"] = "127.0.0.1", port
		return Object{"protocol": protocol, "streamSettings": stream, "settings": Object{"servers": []Object{rest}}}
	}

	realityNode := func(flow string) api.Settings {
		return api.Settings{Security: "reality", Flow: flow, Reality: api.Reality{
			Dest: tlsTarget(t, cert), ServerNames: []string{site}, ShortIDs: []string{"38e92059"},
			PrivateKey: base64.RawURLEncoding.EncodeToString(private),
		}}
	}
	realityStream := func() Object {
		return Object{"network": "tcp", "security": "reality", "realitySettings": Object{
			"serverName": site, "fingerprint": "chrome", "shortId": "38e92059",
			"publicKey": base64.RawURLEncoding.EncodeToString(public),
		}}
	}
	add("vless reality vision", "vless", realityNode("xtls-rprx-vision"), func(port int, u api.User) Object {
		return vnext("vless", port, vless(u, "xtls-rprx-vision"), realityStream())
	})
	add("vmess reality", "vmess", realityNode(""), func(port int, u api.User) Object {
		return vnext("vmess", port, Object{"id": u.UUID}, realityStream())
	})
	add("trojan reality", "trojan", realityNode(""), func(port int, u api.User) Object {
		return servers("trojan", port, realityStream(), Object{"password": u.UUID})
	})
	add("vless tls vision", "vless", api.Settings{Security: "tls", TLS: tlsNode, Flow: "xtls-rprx-vision"},
		func(port int, u api.User) Object {
			return vnext("vless", port, vless(u, "xtls-rprx-vision"),
				Object{"network": "tcp", "security": "tls", "tlsSettings": tlsClient()})
		})
	add("vless ws", "vless", api.Settings{Transport: "ws", Path: "/ws"}, func(port int, u api.User) Object {
		return vnext("vless", port, vless(u, ""), Object{
			"network":    "ws",
			"wsSettings": Object{"path": "/ws", "host": "cdn.example"},
		})
	})
	add("vless ws tls", "vless", api.Settings{Transport: "ws", Path: "/ws", Security: "tls", TLS: tlsNode},
		func(port int, u api.User) Object {
			return vnext("vless", port, vless(u, ""), Object{
				"network": "ws", "wsSettings": Object{"path": "/ws"}, "security": "tls", "tlsSettings": tlsClient(),
			})
		})
	add("vmess ws", "vmess", api.Settings{Transport: "ws", Path: "/ws"}, func(port int, u api.User) Object {
		return vnext("vmess", port, Object{"id": u.UUID}, Object{"network": "ws", "wsSettings": Object{"path": "/ws"}})
	})
	add("vmess grpc tls", "vmess", api.Settings{
		Transport: "grpc", ServiceName: "tunnel", Security: "tls",
		TLS: tlsNode,
	}, func(port int, u api.User) Object {
		return vnext("vmess", port, Object{"id": u.UUID}, Object{
			"network": "grpc", "grpcSettings": Object{"serviceName": "tunnel"}, "security": "tls",
			"tlsSettings": tlsClient("h2"),
		})
	})
	add("vless httpupgrade", "vless", api.Settings{Transport: "httpupgrade", Path: "/up"},
		func(port int, u api.User) Object {
			return vnext("vless", port, vless(u, ""), Object{
				"network":             "httpupgrade",
				"httpupgradeSettings": Object{"path": "/up"},
			})
		})
	xhttp := func(o Object) func(mode string) Object {
		return func(mode string) Object {
			stream := maps.Clone(o)
			stream["network"], stream["xhttpSettings"] = "xhttp", Object{
				"path": "/x", "host": "cdn.example",
				"mode": mode,
			}
			return stream
		}
	}
	plainXHTTP, tlsXHTTP := xhttp(Object{}), xhttp(Object{"security": "tls", "tlsSettings": tlsClient()})
	withTLS := api.Settings{Security: "tls", TLS: tlsNode}
	overXHTTP := func(s api.Settings) api.Settings {
		s.Transport, s.Path = "xhttp", "/x"
		return s
	}
	add("vless xhttp", "vless", overXHTTP(api.Settings{}), func(port int, u api.User) Object {
		return vnext("vless", port, vless(u, ""), plainXHTTP("auto"))
	})
	list[len(list)-1].PacketUp = true
	add("vless xhttp tls", "vless", overXHTTP(withTLS), func(port int, u api.User) Object {
		return vnext("vless", port, vless(u, ""), tlsXHTTP("packet-up"))
	})
	list[len(list)-1].PacketUp = true
	add("vmess xhttp tls", "vmess", overXHTTP(withTLS), func(port int, u api.User) Object {
		return vnext("vmess", port, Object{"id": u.UUID}, tlsXHTTP("stream-up"))
	})
	add("vless xhttp reality", "vless", overXHTTP(realityNode("")), func(port int, u api.User) Object {
		return vnext("vless", port, vless(u, ""), xhttp(realityStream())("auto"))
	})
	add("trojan xhttp reality", "trojan", overXHTTP(realityNode("")), func(port int, u api.User) Object {
		return servers("trojan", port, xhttp(realityStream())("stream-one"), Object{"password": u.UUID})
	})
	add("trojan tls", "trojan", api.Settings{Security: "tls", TLS: tlsNode}, func(port int, u api.User) Object {
		return servers("trojan", port, Object{"network": "tcp", "security": "tls", "tlsSettings": tlsClient()},
			Object{"password": u.UUID})
	})
	for _, method := range []string{"aes-128-gcm", "chacha20-ietf-poly1305"} {
		add("shadowsocks "+method, "shadowsocks", api.Settings{Method: method}, func(port int, u api.User) Object {
			return servers("shadowsocks", port, Object{}, Object{"method": method, "password": u.Password})
		})
	}
	for method, size := range map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32} {
		key := serverKey(size)
		add("shadowsocks "+method, "shadowsocks", api.Settings{Method: method, ServerKey: key},
			func(port int, u api.User) Object {
				return servers("shadowsocks", port, Object{},
					Object{"method": method, "password": key + ":" + userKey(u, size)})
			})
	}
	for _, obfs := range []string{"", "salamander"} {
		add(strings.TrimSpace("hysteria2 "+obfs), "hysteria2",
			api.Settings{TLS: tlsNode, Obfs: obfs, ObfsPassword: "obfuscate"}, func(port int, u api.User) Object {
				stream := Object{
					"network": "hysteria", "security": "tls", "tlsSettings": tlsClient("h3"),
					"hysteriaSettings": Object{"version": 2, "auth": u.UUID},
				}
				if obfs != "" {
					stream["finalmask"] = Object{"udp": []Object{{
						"type":     obfs,
						"settings": Object{"password": "obfuscate"},
					}}}
				}
				return Object{
					"protocol": "hysteria", "streamSettings": stream,
					"settings": Object{"version": 2, "address": localhost(u), "port": port},
				}
			})
	}
	return list
}

// localhost returns the loopback address in a spelling that differs by user: xray's Hysteria client shares one
// connection per address in the process, whoever the user is.
func localhost(u api.User) string {
	name := []byte("localhost")
	for i := range name {
		if u.ID>>i&1 == 1 {
			name[i] -= 'a' - 'A'
		}
	}
	return string(name)
}
