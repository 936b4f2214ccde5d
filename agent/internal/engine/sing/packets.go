package sing

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/sagernet/sing/common/buf"
	M "github.com/sagernet/sing/common/metadata"
	N "github.com/sagernet/sing/common/network"

	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/sniff"
)

// idleFlow ends a flow without packets, as NATs do.
const idleFlow = 5 * time.Minute

// maxPeers bounds the destinations of a flow that are remembered.
const maxPeers = 1024

// packets carries a flow of a user's packets to any number of destinations.
func (f *forwarder) packets(ctx context.Context, who member, conn N.PacketConn, source netip.Addr) {
	f.open.Add(1)
	defer f.open.Done()
	defer conn.Close()
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	idle := time.AfterFunc(idleFlow, cut)
	defer idle.Stop()
	packet := buf.NewPacket()
	target, err := conn.ReadPacket(packet)
	if err != nil {
		packet.Release()
		return
	}
	user, err := f.admit(ctx, who, source, target, cut)
	if err != nil {
		packet.Release()
		return
	}
	defer user.Close()
	socket, addr, err := f.dialer.OpenUDP(ctx, target.String())
	if err != nil {
		packet.Release()
		f.log.Debug("connection failed", "user", who.id, "err", err)
		return
	}
	defer socket.Close()
	defer context.AfterFunc(ctx, func() { socket.Close() })()
	flow := &flow{forwarder: f, user: user, id: who.id, conn: conn, socket: socket, idle: idle}
	flow.peers = map[M.Socksaddr]*peer{target: flow.allowed(target, addr.AddrPort())}
	flow.names = map[netip.AddrPort]M.Socksaddr{addr.AddrPort(): target}
	var down sync.WaitGroup
	down.Go(func() {
		flow.down(ctx)
		cut()
	})
	flow.up(ctx, packet, target)
	cut()
	down.Wait()
}

// flow is a UDP socket of a user.
type flow struct {
	*forwarder
	user   *gate.Conn
	id     int64
	conn   N.PacketConn
	socket net.PacketConn
	idle   *time.Timer

	peers map[M.Socksaddr]*peer
	mu    sync.Mutex
	// names maps destinations to the addresses that the user gave; answers carry those.
	names map[netip.AddrPort]M.Socksaddr
}

// peer is a resolved destination of a flow, allowed or forbidden. While sniffer is not nil, the decision may depend on
// the packets sent there.
type peer struct {
	addr      netip.AddrPort
	forbidden bool
	sniffer   *sniff.Packets
}

func (f *flow) up(ctx context.Context, packet *buf.Buffer, target M.Socksaddr) {
	defer func() { packet.Release() }()
	for {
		f.idle.Reset(idleFlow)
		if f.user.Up(ctx, packet.Len()) != nil {
			return
		}
		p := f.peer(ctx, target)
		if p.sniffer != nil && !p.forbidden {
			p.forbidden = p.sniffer.Inspect(packet.Bytes()) != nil
		}
		if !p.forbidden {
			// As always in UDP, packets that cannot be sent are dropped.
			_, _ = f.socket.WriteTo(packet.Bytes(), net.UDPAddrFromAddrPort(p.addr))
		}
		packet.Reset()
		var err error
		if target, err = f.conn.ReadPacket(packet); err != nil {
			return
		}
	}
}

// peer resolves a destination and checks the rules, once.
func (f *flow) peer(ctx context.Context, target M.Socksaddr) *peer {
	if known, ok := f.peers[target]; ok {
		return known
	}
	p := &peer{forbidden: true}
	if f.gate.Allowed(f.id, target.String()) == nil {
		if addr, err := f.dialer.ResolveUDP(ctx, target.String()); err == nil {
			p = f.allowed(target, addr)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.peers) >= maxPeers {
		clear(f.peers)
		clear(f.names)
	}
	f.peers[target] = p
	if !p.forbidden {
		f.names[p.addr] = target
	}
	return p
}

// allowed records a destination whose name or address the rules permit.
func (f *flow) allowed(target M.Socksaddr, addr netip.AddrPort) *peer {
	p := &peer{addr: addr}
	if f.gate.HasRules() {
		p.sniffer = &sniff.Packets{Forbidden: f.gate.AllowedInside(f.id, target.String())}
	}
	return p
}

func (f *flow) down(ctx context.Context) {
	for {
		packet := buf.NewPacket()
		n, from, err := f.socket.ReadFrom(packet.FreeBytes())
		if err != nil {
			packet.Release()
			return
		}
		f.idle.Reset(idleFlow)
		packet.Truncate(n)
		if f.user.Down(ctx, n) != nil || f.conn.WritePacket(packet, f.name(from)) != nil {
			packet.Release()
			return
		}
	}
}

func (f *flow) name(from net.Addr) M.Socksaddr {
	udp := from.(*net.UDPAddr).AddrPort()
	addr := netip.AddrPortFrom(udp.Addr().Unmap(), udp.Port())
	f.mu.Lock()
	defer f.mu.Unlock()
	if name, asked := f.names[addr]; asked {
		return name
	}
	return M.SocksaddrFromNetIP(addr)
}
