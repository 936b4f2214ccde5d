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

// tcpListener forwards the connections to a port.
type tcpListener struct {
	*Relay
	route    route
	listener net.Listener
	limiter  sourceLimiter

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (r *Relay) listenTCP(w route) (listener, error) {
	d := &tcpListener{Relay: r, route: w}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	var config net.ListenConfig
	var err error
	if d.listener, err = config.Listen(d.ctx, "tcp", w.listen); err != nil {
		return nil, err
	}
	d.running.Go(d.accept)
	return d, nil
}

func (d *tcpListener) drain() { d.listener.Close() }

func (d *tcpListener) openCount() int {
	d.limiter.mu.Lock()
	defer d.limiter.mu.Unlock()
	return d.limiter.total
}

func (d *tcpListener) close() {
	d.listener.Close()
	d.cancel()
	d.running.Wait()
}

func (d *tcpListener) accept() {
	for {
		conn, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // For example too many open files.
			d.log.Error("a connection could not be accepted", "listen", d.route.listen, "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-d.ctx.Done():
			}
			continue
		}
		source := conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if d.blocked(source) || !d.limiter.acquire(source) {
			conn.Close()
			continue
		}
		d.running.Go(func() {
			defer d.limiter.release(source)
			d.serve(source, conn.(*net.TCPConn))
		})
	}
}

// serve copies both directions until both have ended. The kernel copies between two sockets (splice).
func (d *tcpListener) serve(source netip.Addr, conn *net.TCPConn) {
	defer conn.Close()
	other, err := dial(d.ctx, d.route)
	if err != nil {
		d.log.Debug("the relay's target does not answer", "target", d.route.target, "source", source, "err", err)
		return
	}
	target := other.(*net.TCPConn)
	defer target.Close()
	defer context.AfterFunc(d.ctx, func() { conn.Close(); target.Close() })()
	var up sync.WaitGroup
	up.Go(func() { copyDirection(target, conn) })
	copyDirection(conn, target)
	up.Wait()
}

// copyDirection copies one direction and its end. Data in the other direction still arrives if possible.
func copyDirection(to, from *net.TCPConn) {
	_, _ = io.Copy(to, from)
	_ = from.CloseRead()
	_ = to.CloseWrite()
}
