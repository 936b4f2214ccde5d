// Package relay forwards the traffic of ports on this machine to other nodes, unchanged. It neither reads nor counts
// the traffic: the other node authenticates and counts its users. Because nobody has authenticated here, connections
// are bounded by source address and in total. A change of one forward leaves the connections of the others alone.
package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"airstrip/agent/internal/api"
)

// Relay listens on the ports of the latest call of Set.
type Relay struct {
	// blocked reports whether connections from an address are refused.
	blocked func(netip.Addr) bool
	log     *slog.Logger

	mu        sync.Mutex
	listeners map[route]listener
}

// route identifies a listener. A change of any field makes it another one.
type route struct{ network, listen, target string }

// listener accepts the traffic of one route.
type listener interface {
	// drain refuses new connections.
	drain()
	// openCount returns the number of open connections.
	openCount() int
	// close ends the listener and all connections.
	close()
}

// New returns a relay without forwards.
func New(blocked func(netip.Addr) bool, log *slog.Logger) *Relay {
	return &Relay{blocked: blocked, log: log, listeners: map[route]listener{}}
}

// Set replaces the forwards. Those that were there before keep all their connections; those that are left out are
// closed. On an error the others are served, and the next call retries the failed ones.
func (r *Relay) Set(listen string, forwards []api.Forward) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := map[route]bool{}
	for _, f := range forwards {
		at := net.JoinHostPort(cmp.Or(listen, "::"), strconv.Itoa(f.Port))
		if f.TCP {
			wanted[route{"tcp", at, f.Target}] = true
		}
		if f.UDP {
			wanted[route{"udp", at, f.Target}] = true
		}
	}
	for w, d := range r.listeners { // Before new listeners open: another target may use the same port.
		if !wanted[w] {
			d.close()
			delete(r.listeners, w)
			r.log.Info("no relay any more", "network", w.network, "listen", w.listen, "target", w.target)
		}
	}
	var failed []error
	for w := range wanted {
		if r.listeners[w] != nil {
			continue
		}
		d, err := r.listen(w)
		if err != nil {
			failed = append(failed, fmt.Errorf("the relay of %s: %w", w.target, err))
			continue
		}
		r.listeners[w] = d
		r.log.Info("a relay", "network", w.network, "listen", w.listen, "target", w.target)
	}
	return errors.Join(failed...)
}

func (r *Relay) listen(w route) (listener, error) {
	if w.network == "tcp" {
		return r.listenTCP(w)
	}
	return r.listenUDP(w)
}

// Drain refuses new connections; open ones continue. Only OpenCount and Close may follow.
func (r *Relay) Drain() { r.each(listener.drain) }

// OpenCount returns the number of open TCP connections.
func (r *Relay) OpenCount() (n int) {
	r.each(func(d listener) { n += d.openCount() })
	return n
}

// Close ends all listeners and connections.
func (r *Relay) Close() { r.each(listener.close) }

func (r *Relay) each(do func(listener)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.listeners {
		do(d)
	}
}

// dialTimeout bounds connecting to the other node.
const dialTimeout = 10 * time.Second

func dial(ctx context.Context, w route) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	return dialer.DialContext(ctx, w.network, w.target)
}

// Clients have not authenticated yet, so one address may hold no more than maxPerSource connections of a port, and all
// addresses together no more than maxOpen.
const (
	maxPerSource = 1000
	maxOpen      = 10_000
)

// sourceLimiter counts open connections by source address.
type sourceLimiter struct {
	mu       sync.Mutex
	total    int
	bySource map[netip.Prefix]int
}

// acquire reports whether there is room for another connection. If so, release has to follow.
func (c *sourceLimiter) acquire(source netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	prefix := sourcePrefix(source)
	if c.total >= maxOpen || c.bySource[prefix] >= maxPerSource {
		return false
	}
	if c.bySource == nil {
		c.bySource = map[netip.Prefix]int{}
	}
	c.total++
	c.bySource[prefix]++
	return true
}

func (c *sourceLimiter) release(source netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	prefix := sourcePrefix(source)
	c.total--
	if c.bySource[prefix]--; c.bySource[prefix] == 0 {
		delete(c.bySource, prefix)
	}
}

// sourcePrefix returns the prefix that counts as one source: a single IPv4 address, or the /64 that an IPv6 household
// has at least.
func sourcePrefix(source netip.Addr) netip.Prefix {
	bits := 64
	if source.Is4() {
		bits = 32
	}
	p, _ := source.Prefix(bits)
	return p
}
