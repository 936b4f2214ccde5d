package egress_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"airstrip/agent/internal/egress"
)

func TestPublic(t *testing.T) {
	for text, public := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "100.63.255.255": true, "100.128.0.0": true, "172.32.0.1": true,
		"2606:4700::1111": true, "::ffff:1.1.1.1": true,
		"0.0.0.0": false, "10.1.2.3": false, "100.64.0.1": false, "100.100.100.200": false, "127.0.0.1": false,
		"127.255.0.1":   false,
		"168.63.129.16": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false,
		"192.0.0.192": false, "192.88.99.1": false, "198.18.0.1": false, "224.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::7f00:1": false,
		"64:ff9b::a00:1": false,
		"64:ff9b:1::1":   false, "2001::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "fc00::1": false,
		"fd00:ec2::254": false,
		"fe80::1":       false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false,
	} {
		if got := egress.Public(netip.MustParseAddr(text)); got != public {
			t.Errorf("%s: public is %v, want %v", text, got, public)
		}
	}
	if egress.Public(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

func TestDialer_ChecksResolvedAddress(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	var d egress.Dialer
	for _, host := range []string{"127.0.0.1", "localhost", "::1", "::ffff:127.0.0.1"} {
		if _, err := d.DialTCP(context.Background(), net.JoinHostPort(host, port)); !errors.Is(err, egress.ErrRefused) {
			t.Errorf("TCP to %s: %v", host, err)
		}
		if _, _, err := d.OpenUDP(context.Background(), net.JoinHostPort(host, port)); !errors.Is(err,
			egress.ErrRefused) {
			t.Errorf("UDP to %s: %v", host, err)
		}
	}
	d.AllowPrivate.Store(true)
	conn, err := d.DialTCP(context.Background(), net.JoinHostPort("localhost", port))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
