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

	mu    sync.Mutex
	doors map[way]door
}

// way is what a door is about. One that differs in anything is another door.
type way struct{ network, listen, target string }

// door takes what comes to a port.
type door interface {
	// drain lets nobody in any more.
	drain()
	// open is how many connections have not ended.
	open() int
	// close ends everything.
	close()
}

// New makes a relay of nothing yet.
func New(blocked func(netip.Addr) bool, log *slog.Logger) *Relay {
	return &Relay{blocked: blocked, log: log, doors: map[way]door{}}
}

// Set makes the forwards the only ones. Those that were there before go on with all their connections; those that are
// left out are cut. On an error the others are served; the next call tries again what is missing.
func (r *Relay) Set(listen string, forwards []api.Forward) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := map[way]bool{}
	for _, f := range forwards {
		at := net.JoinHostPort(cmp.Or(listen, "::"), strconv.Itoa(f.Port))
		if f.TCP {
			wanted[way{"tcp", at, f.Target}] = true
		}
		if f.UDP {
			wanted[way{"udp", at, f.Target}] = true
		}
	}
	for w, d := range r.doors { // first, for another target may want the port
		if !wanted[w] {
			d.close()
			delete(r.doors, w)
			r.log.Info("no relay any more", "network", w.network, "listen", w.listen, "target", w.target)
		}
	}
	var failed []error
	for w := range wanted {
		if r.doors[w] != nil {
			continue
		}
		d, err := r.listen(w)
		if err != nil {
			failed = append(failed, fmt.Errorf("the relay of %s: %w", w.target, err))
			continue
		}
		r.doors[w] = d
		r.log.Info("a relay", "network", w.network, "listen", w.listen, "target", w.target)
	}
	return errors.Join(failed...)
}

func (r *Relay) listen(w way) (door, error) {
	if w.network == "tcp" {
		return r.listenTCP(w)
	}
	return r.listenUDP(w)
}

// Drain lets nobody in any more; what is open goes on. Only Open and Close may follow.
func (r *Relay) Drain() { r.each(door.drain) }

// Open is how many TCP connections are open.
func (r *Relay) Open() (n int) {
	r.each(func(d door) { n += d.open() })
	return n
}

// Close ends everything.
func (r *Relay) Close() { r.each(door.close) }

func (r *Relay) each(do func(door)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.doors {
		do(d)
	}
}

// dialTime is how long the other node has to answer.
const dialTime = 10 * time.Second

func dial(ctx context.Context, w way) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTime}
	return dialer.DialContext(ctx, w.network, w.target)
}

// As nobody has shown a secret yet, no address may hold more than this of a port, and all together no more than that.
const (
	mostFrom = 1000
	mostOpen = 10_000
)

// crowd counts who is in.
type crowd struct {
	mu    sync.Mutex
	total int
	from  map[netip.Prefix]int
}

// enter answers whether there is room; then leave has to follow.
func (c *crowd) enter(source netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	home := home(source)
	if c.total >= mostOpen || c.from[home] >= mostFrom {
		return false
	}
	if c.from == nil {
		c.from = map[netip.Prefix]int{}
	}
	c.total++
	c.from[home]++
	return true
}

func (c *crowd) leave(source netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	home := home(source)
	c.total--
	if c.from[home]--; c.from[home] == 0 {
		delete(c.from, home)
	}
}

// home of an address: of IPv6 the 64 bits that one household gets at least.
func home(source netip.Addr) netip.Prefix {
	bits := 64
	if source.Is4() {
		bits = 32
	}
	p, _ := source.Prefix(bits)
	return p
}
