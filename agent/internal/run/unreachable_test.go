package run

import (
	"net"
	"testing"
)

func TestAMachineWithoutIPv4NeedsAnotherListener(t *testing.T) {
	addresses := func(texts ...string) (list []net.Addr) {
		for _, text := range texts {
			ip, network, err := net.ParseCIDR(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, &net.IPNet{IP: ip, Mask: network.Mask})
		}
		return list
	}
	six := addresses("127.0.0.1/8", "::1/128", "fe80::1/64", "2001:db8::7/64")
	both := append(addresses("10.0.0.7/24"), six...)
	for _, c := range []struct {
		listen string
		own    []net.Addr
		wrong  bool
	}{
		{"0.0.0.0", six, true},
		{"0.0.0.0", both, false},
		{"::", six, false},
		{"", six, false},
		{"127.0.0.1", six, false}, // behind something of one's own
		{"0.0.0.0", addresses("127.0.0.1/8", "::1/128"), false}, // without any network
	} {
		if got := unreachable(c.listen, c.own); (got != nil) != c.wrong {
			t.Errorf("%q with %v: %v", c.listen, c.own, got)
		}
	}
}
