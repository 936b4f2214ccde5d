package gate

import "net/netip"

// Block makes the addresses the ones from which nobody is let in, and cuts who is. Nobody may change the map any more.
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

// Blocked says whether an address is blocked.
func (g *Gate) Blocked(source netip.Addr) bool {
	return (*g.blocked.Load())[source.Unmap().WithZone("")]
}
