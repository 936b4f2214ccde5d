package api

import (
	"io"
	"net/http"
	"time"
)

// body is a request body that must arrive at a minimum rate: piece bytes in patience of waiting. Only body sets
// deadlines for reading. After the end of the body none may be set: net/http then reads the connection to notice that
// the client has gone, takes a deadline that passes for that, and cancels this request and every later one of the
// connection.
type body struct {
	io.ReadCloser
	control   *http.ResponseController
	remaining int           // bytes of the current piece
	wait      time.Duration // remaining for the current piece
	ended     bool
	failed    bool
}

// unreadTimeout is how long net/http may wait for what a handler did not read. It is less than patience, because the
// wait comes before the answer is written.
const unreadTimeout = 5 * time.Second

// Read implements io.Reader.
func (b *body) Read(p []byte) (n int, err error) {
	if b.remaining == 0 {
		b.remaining, b.wait = piece, patience
	}
	start := time.Now()
	b.setDeadline(start.Add(b.wait))
	n, err = b.ReadCloser.Read(p[:min(len(p), b.remaining)])
	b.remaining -= n
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

// finish bounds how long net/http may wait for what the handler did not read. net/http reads some of it before the
// answer, so that the connection can be used again.
func (b *body) finish() {
	if !b.ended && !b.failed {
		b.setDeadline(time.Now().Add(unreadTimeout))
	}
}

// setDeadline ignores writers without deadlines, as those of tests.
func (b *body) setDeadline(at time.Time) { _ = b.control.SetReadDeadline(at) }
