package sniff_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/apernet/quic-go"

	"airstrip/agent/internal/sniff"
	"airstrip/agent/internal/xraytest"
)

var errForbidden = errors.New("forbidden")

// stream inspects a connection piece by piece and returns the host, and how many pieces were forwarded.
func stream(pieces ...string) (host string, passed int) {
	s := sniff.Stream{Forbidden: func(h string) error { host = h; return errForbidden }}
	waiting := 0
	for _, p := range pieces {
		hold, err := s.Inspect([]byte(p))
		switch {
		case err != nil:
			return host, passed
		case hold:
			waiting++
		default:
			passed, waiting = passed+waiting+1, 0
		}
	}
	return host, passed
}

func TestStream_HTTP_FindsHost(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		host   string
		passed int
	}{
		{[]string{"GET / HTTP/1.1\r\nHost: Example.COM\r\n\r\n"}, "example.com", 0},
		{[]string{"G", "ET / HTTP/1.1\r\nAccept: */*\r\nhost:", " example.com:8080\r\n"}, "example.com", 0},
		{[]string{"POST / HTTP/1.1\nHOST:[2001:db8::1]:80\n\n"}, "2001:db8::1", 0},
		{[]string{"GET / HTTP/1.0\r\n\r\n", "Host: example.com\r\n"}, "", 2},
		{[]string{"SSH-2.0-OpenSSH\r\n", "more"}, "", 2},
		{[]string{"EHLO example.com\r\n"}, "", 1},
		{[]string{"P", "ASS secret\r\n"}, "", 2},
		{[]string{"\x00\x01"}, "", 1},
		{[]string{"GET /" + strings.Repeat("x", 20_000)}, "", 1},
	} {
		if host, passed := stream(c.pieces...); host != c.host || passed != c.passed {
			t.Errorf("%.40q: host %q with %d pieces passed on, want %q with %d", c.pieces, host, passed, c.host,
				c.passed)
		}
	}
}

func TestStream_TLS_FindsServerName(t *testing.T) {
	hello := string(xraytest.ClientHello(t, "www.Example.com"))
	if host, passed := stream(hello); host != "www.example.com" || passed != 0 {
		t.Errorf("whole: %q, %d passed", host, passed)
	}
	var bytewise []string
	for _, b := range []byte(hello) {
		bytewise = append(bytewise, string([]byte{b}))
	}
	if host, passed := stream(bytewise...); host != "www.example.com" || passed != 0 {
		t.Errorf("byte by byte: %q, %d passed", host, passed)
	}
	// Split into two records in the middle of the name, as clients do that want to hide it.
	at := strings.Index(hello, "xample")
	record := func(s string) string { return "\x16\x03\x01" + string([]byte{byte(len(s) >> 8), byte(len(s))}) + s }
	if host, _ := stream(record(hello[5:at]), record(hello[at:])); host != "www.example.com" {
		t.Errorf("in two records: %q", host)
	}
	if host, passed := stream("\x16\x03\x01\x00\x05junk!", "more"); host != "" || passed != 2 {
		t.Errorf("junk: %q, %d passed", host, passed)
	}
}

func TestPackets_QUIC_FindsServerName(t *testing.T) {
	for _, v := range []quic.Version{quic.Version1, quic.Version2} {
		packets := xraytest.QUICHello(t, "www.example.com", v)
		host := ""
		p := sniff.Packets{Forbidden: func(h string) error { host = h; return errForbidden }}
		var last error
		for _, b := range packets {
			before := string(b)
			last = p.Inspect(b)
			if string(b) != before {
				t.Error("a packet was changed")
			}
		}
		if host != "www.example.com" || !errors.Is(last, errForbidden) {
			t.Errorf("version %v: host %q in %d packets, the last %v", v, host, len(packets), last)
		}
		// No modification of the packets causes a panic.
		for i := range packets[0] {
			for _, junk := range [][]byte{packets[0][:i], append(append([]byte{}, packets[0][:i]...), 0xff)} {
				p := sniff.Packets{Forbidden: func(string) error { return nil }}
				if err := p.Inspect(junk); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	p := sniff.Packets{Forbidden: func(h string) error { return io.EOF }}
	if err := p.Inspect([]byte("a question of DNS")); err != nil {
		t.Error(err)
	}
}
