// Package sniff finds the host that a client names inside its connection, so that rules about hosts reach those who
// connect to a bare address, too.
package sniff

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

// maxBytes beginning of a connection that is looked at.
const maxBytes = 16 << 10

// Stream watches the beginning of a connection. Forbidden is asked about the host that it finds.
type Stream struct {
	Forbidden func(host string) error

	head []byte
	done bool
}

// Inspect is given what the client sends, piece by piece. With hold the pieces so far must not go on yet: what they
// begin names a host further on. An error is Forbidden's: they must never go on.
func (s *Stream) Inspect(piece []byte) (hold bool, err error) {
	if s.done {
		return false, nil
	}
	s.head = append(s.head, piece...)
	name, more := host(s.head)
	if more && len(s.head) < maxBytes {
		return true, nil
	}
	s.head, s.done = nil, true
	if name == "" {
		return false, nil
	}
	return false, s.Forbidden(name)
}

// host in a TLS or HTTP/1 client's first bytes; more means that it may still come.
func host(b []byte) (name string, more bool) {
	if len(b) > 0 && b[0] == recordHandshake {
		return serverName(b)
	}
	return hostHeader(b)
}

const recordHandshake = 22 // RFC 8446, 5.1

var errHelloRead = errors.New("the client hello was read")

// serverName reads a client hello as a server would.
func serverName(records []byte) (name string, more bool) {
	conn := &prefixConn{remaining: records}
	err := tls.Server(conn, &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		name = hello.ServerName
		return nil, errHelloRead
	}}).Handshake()
	return strings.ToLower(name), conn.ended && !errors.Is(err, errHelloRead)
}

// prefixConn of a connection; what is written to it, alerts, goes nowhere.
type prefixConn struct {
	net.Conn
	remaining []byte
	ended     bool
}

func (c *prefixConn) Read(p []byte) (int, error) {
	if len(c.remaining) == 0 {
		c.ended = true
		return 0, io.EOF
	}
	n := copy(p, c.remaining)
	c.remaining = c.remaining[n:]
	return n, nil
}

func (*prefixConn) Write(p []byte) (int, error)      { return len(p), nil }
func (*prefixConn) Close() error                     { return nil }
func (*prefixConn) SetWriteDeadline(time.Time) error { return nil }

var methods = []string{"GET ", "POST ", "HEAD ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "TRACE ", "CONNECT "}

// hostHeader reads the head of an HTTP/1 request.
func hostHeader(b []byte) (name string, more bool) {
	request := false
	for _, m := range methods {
		request = request || bytes.HasPrefix(b, []byte(m))
		more = more || strings.HasPrefix(m, string(b[:min(len(b), len(m))]))
	}
	if !request {
		return "", more
	}
	for line := range bytes.Lines(b) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			return "", true
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return "", false
		}
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(key, []byte("host")) {
			name = string(bytes.TrimSpace(value))
			if host, _, err := net.SplitHostPort(name); err == nil {
				name = host
			}
			return strings.ToLower(strings.Trim(name, "[]")), false
		}
	}
	return "", true
}
