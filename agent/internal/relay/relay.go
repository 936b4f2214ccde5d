// Package relay carries what comes to ports of this machine to other nodes, as it is: it neither reads nor counts it.
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

// Relay listens at the ports that it was told last.
type Relay struct {
	// blocked are the addresses that are not let in.
	blocked func(netip.Addr) bool
	log     *slog.Logger

	mu        sync.Mutex
	listeners map[route]listener
}

// route is what a door is about. One that differs in anything is another door.
type route struct{ network, listen, target string }

// listener takes what comes to a port.
type listener interface {
	// drain lets nobody in any more.
	drain()
	// openCount is how many connections have not ended.
	openCount() int
	// close ends everything.
	close()
}

// New makes a relay of nothing yet.
func New(blocked func(netip.Addr) bool, log *slog.Logger) *Relay {
	return &Relay{blocked: blocked, log: log, listeners: map[route]listener{}}
}

// Set makes the forwards the only ones. Those that were there before go on with all their connections; those that are
// left out are cut. On an error the others are served; the next call tries again what is missing.
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
	for w, d := range r.listeners { // first, for another target may want the port
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

// Drain lets nobody in any more; what is open goes on. Only Open and Close may follow.
func (r *Relay) Drain() { r.each(listener.drain) }

// OpenCount is how many TCP connections are open.
func (r *Relay) OpenCount() (n int) {
	r.each(func(d listener) { n += d.openCount() })
	return n
}

// Close ends everything.
func (r *Relay) Close() { r.each(listener.close) }

func (r *Relay) each(do func(listener)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.listeners {
		do(d)
	}
}

// dialTimeout is how long the other node has to answer.
const dialTimeout = 10 * time.Second

func dial(ctx context.Context, w route) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	return dialer.DialContext(ctx, w.network, w.target)
}

// As nobody has shown a secret yet, no address may hold more than this of a port, and all together no more than that.
const (
	maxPerSource = 1000
	maxOpen      = 10_000
)

// sourceLimiter counts who is in.
type sourceLimiter struct {
	mu       sync.Mutex
	total    int
	bySource map[netip.Prefix]int
}

// acquire answers whether there is room; then leave has to follow.
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

// sourcePrefix of an address: of IPv6 the 64 bits that one household gets at least.
func sourcePrefix(source netip.Addr) netip.Prefix {
	bits := 64
	if source.Is4() {
		bits = 32
	}
	p, _ := source.Prefix(bits)
	return p
}
