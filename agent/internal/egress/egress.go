// Package egress opens the connections to users' destinations. It refuses destinations that are not public addresses,
// so that users cannot reach the node's own networks. The check applies to the address that the socket uses, after name
// resolution.
package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrRefused means that a destination is not a public address.
var ErrRefused = errors.New("the destination is not a public address")

// refused lists the prefixes that the IANA special-purpose address registries (RFC 6890) declare not globally
// reachable, those that embed an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible), multicast, and Azure's metadata
// host, the only one among the large clouds with a public address.
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

// Public reports whether users may connect to addr.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, p := range refused {
		if p.Contains(addr) {
			return false
		}
	}
	return addr.IsValid()
}

// Dialer opens connections. It checks the address that the socket is about to use, so a name that resolves differently
// the second time gains nothing.
type Dialer struct {
	// AllowPrivate disables the check.
	AllowPrivate atomic.Bool
}

// DialTCP connects to host:port.
func (d *Dialer) DialTCP(ctx context.Context, target string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return d.check(at.Addr())
	}}
	return dialer.DialContext(ctx, "tcp", target)
}

// OpenUDP opens a socket for packets to any destination and returns the resolved address of target. Packets to refused
// destinations are dropped, as a firewall would do.
func (d *Dialer) OpenUDP(ctx context.Context, target string) (net.PacketConn, *net.UDPAddr, error) {
	addr, err := d.ResolveUDP(ctx, target)
	if err != nil {
		return nil, nil, err
	}
	var config net.ListenConfig
	conn, err := config.ListenPacket(ctx, "udp", ":0")
	if err != nil {
		return nil, nil, err
	}
	return &packetConn{PacketConn: conn, dialer: d}, net.UDPAddrFromAddrPort(addr), nil
}

// ResolveUDP returns the address of host:port, unless it is refused.
func (d *Dialer) ResolveUDP(ctx context.Context, target string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		return netip.AddrPort{}, err
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, err
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "udp", port)
	if err != nil {
		return netip.AddrPort{}, err
	}
	addr := preferIPv4(addrs)
	return netip.AddrPortFrom(addr, uint16(number)), d.check(addr)
}

// preferIPv4 picks an IPv4 address where there is one: a UDP flow has no second attempt, and many nodes have no IPv6.
func preferIPv4(addrs []netip.Addr) netip.Addr {
	for _, a := range addrs {
		if a.Unmap().Is4() {
			return a.Unmap()
		}
	}
	return addrs[0]
}

func (d *Dialer) check(addr netip.Addr) error {
	if d.AllowPrivate.Load() || Public(addr) {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrRefused, addr)
}

type packetConn struct {
	net.PacketConn
	dialer *Dialer
}

func (c *packetConn) WriteTo(p []byte, addr net.Addr) (int, error) {
	to, ok := addr.(*net.UDPAddr)
	if !ok || c.dialer.check(to.AddrPort().Addr()) != nil {
		return len(p), nil
	}
	return c.PacketConn.WriteTo(p, addr)
}
