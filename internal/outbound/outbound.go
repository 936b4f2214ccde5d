// Package outbound connects to addresses that staff or users named, such as those of webhooks and of push services. It
// keeps them from reaching the server's own networks: the address that a socket is about to use is checked after name
// resolution, so that a name that resolves differently the second time gains nothing.
package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// ErrPrivate means that an address is not a public one.
var ErrPrivate = errors.New("the address is not public")

// refused lists the prefixes that are not connected to, so that nobody who may name an address reaches the server's
// own networks. It is the list of the node agent (agent/internal/egress), which explains it; a test compares them.
var refused = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/4"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fc00::/7"),
	netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("fec0::/10"),
	netip.MustParsePrefix("ff00::/8"),
}

func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, p := range refused {
		if p.Contains(addr) {
			return false
		}
	}
	return addr.IsValid()
}

const dialTimeout = 5 * time.Second

// Client returns a client that follows no redirect, uses no proxy and keeps no connection. It connects to public
// addresses only, and to others while allowPrivate says so. timeout bounds a request as a whole: the name, the
// connection, the request and the answer.
func Client(timeout time.Duration, allowPrivate func() bool) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if !isPublic(at.Addr()) && !allowPrivate() {
			return fmt.Errorf("%s: %w", at.Addr(), ErrPrivate)
		}
		return nil
	}}
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: true, TLSHandshakeTimeout: dialTimeout,
			MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
