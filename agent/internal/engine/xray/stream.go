package xray

import (
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/internet/stat"
	"github.com/xtls/xray-core/transport/pipe"

	"airstrip/agent/internal/gate"
)

// proxiedConn is an admitted connection of a user together with the connection to its destination.
type proxiedConn struct {
	cut      func()
	uncut    func() bool
	hook     *dispatcher
	user     *gate.Conn
	conn     stat.Connection
	link     *transport.Link
	reader   *reader
	writer   *writer
	userConn net.Conn // The user's connection; link is a part of it or all of it.
	from     socket
	finished atomic.Bool // All data of the destination has been sent to the user.
	watch    activity
}

// carry copies both directions. It returns when nothing more is copied or counted.
func (p *proxiedConn) carry() error {
	err := p.copy()
	p.conn.Close()
	p.uncut()
	p.user.Close()
	p.cut()
	return err
}

// end stops copying. Data that the destination sent before its end still reaches the user.
func (p *proxiedConn) end() {
	p.conn.Close()
	if _, piped := p.link.Writer.(*pipe.Writer); piped {
		if !p.finished.Load() {
			common.Interrupt(p.link.Writer)
		}
		common.Interrupt(p.link.Reader)
		return
	}
	p.closeUser()
}

// closeUser closes the user's connection. Not every inbound does so when the link ends (Shadowsocks 2022 does not), and
// UDP flows that outlive their carrier (XUDP) do not end with their context.
func (p *proxiedConn) closeUser() {
	if p.userConn != nil {
		p.userConn.Close()
	}
}

// copy copies packets as xray's freedom outbound does, and streams until both directions have ended, either fails, or
// nothing has moved for long. freedom would need one more goroutine and buffer for each connection, most of which are
// idle. A goroutine's stack shrinks only while three quarters of it are free. This one has xray's inbound and the TLS
// handshake behind it, so the frames here are kept small.
func (p *proxiedConn) copy() error {
	tcp, ok := p.conn.(*net.TCPConn)
	if !ok {
		return p.packets()
	}
	var err error
	if p.from.raw, err = tcp.SyscallConn(); err != nil {
		return err
	}
	p.watch.timer = time.AfterFunc(p.hook.timeouts.ConnectionIdle, p.end)
	p.watch.allow(p.hook.timeouts.ConnectionIdle)
	ended := make(chan struct{})
	go p.up(tcp, ended)
	err = p.down()
	<-ended
	p.watch.timer.Stop()
	return err
}

func (p *proxiedConn) packets() error {
	outbounds := []*session.Outbound{{OriginalTarget: p.reader.first, Target: p.reader.first}}
	counted := &transport.Link{Reader: p.reader, Writer: p.writer}
	return p.hook.freedom.Process(session.ContextWithOutbounds(p.reader.ctx, outbounds), counted, dialed{p.conn})
}

// halfCloseTimeout is how long a destination may take to answer after the user has closed their direction.
const halfCloseTimeout = 10 * time.Second

func (p *proxiedConn) up(to *net.TCPConn, ended chan<- struct{}) {
	err := buf.Copy(p.reader, buf.NewWriter(to), buf.UpdateActivity(&p.watch))
	if err == nil {
		_ = to.CloseWrite() // It fails if the destination has closed already.
	}
	p.endDirection(err, halfCloseTimeout)
	close(ended)
}

func (p *proxiedConn) down() error {
	err := p.copyDown()
	p.endDirection(err, p.hook.timeouts.UplinkOnly)
	return err
}

// copyDown is buf.Copy with a smaller stack frame.
func (p *proxiedConn) copyDown() error {
	for {
		mb, err := p.from.ReadMultiBuffer()
		if errors.Is(err, io.EOF) {
			p.finished.Store(true)
			return p.writer.Close()
		}
		if err != nil {
			return err
		}
		p.watch.Update()
		if err := p.writer.WriteMultiBuffer(mb); err != nil {
			return err
		}
	}
}

// endDirection ends both directions if one has failed. Otherwise rest is how long the other one may then be silent.
func (p *proxiedConn) endDirection(err error, rest time.Duration) {
	if err != nil {
		p.end()
	}
	p.watch.allow(rest)
}

// activity postpones the idle timeout of a connection.
type activity struct {
	timer   *time.Timer
	allowed atomic.Int64
}

// allow sets how long nothing may move from now on.
func (a *activity) allow(d time.Duration) {
	a.allowed.Store(int64(d))
	a.Update()
}

// Update implements signal.ActivityUpdater.
func (a *activity) Update() { a.timer.Reset(time.Duration(a.allowed.Load())) }
