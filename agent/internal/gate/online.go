package gate

import (
	"slices"

	"airstrip/agent/internal/api"
)

// Connections returns the number of open connections.
func (g *Gate) Connections() (n int) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		u.mu.Lock()
		n += len(u.conns)
		u.mu.Unlock()
	}
	return n
}

// Online returns the addresses of users that are connected or have been since the last call, and the number of open
// connections.
func (g *Gate) Online() (online []api.Online, connections int) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		u.mu.Lock()
		connections += len(u.conns)
		if len(u.onlineSources) > 0 {
			o := api.Online{UserID: u.id}
			for addr := range u.onlineSources {
				o.IPs = append(o.IPs, addr.String())
			}
			slices.Sort(o.IPs)
			online = append(online, o)
		}
		clear(u.onlineSources)
		for addr, d := range u.devices {
			if d.conns > 0 {
				u.onlineSources[addr] = struct{}{}
			}
		}
		u.mu.Unlock()
	}
	slices.SortFunc(online, func(a, b api.Online) int { return int(a.UserID - b.UserID) })
	return online, connections
}
