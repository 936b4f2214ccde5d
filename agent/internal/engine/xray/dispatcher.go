package xray

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/features/policy"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/proxy/freedom"
	"github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/internet"
	"github.com/xtls/xray-core/transport/internet/stat"
	"github.com/xtls/xray-core/transport/pipe"

	"airstrip/agent/internal/egress"
	"airstrip/agent/internal/gate"
)

// dispatcher is the dispatcher of the xray instance. Every connection of every user arrives here, also those inside
// multiplexed or QUIC connections. It asks the gate, dials and copies; xray's freedom outbound copies packets.
type dispatcher struct {
	gate     *gate.Gate
	dialer   *egress.Dialer
	freedom  *freedom.Handler
	timeouts policy.Timeout
	identify func(email string) (id int64, ok bool)
	log      *slog.Logger
	open     sync.WaitGroup
	// ended refuses all new connections. Closing the listener is not enough: a connection that carries several streams,
	// as in HTTP/2, outlives it.
	ended atomic.Bool
}

func (*dispatcher) Type() any    { return routing.DispatcherType() }
func (*dispatcher) Start() error { return nil }
func (*dispatcher) Close() error { return nil }

var (
	errNowhere = errors.New("the destination is no address")
	errEnded   = errors.New("the node ends")
)

// Dispatch implements routing.Dispatcher.
func (h *dispatcher) Dispatch(ctx context.Context, to net.Destination) (*transport.Link, error) {
	options := pipe.OptionsFromContext(ctx)
	fromUser, up := pipe.New(options...)
	down, toUser := pipe.New(options...)
	go h.DispatchLink(ctx, to, &transport.Link{Reader: fromUser, Writer: toUser})
	return &transport.Link{Reader: down, Writer: up}, nil
}

// DispatchLink implements routing.Dispatcher.
func (h *dispatcher) DispatchLink(ctx context.Context, to net.Destination, link *transport.Link) error {
	h.open.Add(1)
	p, err := h.connect(ctx, to, link)
	if err == nil {
		err = p.carry()
	}
	if err != nil {
		common.Interrupt(link.Writer)
	} else {
		common.Close(link.Writer)
	}
	common.Interrupt(link.Reader)
	h.open.Done()
	return nil
}

// connect admits a connection and dials its destination, or returns why not.
func (h *dispatcher) connect(ctx context.Context, to net.Destination, link *transport.Link) (*proxiedConn, error) {
	if h.ended.Load() {
		return nil, errEnded
	}
	inbound := session.InboundFromContext(ctx)
	if inbound == nil || inbound.User == nil {
		return nil, gate.ErrUnknownUser
	}
	if !to.IsValid() {
		return nil, errNowhere
	}
	id, ok := h.identify(inbound.User.Email)
	if !ok {
		return nil, gate.ErrUnknownUser
	}
	source, _ := netip.ParseAddr(inbound.Source.Address.String())
	ctx, cut := context.WithCancel(ctx)
	user, err := h.gate.Open(ctx, id, source, to.NetAddr(), cut)
	if err != nil {
		cut()
		h.log.Debug("connection refused", "user", id, "reason", err)
		return nil, err
	}
	p := &proxiedConn{cut: cut, hook: h, user: user, link: link, userConn: inbound.Conn, from: socket{nextCount: 1}}
	if p.conn, err = h.dial(ctx, to); err != nil {
		if ctx.Err() != nil {
			p.closeUser()
		}
		user.Close()
		cut()
		h.log.Debug("connection failed", "user", id, "err", err)
		return nil, err
	}
	p.uncut = context.AfterFunc(ctx, func() { p.end(); p.closeUser() })
	// Otherwise Vision would pass both sockets to the kernel, and no byte would be counted before the end.
	if inbound.CanSpliceCopy != 3 {
		inbound.CanSpliceCopy = 3
	}
	useSmallBuffers(link.Reader)
	p.reader, p.writer = h.reader(ctx, link.Reader, user, id, to), &writer{Writer: link.Writer, ctx: ctx, user: user}
	return p, nil
}

func (h *dispatcher) dial(ctx context.Context, target net.Destination) (stat.Connection, error) {
	if target.Network != net.Network_UDP {
		return h.dialer.DialTCP(ctx, target.NetAddr())
	}
	conn, addr, err := h.dialer.OpenUDP(ctx, target.NetAddr())
	if err != nil {
		return nil, err
	}
	return &internet.PacketConnWrapper{PacketConn: conn, Dest: addr}, nil
}

// dialed gives the freedom outbound a connection that is already open.
type dialed struct{ conn stat.Connection }

func (d dialed) Dial(context.Context, net.Destination) (stat.Connection, error) { return d.conn, nil }
func (dialed) DestIpAddress() net.IP                                            { return nil }
func (dialed) SetOutboundGateway(context.Context, *session.Outbound)            {}

// writer counts what is sent to the user, before it is sent.
type writer struct {
	buf.Writer
	ctx  context.Context
	user *gate.Conn
}

func (w *writer) WriteMultiBuffer(mb buf.MultiBuffer) error {
	if err := w.user.Down(w.ctx, int(mb.Len())); err != nil {
		buf.ReleaseMulti(mb)
		return err
	}
	return w.Writer.WriteMultiBuffer(mb)
}

// Close passes the end of the stream on to the user.
func (w *writer) Close() error { return common.Close(w.Writer) }
