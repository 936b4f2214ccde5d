package relay

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// tcpDoor takes the connections to a port.
type tcpDoor struct {
	*Relay
	way      way
	listener net.Listener
	crowd    crowd

	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup
}

func (r *Relay) listenTCP(w way) (door, error) {
	d := &tcpDoor{Relay: r, way: w}
	d.ctx, d.end = context.WithCancel(context.Background())
	var config net.ListenConfig
	var err error
	if d.listener, err = config.Listen(d.ctx, "tcp", w.listen); err != nil {
		return nil, err
	}
	d.running.Go(d.accept)
	return d, nil
}

func (d *tcpDoor) drain() { d.listener.Close() }

func (d *tcpDoor) open() int {
	d.crowd.mu.Lock()
	defer d.crowd.mu.Unlock()
	return d.crowd.total
}

func (d *tcpDoor) close() {
	d.listener.Close()
	d.end()
	d.running.Wait()
}

func (d *tcpDoor) accept() {
	for {
		conn, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			d.log.Error("a connection could not be accepted", "listen", d.way.listen, "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-d.ctx.Done():
			}
			continue
		}
		source := conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if d.blocked(source) || !d.crowd.enter(source) {
			conn.Close()
			continue
		}
		d.running.Go(func() {
			defer d.crowd.leave(source)
			d.carry(source, conn.(*net.TCPConn))
		})
	}
}

// carry passes both directions on until both have ended. Between two sockets the kernel does it.
func (d *tcpDoor) carry(source netip.Addr, conn *net.TCPConn) {
	defer conn.Close()
	other, err := dial(d.ctx, d.way)
	if err != nil {
		d.log.Debug("the relay's target does not answer", "target", d.way.target, "source", source, "err", err)
		return
	}
	target := other.(*net.TCPConn)
	defer target.Close()
	defer context.AfterFunc(d.ctx, func() { conn.Close(); target.Close() })()
	var up sync.WaitGroup
	up.Go(func() { pass(target, conn) })
	pass(conn, target)
	up.Wait()
}

// pass hands on what comes, and that it ends. What is under way in the other direction still arrives, if it can.
func pass(to, from *net.TCPConn) {
	_, _ = io.Copy(to, from)
	_ = from.CloseRead()
	_ = to.CloseWrite()
}
