package sing_test

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/anytls/sing-anytls"
	"github.com/sagernet/sing-quic/tuic"
	"github.com/sagernet/sing/common/logger"
	M "github.com/sagernet/sing/common/metadata"
	aTLS "github.com/sagernet/sing/common/tls"
	"github.com/sagernet/sing/common/uot"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/sing"
	"airstrip/agent/internal/enginetest"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/xraytest"
)

func newTestNode(t *testing.T) *enginetest.Node {
	return enginetest.New(t, func(g *gate.Gate, log *slog.Logger) (engine.Engine, error) {
		return sing.New(g, log),
			nil
	})
}

// setup is one way to serve a node.
type setup struct {
	name string
	node api.Node
	cert xraytest.Certificate
}

func setups(t *testing.T) []setup {
	cert := xraytest.SelfSigned(t, "www.example.test")
	var list []setup
	for _, s := range []struct {
		name, protocol string
		settings       api.Settings
	}{
		{"tuic", "tuic", api.Settings{}},
		{"tuic cubic 0-RTT", "tuic", api.Settings{Congestion: "cubic", ZeroRTT: true}},
		{"anytls", "anytls", api.Settings{}},
		{"anytls padding", "anytls", api.Settings{Padding: []string{
			"stop=3", "0=10-20", "1=50-100",
			"2=300-400,c,500-600",
		}}},
	} {
		s.settings.TLS = api.TLS{ServerName: "www.example.test", Certificate: cert.PEM, Key: cert.Key}
		list = append(list, setup{s.name, api.Node{
			ID: 1, Protocol: s.protocol, Listen: "127.0.0.1", Port: xraytest.FreePort(t), Settings: s.settings,
			AllowPrivate: true,
		}, cert})
	}
	return list
}

// client is the library's client of a node.
type client struct {
	t      *testing.T
	tuic   *tuic.Client
	anytls *anytls.Client
}

// client returns the client of a user that dials from a loopback address.
func (s setup) client(t *testing.T, u api.User, from string) *client {
	t.Helper()
	config := &tls.Config{ServerName: "www.example.test", RootCAs: s.cert.Pool()}
	host := here
	if strings.Contains(from, ":") {
		host = "::1"
	}
	server := M.ParseSocksaddrHostPort(host, uint16(s.node.Port))
	dialer := dialFrom{net.ParseIP(from)}
	c := &client{t: t}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	var err error
	if s.node.Protocol == "tuic" {
		config.NextProtos = []string{"h3"}
		uuid, _ := hex.DecodeString(strings.ReplaceAll(u.UUID, "-", ""))
		c.tuic, err = tuic.NewClient(tuic.ClientOptions{
			Context: ctx, Dialer: dialer, ServerAddress: server, TLSConfig: clientTLS{config: config},
			UUID: [16]byte(uuid), Password: u.UUID, ZeroRTTHandshake: s.node.Settings.ZeroRTT,
		})
	} else {
		c.anytls, err = anytls.NewClient(ctx, anytls.ClientConfig{
			Password: u.UUID, Logger: logger.NOP(), IdleSessionCheckInterval: time.Minute,
			IdleSessionTimeout: time.Minute,
			DialOut: func(ctx context.Context) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, "tcp", server)
				if err != nil {
					return nil, err
				}
				return tls.Client(conn, config), nil
			},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Dial opens a connection through the node. It succeeds even if the node refuses the connection later.
func (c *client) Dial(target string) net.Conn {
	c.t.Helper()
	conn, err := c.DialContext(context.Background(), "tcp", M.ParseSocksaddr(target))
	if err != nil {
		return refused{}
	}
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

// DialContext implements N.Dialer.
func (c *client) DialContext(ctx context.Context, _ string, target M.Socksaddr) (net.Conn, error) {
	if c.tuic != nil {
		return c.tuic.DialConn(ctx, target)
	}
	conn, err := c.anytls.CreateProxy(ctx, target)
	return frameConn{conn}, err
}

// frameConn writes at most one frame of AnyTLS at once, which the library does not ensure.
type frameConn struct{ net.Conn }

func (c frameConn) Write(b []byte) (written int, err error) {
	for err == nil && written < len(b) {
		var n int
		n, err = c.Conn.Write(b[written:min(written+32<<10, len(b))])
		written += n
	}
	return written, err
}

// ListenPacket opens a flow of packets through the node, first to target.
func (c *client) ListenPacket(ctx context.Context, target M.Socksaddr) (net.PacketConn, error) {
	if c.tuic != nil {
		return c.tuic.ListenPacket(ctx)
	}
	return (&uot.Client{Dialer: c, Version: uot.Version}).ListenPacket(ctx, target)
}

// refused is a connection that the node closed before the client could dial.
type refused struct{ net.Conn }

func (refused) Read([]byte) (int, error)  { return 0, net.ErrClosed }
func (refused) Write([]byte) (int, error) { return 0, net.ErrClosed }
func (refused) Close() error              { return nil }

type dialFrom struct{ ip net.IP }

func (d dialFrom) DialContext(ctx context.Context, network string, to M.Socksaddr) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: d.ip}}
	if network == "udp" {
		dialer.LocalAddr = &net.UDPAddr{IP: d.ip}
	}
	return dialer.DialContext(ctx, network, to.String())
}

func (d dialFrom) ListenPacket(ctx context.Context, _ M.Socksaddr) (net.PacketConn, error) {
	return net.ListenUDP("udp", &net.UDPAddr{IP: d.ip})
}

type clientTLS struct {
	aTLS.Config
	config *tls.Config
}

func (clientTLS) HandshakeTimeout() time.Duration   { return time.Minute }
func (c clientTLS) STDConfig() (*tls.Config, error) { return c.config, nil }
func (c clientTLS) NextProtos() []string            { return c.config.NextProtos }
