package xray

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/pipe"
	"golang.org/x/sys/unix"
)

var errCut = errors.New("the connection was cut, or nothing moved")

// stream copies between a user and a TCP destination until both have ended, either breaks, or nothing has moved for long.
// xray's freedom outbound does the same with a goroutine and a buffer more for each connection, most of which are idle.
func (h *hook) stream(ctx context.Context, inbound *session.Inbound, link *transport.Link, conn *net.TCPConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	end := sync.OnceFunc(func() {
		conn.Close()
		if to := link.Writer.(*writer).Writer; isPipe(to) {
			common.Interrupt(to)
		} else if inbound.Conn != nil { // it is this connection's alone
			inbound.Conn.Close()
		}
		close(ended)
	})
	defer context.AfterFunc(ctx, end)()
	watch := &activity{timer: time.AfterFunc(h.timeouts.ConnectionIdle, end)}
	defer watch.timer.Stop()
	watch.allow(h.timeouts.ConnectionIdle)
	up := make(chan error, 1)
	go func() {
		err := buf.Copy(link.Reader, buf.NewWriter(conn), buf.UpdateActivity(watch))
		if err != nil {
			end()
		}
		watch.allow(h.timeouts.DownlinkOnly)
		up <- err
	}()
	if err := buf.Copy(&socket{raw: raw, many: 1}, link.Writer, buf.UpdateActivity(watch)); err != nil {
		return err
	}
	if err := common.Close(link.Writer); err != nil {
		return err
	}
	watch.allow(h.timeouts.UplinkOnly)
	select {
	case err := <-up:
		return err
	case <-ended:
		return errCut
	}
}

func isPipe(w buf.Writer) bool {
	_, piped := w.(*pipe.Writer)
	return piped
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

// socket reads from a connection, and holds a buffer only when there is something to put into it.
type socket struct {
	raw  syscall.RawConn
	many int // buffers for the next read, twice as many as the last one filled
}

func (s *socket) ReadMultiBuffer() (buf.MultiBuffer, error) {
	var mb buf.MultiBuffer
	var n int
	var failed error
	err := s.raw.Read(func(fd uintptr) bool {
		var space [mostAtOnce][]byte
		for i := range s.many {
			b := buf.New()
			space[i] = b.Extend(buf.Size)
			mb = append(mb, b)
		}
		for {
			n, failed = unix.Readv(int(fd), space[:s.many])
			if !errors.Is(failed, unix.EINTR) {
				break
			}
		}
		if errors.Is(failed, unix.EAGAIN) {
			mb = buf.ReleaseMulti(mb)
			return false
		}
		return true
	})
	if err = errors.Join(err, failed); err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		buf.ReleaseMulti(mb)
		return nil, err
	}
	filled := (n + buf.Size - 1) / buf.Size
	if filled == s.many {
		s.many = min(2*s.many, mostAtOnce)
	} else {
		s.many = filled
	}
	mb[filled-1].Resize(0, int32(n-(filled-1)*buf.Size))
	buf.ReleaseMulti(mb[filled:])
	return mb[:filled], nil
}

// spare lets a reader of xray's, one that reads from the user's connection alone, hold a small buffer while it waits.
func spare(reader buf.Reader) {
	for {
		switch r := reader.(type) {
		case *buf.TimeoutWrapperReader:
			reader = r.Reader
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
