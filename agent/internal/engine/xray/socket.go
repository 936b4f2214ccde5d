package xray

import (
	"errors"
	"io"
	"syscall"

	"github.com/xtls/xray-core/common/buf"
	"golang.org/x/sys/unix"
)

// maxBuffersPerRead bounds the buffers that one read may fill.
const maxBuffersPerRead = 8

// socket reads from a connection and holds buffers only while there is data for them.
type socket struct {
	raw       syscall.RawConn
	nextCount int // Buffers for the next read: twice as many as the last one filled.
	mb        buf.MultiBuffer
	n         int
	failed    error
}

func (s *socket) ReadMultiBuffer() (buf.MultiBuffer, error) {
	if err := s.raw.Read(s.read); err != nil {
		return nil, err
	}
	return s.takeBuffers()
}

// read fills buffers if data is available.
func (s *socket) read(fd uintptr) bool {
	var space [maxBuffersPerRead][]byte
	for i := range s.nextCount {
		b := buf.New()
		space[i] = b.Extend(buf.Size)
		s.mb = append(s.mb, b)
	}
	for {
		s.n, s.failed = unix.Readv(int(fd), space[:s.nextCount])
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

// takeBuffers returns what was read.
func (s *socket) takeBuffers() (buf.MultiBuffer, error) {
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
	if filled == s.nextCount {
		s.nextCount = min(2*s.nextCount, maxBuffersPerRead)
	} else {
		s.nextCount = filled
	}
	mb[filled-1].Resize(0, int32(s.n-(filled-1)*buf.Size))
	buf.ReleaseMulti(mb[filled:])
	return mb[:filled], nil
}

// useSmallBuffers makes one of xray's readers hold only a small buffer while it waits, if it reads from the user's
// connection alone.
func useSmallBuffers(reader buf.Reader) {
	for {
		switch r := reader.(type) {
		case *buf.BufferedReader:
			if single, ok := r.Reader.(*buf.SingleReader); ok {
				r.Reader = &adaptiveReader{Reader: single.Reader}
				return
			}
			reader = r.Reader
		default:
			return
		}
	}
}

// idlePiece is the smallest buffer that xray pools.
const idlePiece = 2 << 10

// adaptiveReader reads into small buffers until one is full, then into large ones until one is nearly empty.
type adaptiveReader struct {
	io.Reader
	busy bool
}

func (s *adaptiveReader) ReadMultiBuffer() (buf.MultiBuffer, error) {
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
