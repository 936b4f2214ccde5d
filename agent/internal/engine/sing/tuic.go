package sing

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sagernet/quic-go"
	qtls "github.com/sagernet/sing-quic"
	"github.com/sagernet/sing-quic/tuic"
	"github.com/sagernet/sing/common/auth"
	"github.com/sagernet/sing/common/logger"
	M "github.com/sagernet/sing/common/metadata"
	N "github.com/sagernet/sing/common/network"
	aTLS "github.com/sagernet/sing/common/tls"

	"airstrip/agent/internal/api"
)

// tuicListener accepts the clients of a TUIC node. The library's service reads its maps of users in the goroutine of
// each client without a lock, so the users of a service with clients must not change. Each change therefore makes a new
// service, which receives the clients from then on. Earlier clients stay with theirs.
type tuicListener struct {
	engine *Engine
	node   api.Node
	socket *net.UDPConn
	// accept returns the next client of the single QUIC listener.
	accept func(context.Context) (*quic.Conn, error)

	ctx     context.Context
	close   context.CancelFunc
	mu      sync.Mutex
	current atomic.Pointer[generation]
	loop    sync.WaitGroup
}

// generation is a service with the users at one time. It acts as the service's QUIC listener.
type generation struct {
	listener *tuicListener
	service  *tuic.Service[member]
	conns    chan *quic.Conn
	ended    chan struct{}
}

func (e *Engine) listenTUIC(ip net.IP, node api.Node) (listener, error) {
	l := &tuicListener{engine: e, node: node}
	l.ctx, l.close = context.WithCancel(context.Background())
	var err error
	if l.socket, err = net.ListenUDP("udp", &net.UDPAddr{IP: ip, Port: node.Port}); err != nil {
		return nil, err
	}
	qtls.SetDesiredBufferSizes(l.socket)
	first, err := l.generation()
	if err != nil {
		l.close()
		return nil, errors.Join(err, l.socket.Close())
	}
	l.current.Store(first)
	l.loop.Go(l.dispatch)
	return l, nil
}

// dispatch passes each client to the service with the present users.
func (l *tuicListener) dispatch() {
	for {
		conn, err := l.accept(l.ctx)
		if err != nil {
			return
		}
		for handed := false; !handed; {
			g := l.current.Load()
			select {
			case g.conns <- conn:
				handed = true
			case <-g.ended:
			case <-l.ctx.Done():
				return
			}
		}
	}
}

func (l *tuicListener) update() {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, err := l.generation()
	if err != nil {
		l.engine.log.Error("the users of the TUIC node could not be changed", "err", err)
		return
	}
	old := l.current.Swap(next)
	_ = old.Close()
	// The library cuts clients that do not authenticate within 3 s. Afterwards nobody reads these users, so they need
	// not stay in memory until the last client disconnects.
	time.AfterFunc(time.Minute, func() { old.service.UpdateUsers(nil, nil, nil) })
}

func (l *tuicListener) generation() (*generation, error) {
	g := &generation{listener: l, conns: make(chan *quic.Conn), ended: make(chan struct{})}
	var err error
	g.service, err = tuic.NewService[member](tuic.ServiceOptions{
		Context: l.ctx, Logger: logger.NOP(), TLSConfig: quicListener{generation: g},
		CongestionControl: cmp.Or(l.node.Settings.Congestion, "bbr"), ZeroRTTHandshake: l.node.Settings.ZeroRTT,
		UDPTimeout: idleFlow, Handler: tuicHandler{l.engine},
	})
	if err != nil {
		return nil, err
	}
	all := l.engine.members.all()
	users, uuids, passwords := make([]member, 0, len(all)), make([][16]byte, 0, len(all)), make([]string, 0, len(all))
	for _, m := range all {
		uuid, err := hex.DecodeString(strings.ReplaceAll(m.secret, "-", ""))
		if err != nil || len(uuid) != 16 {
			l.engine.log.Error("a user's secret does not fit the protocol; the user is left out", "user", m.id)
			continue
		}
		users, uuids, passwords = append(users, m), append(uuids, [16]byte(uuid)), append(passwords, m.secret)
	}
	g.service.UpdateUsers(users, uuids, passwords)
	return g, g.service.Start(l.socket)
}

func (l *tuicListener) Close() error {
	l.close()
	err := l.socket.Close()
	l.loop.Wait()
	return err
}

// Accept implements qtls.Listener.
func (g *generation) Accept(ctx context.Context) (*quic.Conn, error) {
	select {
	case conn := <-g.conns:
		return conn, nil
	case <-g.ended:
		return nil, quic.ErrServerClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close implements qtls.Listener. The clients stay.
func (g *generation) Close() error {
	close(g.ended)
	return nil
}

// Addr implements qtls.Listener.
func (g *generation) Addr() net.Addr { return g.listener.socket.LocalAddr() }

// quicListener is the listener that a service opens. All services share the node's single QUIC listener.
type quicListener struct {
	aTLS.ServerConfig // Its methods are not called.
	generation        *generation
}

func (quicListener) HandshakeTimeout() time.Duration { return handshakeTime }
func (quicListener) ConfigureHTTP3()                 {}

func (d quicListener) config() *tls.Config {
	l := d.generation.listener
	return l.engine.tlsConfig(l.node, "h3")
}

func (d quicListener) Listen(conn net.PacketConn, config *quic.Config) (qtls.Listener, error) {
	if l := d.generation.listener; l.accept == nil {
		opened, err := quic.Listen(conn, d.config(), config)
		if err != nil {
			return nil, err
		}
		l.accept = opened.Accept
	}
	return d.generation, nil
}

func (d quicListener) ListenEarly(conn net.PacketConn, config *quic.Config) (qtls.EarlyListener, error) {
	if l := d.generation.listener; l.accept == nil {
		opened, err := quic.ListenEarly(conn, d.config(), config)
		if err != nil {
			return nil, err
		}
		l.accept = opened.Accept
	}
	return d.generation, nil
}

// tuicHandler receives each connection and flow of packets of an authenticated client.
type tuicHandler struct{ engine *Engine }

func (h tuicHandler) NewConnectionEx(ctx context.Context, conn net.Conn, source, target M.Socksaddr,
	_ N.CloseHandlerFunc,
) {
	who, _ := auth.UserFromContext[member](ctx)
	h.engine.forward.stream(ctx, who, conn, source.Addr, target)
}

func (h tuicHandler) NewPacketConnectionEx(ctx context.Context, conn N.PacketConn, source, _ M.Socksaddr,
	_ N.CloseHandlerFunc,
) {
	who, _ := auth.UserFromContext[member](ctx)
	h.engine.forward.packets(ctx, who, conn, source.Addr)
}
