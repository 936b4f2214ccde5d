package db

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"airstrip/internal/dberr"
)

// dialer connects to PostgreSQL. TCP itself gives up a connection whose other end vanished after unacknowledged,
// whether or not bytes are being sent.
func dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         connectWait,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 4 * time.Second, Interval: 2 * time.Second, Count: 2},
		Control:         limitUnacknowledged,
	}
}

// network makes the connections of one pool. Each wait for the server ends after silence; 0 means no bound, for work on
// whole tables.
type network struct {
	silence time.Duration
	lostAt  atomic.Int64 // when a connection was last found dead, in Unix nanoseconds
}

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	c, err := dialer().DialContext(ctx, kind, address)
	if err != nil {
		return nil, &dberr.LostConnection{Err: err}
	}
	b := &boundedConn{Conn: c, network: n}
	b.heardAt.Store(time.Now().UnixNano())
	return b, nil
}

// shouldPing tells whether a connection of the pool is tested before it is used. One that last received bytes before
// another was found dead is closed at once: after a network cut all of them are dead, and each would cost a wait. One
// on which bytes wait that nobody asked for may be of a session that the server ended.
func (n *network) shouldPing(_ context.Context, p stdlib.ShouldPingParams) bool {
	c := p.Conn.PgConn().Conn()
	if over, ok := c.(*tls.Conn); ok {
		c = over.NetConn()
	}
	if b, ok := c.(*boundedConn); ok {
		if b.heardAt.Load() < n.lostAt.Load() {
			b.Conn.Close() // fails the ping
			return true
		}
		if isReadable(b.Conn) {
			return true
		}
	}
	return p.IdleDuration > time.Second
}

// boundedConn is a connection on which each Read and Write ends after the network's silence. A network that drops bytes
// without a reset would otherwise let them wait for ever. Nothing reads from an idle connection of the pool, so it may
// be idle for longer.
type boundedConn struct {
	net.Conn
	network *network
	heardAt atomic.Int64 // when bytes last came, in Unix nanoseconds

	mu       sync.Mutex
	deadline time.Time // that the driver set, when a context ended
}

var errSilence = errors.New("the server left a request unanswered")

func (c *boundedConn) Read(b []byte) (int, error) {
	c.limit(c.Conn.SetReadDeadline)
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.heardAt.Store(time.Now().UnixNano())
	}
	return n, c.lost(err)
}

func (c *boundedConn) Write(b []byte) (int, error) {
	c.limit(c.Conn.SetWriteDeadline)
	n, err := c.Conn.Write(b)
	return n, c.lost(err)
}

func (c *boundedConn) limit(set func(time.Time) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline.IsZero() && c.network.silence > 0 {
		_ = set(time.Now().Add(c.network.silence)) // a closed connection says so when it is read
	}
}

// lost marks errors of the connection. It leaves a deadline that the driver set as it is, since the driver checks the
// context.
func (c *boundedConn) lost(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.deadline.IsZero() {
			return err
		}
		err = errSilence
	}
	if errors.Is(err, errSilence) || errors.Is(err, syscall.ETIMEDOUT) {
		c.network.lostAt.Store(time.Now().UnixNano())
	}
	return &dberr.LostConnection{Err: err}
}

func (c *boundedConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetDeadline(t)
}

func (c *boundedConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetReadDeadline(t)
}

func (c *boundedConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}
