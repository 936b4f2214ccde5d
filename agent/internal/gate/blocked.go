package gate

import "net/netip"

// Block replaces the set of blocked addresses and cuts their connections. The caller must not change the map
// afterwards.
func (g *Gate) Block(addresses map[netip.Addr]bool) {
	g.blocked.Store(&addresses)
	if len(addresses) == 0 {
		return
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		u.cutWhere(func(c *Conn) bool { return addresses[c.source] })
	}
}

// Blocked reports whether connections from an address are refused.
func (g *Gate) Blocked(source netip.Addr) bool {
	return (*g.blocked.Load())[source.Unmap().WithZone("")]
}
