// Package sniff finds the host that a client names inside its connection: in the TLS client hello, in the HTTP/1 Host
// header, or in the QUIC handshake. Rules about hosts thereby also apply to users who connect to a bare address. It
// inspects a bounded beginning of a connection and never changes the data. What it cannot parse is let through without
// a host.
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

// maxBytes bounds how much of a connection is inspected.
const maxBytes = 16 << 10

// Stream inspects the beginning of a connection. Forbidden is called with the host that it finds.
type Stream struct {
	Forbidden func(host string) error

	head []byte
	done bool
}

// Inspect takes what the client sends, piece by piece. With hold the pieces so far must not be forwarded yet, because
// the host is still incomplete. An error is that of Forbidden: they must never be forwarded.
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

// host returns the host in the first bytes of a TLS or HTTP/1 client. more means that it may still follow.
func host(b []byte) (name string, more bool) {
	if len(b) > 0 && b[0] == recordHandshake {
		return serverName(b)
	}
	return hostHeader(b)
}

const recordHandshake = 22 // RFC 8446, section 5.1

var errHelloRead = errors.New("the client hello was read")

// serverName parses a client hello as a server would.
func serverName(records []byte) (name string, more bool) {
	conn := &prefixConn{remaining: records}
	err := tls.Server(conn, &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		name = hello.ServerName
		return nil, errHelloRead
	}}).Handshake()
	return strings.ToLower(name), conn.ended && !errors.Is(err, errHelloRead)
}

// prefixConn reads the beginning of a connection. Writes, such as TLS alerts, are discarded.
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

// hostHeader parses the head of an HTTP/1 request.
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
