package api

import (
	"io"
	"net/http"
	"time"
)

// body is a request body that must arrive at a minimum speed: piece bytes in patience of waiting. Only body sets deadlines
// for reading. Once the body has ended none may be set: net/http then reads the connection to notice that the client has
// gone, takes a deadline that passes for just that, and cancels this request and every later one of the connection.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	left    int           // bytes of the current piece that are still to come
	wait    time.Duration // that the current piece may still take
	ended   bool
	failed  bool
}

// leaveFor is how long net/http may wait for what a handler did not read: less than patience, since it does so before it
// writes the answer.
const leaveFor = 5 * time.Second

// Read implements io.Reader.
func (b *body) Read(p []byte) (n int, err error) {
	if b.left == 0 {
		b.left, b.wait = piece, patience
	}
	start := time.Now()
	b.setDeadline(start.Add(b.wait))
	n, err = b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	b.wait -= time.Since(start)
	switch {
	case err == io.EOF:
		b.ended = true
		b.setDeadline(time.Time{})
	case err != nil:
		b.failed = true
	}
	return n, err
}

// leave bounds how long net/http may wait for what the handler did not read: it reads some of it before the answer, so
// that the connection can be used again.
func (b *body) leave() {
	if !b.ended && !b.failed {
		b.setDeadline(time.Now().Add(leaveFor))
	}
}

// setDeadline ignores that a writer has no deadlines, as those of tests.
func (b *body) setDeadline(at time.Time) { _ = b.control.SetReadDeadline(at) }
