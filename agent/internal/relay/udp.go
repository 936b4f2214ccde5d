package relay

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// flowIdleTimeout ends a flow without packets (RFC 4787, REQ-5).
const flowIdleTimeout = 2 * time.Minute

// udpListener forwards the packets to a port. Each client has a socket of its own towards the target.
type udpListener struct {
	*Relay
	route   route
	socket  *net.UDPConn
	limiter sourceLimiter

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	flows    map[netip.AddrPort]*flow
	draining bool // No new flows.
}

// flow is the exchange between one client and the target.
type flow struct {
	idle *time.Timer
	// out is nil until the target's name is resolved. Packets that arrive before are dropped, as UDP permits.
	out *net.UDPConn
}

// packetBuffers holds buffers for packets of any size. A waiting flow holds none.
var packetBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

func (r *Relay) listenUDP(w route) (listener, error) {
	d := &udpListener{Relay: r, route: w, flows: map[netip.AddrPort]*flow{}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	var config net.ListenConfig
	socket, err := config.ListenPacket(d.ctx, "udp", w.listen)
	if err != nil {
		return nil, err
	}
	d.socket = socket.(*net.UDPConn)
	d.running.Go(d.receive)
	return d, nil
}

func (d *udpListener) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.draining = true
}

// openCount is zero, because flows have no end that a drain could wait for.
func (d *udpListener) openCount() int { return 0 }

func (d *udpListener) close() {
	d.cancel()
	d.socket.Close()
	d.running.Wait()
}

// receive forwards packets from clients.
func (d *udpListener) receive() {
	b := new([64 << 10]byte)
	for {
		n, client, err := d.socket.ReadFromUDPAddrPort(b[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // An error concerns a single packet.
		}
		d.mu.Lock()
		f := d.flows[client]
		if f == nil {
			d.begin(client, append([]byte(nil), b[:n]...))
		} else if f.out != nil {
			f.idle.Reset(flowIdleTimeout)
			_, _ = f.out.Write(b[:n]) // Packets that cannot be sent are dropped.
		}
		d.mu.Unlock()
	}
}

// begin opens a flow. The caller holds the lock.
func (d *udpListener) begin(client netip.AddrPort, first []byte) {
	source := client.Addr().Unmap()
	if d.draining || d.blocked(source) || !d.limiter.acquire(source) {
		return
	}
	f := new(flow)
	d.flows[client] = f
	d.running.Go(func() {
		defer d.limiter.release(source)
		d.serve(client, f, first)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.flows, client)
	})
}

func (d *udpListener) serve(client netip.AddrPort, f *flow, first []byte) {
	conn, err := dial(d.ctx, d.route)
	if err != nil {
		d.log.Debug("the relay's target is not known", "target", d.route.target, "err", err)
		return
	}
	defer conn.Close()
	defer context.AfterFunc(d.ctx, func() { conn.Close() })()
	idle := time.AfterFunc(flowIdleTimeout, func() { conn.Close() })
	defer idle.Stop()
	d.mu.Lock()
	f.idle, f.out = idle, conn.(*net.UDPConn)
	d.mu.Unlock()
	if _, err := conn.Write(first); err != nil {
		return
	}
	raw, err := f.out.SyscallConn()
	if err != nil {
		return
	}
	for d.answer(raw, client, idle) {
	}
}

// answer waits for a packet from the target and forwards it. It returns false when there will be no more.
func (d *udpListener) answer(raw syscall.RawConn, client netip.AddrPort, idle *time.Timer) bool {
	err := raw.Read(func(fd uintptr) bool {
		b := packetBuffers.Get().(*[64 << 10]byte)
		defer packetBuffers.Put(b)
		n, err := unix.Read(int(fd), b[:])
		if errors.Is(err, unix.EAGAIN) {
			return false
		}
		if err == nil { // Otherwise the target's port is closed at the moment.
			idle.Reset(flowIdleTimeout)
			_, _ = d.socket.WriteToUDPAddrPort(b[:n], client)
		}
		return true
	})
	return err == nil
}
