package xray

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/internet/stat"
	"github.com/xtls/xray-core/transport/pipe"
	"golang.org/x/sys/unix"

	"airstrip/agent/internal/gate"
)

// passage is a connection of a user that the gate let through, with the one to where it goes.
type passage struct {
	cut    func()
	uncut  func() bool
	hook   *hook
	user   *gate.Conn
	conn   stat.Connection
	link   *transport.Link
	reader *reader
	writer *writer
	own    net.Conn // the user's, of which link is a part or the whole
	from   socket
	said   atomic.Bool // all that the destination had to say is on its way
	watch  activity
}

// carry copies in both directions and returns when nothing more is copied, or counted.
func (p *passage) carry() error {
	err := p.copy()
	p.conn.Close()
	p.uncut()
	p.user.Close()
	p.cut()
	return err
}

// end makes what is being copied stop. What the destination has said to its end is still the user's to read.
func (p *passage) end() {
	p.conn.Close()
	if _, piped := p.link.Writer.(*pipe.Writer); piped {
		if !p.said.Load() {
			common.Interrupt(p.link.Writer)
		}
		common.Interrupt(p.link.Reader)
		return
	}
	p.letGo()
}

// letGo closes the user's connection. Not all inbounds do so when the link ends (Shadowsocks 2022 does not), nor do UDP
// flows that outlive their carrier (XUDP) end with their context.
func (p *passage) letGo() {
	if p.own != nil {
		p.own.Close()
	}
}

// copy copies packets as xray's freedom outbound does, and streams until both directions have ended, either breaks, or
// nothing has moved for long. freedom would do this with a goroutine and a buffer more for each connection, most of which
// are idle. A goroutine's stack is halved while three quarters of it are free: this one has xray's inbound and the TLS
// handshake behind it, so little may lie on it here.
func (p *passage) copy() error {
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

func (p *passage) packets() error {
	outbounds := []*session.Outbound{{OriginalTarget: p.reader.first, Target: p.reader.first}}
	counted := &transport.Link{Reader: p.reader, Writer: p.writer}
	return p.hook.freedom.Process(session.ContextWithOutbounds(p.reader.ctx, outbounds), counted, dialed{p.conn})
}

// lastWords is how long a destination may think about its answer when the user has nothing more to say.
const lastWords = 10 * time.Second

func (p *passage) up(to *net.TCPConn, ended chan<- struct{}) {
	err := buf.Copy(p.reader, buf.NewWriter(to), buf.UpdateActivity(&p.watch))
	if err == nil {
		_ = to.CloseWrite() // fails where the destination has gone already
	}
	p.half(err, lastWords)
	close(ended)
}

func (p *passage) down() error {
	err := p.fetch()
	p.half(err, p.hook.timeouts.UplinkOnly)
	return err
}

// fetch is what buf.Copy is, in a smaller frame.
func (p *passage) fetch() error {
	for {
		mb, err := p.from.ReadMultiBuffer()
		if errors.Is(err, io.EOF) {
			p.said.Store(true)
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

// half ends both directions when one has broken, and when one has ended says how long the other may then be silent.
func (p *passage) half(err error, rest time.Duration) {
	if err != nil {
		p.end()
	}
	p.watch.allow(rest)
}

// activity puts off the end of a connection.
type activity struct {
	timer   *time.Timer
	allowed atomic.Int64
}

// allow says how long nothing may move from now on.
func (a *activity) allow(d time.Duration) {
	a.allowed.Store(int64(d))
	a.Update()
}

// Update implements signal.ActivityUpdater.
func (a *activity) Update() { a.timer.Reset(time.Duration(a.allowed.Load())) }

// mostAtOnce is how many buffers one read may fill.
const mostAtOnce = 8

// socket reads from a connection, and holds buffers only when there is something to put into them.
type socket struct {
	raw    syscall.RawConn
	many   int // buffers for the next read, twice as many as the last one filled
	mb     buf.MultiBuffer
	n      int
	failed error
}

func (s *socket) ReadMultiBuffer() (buf.MultiBuffer, error) {
	if err := s.raw.Read(s.read); err != nil {
		return nil, err
	}
	return s.taken()
}

// read fills buffers, if there is anything.
func (s *socket) read(fd uintptr) bool {
	var space [mostAtOnce][]byte
	for i := range s.many {
		b := buf.New()
		space[i] = b.Extend(buf.Size)
		s.mb = append(s.mb, b)
	}
	for {
		s.n, s.failed = unix.Readv(int(fd), space[:s.many])
		if !errors.Is(s.failed, unix.EINTR) {
			break
		}
	}
	if errors.Is(s.failed, unix.EAGAIN) {
		s.mb = buf.ReleaseMulti(s.mb)
		return false
	}
	return true
}

// taken gives away what was read.
func (s *socket) taken() (buf.MultiBuffer, error) {
	mb := s.mb
	s.mb = nil
	if s.failed == nil && s.n == 0 {
		s.failed = io.EOF
	}
	if s.failed != nil {
		buf.ReleaseMulti(mb)
		return nil, s.failed
	}
	filled := (s.n + buf.Size - 1) / buf.Size
	if filled == s.many {
		s.many = min(2*s.many, mostAtOnce)
	} else {
		s.many = filled
	}
	mb[filled-1].Resize(0, int32(s.n-(filled-1)*buf.Size))
	buf.ReleaseMulti(mb[filled:])
	return mb[:filled], nil
}

// spare lets a reader of xray's, one that reads from the user's connection alone, hold a small buffer while it waits.
func spare(reader buf.Reader) {
	for {
		switch r := reader.(type) {
		case *buf.BufferedReader:
			if single, ok := r.Reader.(*buf.SingleReader); ok {
				r.Reader = &sparing{Reader: single.Reader}
				return
			}
			reader = r.Reader
		default:
			return
		}
	}
}

// idlePiece is the smallest that xray keeps in a pool.
const idlePiece = 2 << 10

// sparing reads into small buffers until one is full, and into large ones until one is nearly empty.
type sparing struct {
	io.Reader
	busy bool
}

func (s *sparing) ReadMultiBuffer() (buf.MultiBuffer, error) {
	var b *buf.Buffer
	if s.busy {
		b = buf.New()
	} else {
		b = buf.NewWithSize(idlePiece)
	}
	n, err := b.ReadFrom(s.Reader)
	s.busy = n >= idlePiece
	if b.IsEmpty() {
		b.Release()
		return nil, err
	}
	return buf.MultiBuffer{b}, err
}
