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

// idleFlow is how long a flow lasts without a packet (RFC 4787, REQ-5).
const idleFlow = 2 * time.Minute

// udpDoor takes the packets to a port. Each client has a socket towards the target.
type udpDoor struct {
	*Relay
	way    way
	socket *net.UDPConn
	crowd  crowd

	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex
	flows map[netip.AddrPort]*flow
	full  bool // no more flows
}

// flow is what goes on between a client and the target.
type flow struct {
	idle *time.Timer
	// out is nil until the target's name is known; what comes meanwhile is lost, as it happens to packets.
	out *net.UDPConn
}

// packets are large enough for any. A flow that waits holds none.
var packets = sync.Pool{New: func() any { return new([64 << 10]byte) }}

func (r *Relay) listenUDP(w way) (door, error) {
	d := &udpDoor{Relay: r, way: w, flows: map[netip.AddrPort]*flow{}}
	d.ctx, d.end = context.WithCancel(context.Background())
	var config net.ListenConfig
	socket, err := config.ListenPacket(d.ctx, "udp", w.listen)
	if err != nil {
		return nil, err
	}
	d.socket = socket.(*net.UDPConn)
	d.running.Go(d.receive)
	return d, nil
}

func (d *udpDoor) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = true
}

// open: flows have no end that could be waited for.
func (d *udpDoor) open() int { return 0 }

func (d *udpDoor) close() {
	d.end()
	d.socket.Close()
	d.running.Wait()
}

// receive passes on what clients send.
func (d *udpDoor) receive() {
	b := new([64 << 10]byte)
	for {
		n, client, err := d.socket.ReadFromUDPAddrPort(b[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // of one packet
		}
		d.mu.Lock()
		f := d.flows[client]
		if f == nil {
			d.begin(client, append([]byte(nil), b[:n]...))
		} else if f.out != nil {
			f.idle.Reset(idleFlow)
			_, _ = f.out.Write(b[:n]) // what can't be sent is lost
		}
		d.mu.Unlock()
	}
}

// begin opens a flow, under the lock.
func (d *udpDoor) begin(client netip.AddrPort, first []byte) {
	source := client.Addr().Unmap()
	if d.full || d.blocked(source) || !d.crowd.enter(source) {
		return
	}
	f := new(flow)
	d.flows[client] = f
	d.running.Go(func() {
		defer d.crowd.leave(source)
		d.serve(client, f, first)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.flows, client)
	})
}

func (d *udpDoor) serve(client netip.AddrPort, f *flow, first []byte) {
	conn, err := dial(d.ctx, d.way)
	if err != nil {
		d.log.Debug("the relay's target is not known", "target", d.way.target, "err", err)
		return
	}
	defer conn.Close()
	defer context.AfterFunc(d.ctx, func() { conn.Close() })()
	idle := time.AfterFunc(idleFlow, func() { conn.Close() })
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

// answer waits for a packet from the target and passes it on. false: there will be no more.
func (d *udpDoor) answer(raw syscall.RawConn, client netip.AddrPort, idle *time.Timer) bool {
	err := raw.Read(func(fd uintptr) bool {
		b := packets.Get().(*[64 << 10]byte)
		defer packets.Put(b)
		n, err := unix.Read(int(fd), b[:])
		if errors.Is(err, unix.EAGAIN) {
			return false
		}
		if err == nil { // else: nobody listens there at the moment
			idle.Reset(idleFlow)
			_, _ = d.socket.WriteToUDPAddrPort(b[:n], client)
		}
		return true
	})
	return err == nil
}
