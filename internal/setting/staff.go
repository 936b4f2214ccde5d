package setting

import (
	"net/netip"
	"slices"
	"strings"
)

// maxStaffNetworks bounds what is looked through for each call of staff.
const maxStaffNetworks = 200

// StaffMayCallFrom tells whether members of staff may act from an address. One that is not known, as of a message in
// Telegram, is in no network.
func (s Site) StaffMayCallFrom(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	return len(s.StaffNetworks) == 0 || slices.ContainsFunc(s.StaffNetworks, func(written string) bool {
		network, ok := parseNetwork(written)
		return ok && network.Contains(address)
	})
}

// parseNetwork reads a network, or an address as the network of it alone.
func parseNetwork(written string) (netip.Prefix, bool) {
	written = strings.TrimSpace(written)
	if network, err := netip.ParsePrefix(written); err == nil {
		return network.Masked(), !network.Addr().Is4In6()
	}
	address, err := netip.ParseAddr(written)
	if err != nil || address.Zone() != "" || address.Is4In6() {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(address, address.BitLen()), true
}

// staff checks the networks of staff.
func (p *problems) staff(s *Site) {
	p.When(len(s.StaffNetworks) > maxStaffNetworks || slices.ContainsFunc(s.StaffNetworks, func(written string) bool {
		_, ok := parseNetwork(written)
		return !ok
	}), "staff_networks", "format", "请填写至多 200 个网络或地址，如 203.0.113.0/24 或 2001:db8::/48",
		"Please give 200 networks or addresses at most, such as 203.0.113.0/24 or 2001:db8::/48")
}
