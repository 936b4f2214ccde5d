// Package gate decides, for every engine alike, who may connect to where and how much, and counts it.
package gate

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
)

// Why a connection is not let through.
var (
	ErrUnknownUser = errors.New("the user is not on this node's list")
	ErrExhausted   = errors.New("the user has nothing left")
	ErrDevices     = errors.New("the user is connected from as many addresses as allowed")
	ErrRule        = errors.New("a rule forbids the destination")
	ErrBlocked     = errors.New("the address is blocked")
)

// Gate holds the users of a node with their limits and their open connections.
type Gate struct {
	meter     *meter.Meter
	exhausted func(user int64)
	admit     Admit
	log       *slog.Logger

	rules   atomic.Pointer[[]rule]
	blocked atomic.Pointer[map[netip.Addr]bool]
	mu      sync.RWMutex
	users   map[int64]*user
	node    api.Node
}

type rule struct {
	id      int64
	pattern *regexp.Regexp
	exempt  []int64 // in order
}

// user's counters and limits are read without the gate's lock, on every packet.
type user struct {
	id      int64
	counter *meter.Counter
	limiter *rate.Limiter
	// stopAt is the position of the counter at which nothing is left.
	stopAt  atomic.Int64
	stopped atomic.Bool

	mu      sync.Mutex
	row     api.User
	gone    bool
	conns   map[*Conn]struct{}
	devices map[netip.Addr]*device
	seen    map[netip.Addr]struct{}
}

// New makes a gate without users. exhausted is called, once and without waiting for it, when a user has used
// up what remained; the user's connections are cut by then. admit is asked before a new address of a user with a
// device limit is let in.
func New(m *meter.Meter, exhausted func(user int64), admit Admit, log *slog.Logger) *Gate {
	g := &Gate{meter: m, exhausted: exhausted, admit: admit, log: log, users: map[int64]*user{}}
	g.rules.Store(new([]rule))
	g.blocked.Store(new(map[netip.Addr]bool))
	return g
}

// SetNode takes over the node's speed limit.
func (g *Gate) SetNode(node api.Node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.node = node
	for _, u := range g.users {
		u.mu.Lock()
		g.limitSpeed(u)
		u.mu.Unlock()
	}
}

// SetRules replaces the rules. One that is no RE2 expression is left out and logged.
func (g *Gate) SetRules(rules []api.Rule) {
	var compiled []rule
	for _, r := range rules {
		pattern, err := regexp.Compile(r.Pattern)
		if err != nil {
			g.log.Error("a rule is not a valid expression and is not applied", "rule", r.ID, "err", err)
			continue
		}
		compiled = append(compiled, rule{r.ID, pattern, slices.Sorted(slices.Values(r.Exempt))})
	}
	g.rules.Store(&compiled)
}

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

// Put adds a user or takes over what changed. Remaining is understood as of the server's knowledge: what the
// server may have counted already is what has left in a batch, so the user is stopped Remaining bytes after
// that. If a batch in flight turns out not to be in the figure, the overrun is at most that batch, and the
// answer to it stops the user; the other way round, someone who has just renewed would be cut for nothing.
// It answers whether the user may connect.
func (g *Gate) Put(row api.User) bool {
	stopAt := int64(math.MaxInt64)
	if row.Remaining != nil {
		stopAt = g.meter.Known(row.ID) + *row.Remaining
	}
	return g.put(row, stopAt)
}

// Restore adds a user as Put does, with the position that StopAt gave before a restart.
func (g *Gate) Restore(row api.User, stopAt int64) bool { return g.put(row, stopAt) }

func (g *Gate) put(row api.User, stopAt int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.users[row.ID]
	if u == nil {
		u = &user{
			id: row.ID, counter: g.meter.Counter(row.ID), limiter: rate.NewLimiter(rate.Inf, 0),
			conns: map[*Conn]struct{}{}, devices: map[netip.Addr]*device{}, seen: map[netip.Addr]struct{}{},
		}
		g.users[row.ID] = u
	}
	u.mu.Lock()
	rekeyed := u.row.ID != 0 && (u.row.UUID != row.UUID || u.row.Password != row.Password)
	u.row = row
	g.limitSpeed(u)
	u.stopAt.Store(stopAt)
	u.stopped.Store(u.counter.Total() >= stopAt)
	u.mu.Unlock()
	if rekeyed || u.stopped.Load() {
		u.cut()
	}
	return !u.stopped.Load()
}

// limitSpeed sets the smaller of the node's and the user's limit. One bucket serves both directions and all
// of the user's connections; it holds a quarter of a second.
func (g *Gate) limitSpeed(u *user) {
	limit := math.Inf(1)
	for _, mbps := range []*float64{g.node.SpeedMbps, u.row.SpeedMbps} {
		if mbps != nil {
			limit = min(limit, *mbps)
		}
	}
	if math.IsInf(limit, 1) {
		u.limiter.SetLimit(rate.Inf)
		return
	}
	bytes := limit * 1e6 / 8
	u.limiter.SetBurst(max(int(bytes/4), 16<<10))
	u.limiter.SetLimit(rate.Limit(bytes))
}

// Remove takes users off the list and cuts their connections.
func (g *Gate) Remove(ids ...int64) {
	for _, id := range ids {
		g.mu.Lock()
		u := g.users[id]
		delete(g.users, id)
		g.mu.Unlock()
		if u == nil {
			continue
		}
		u.mu.Lock()
		u.gone = true
		u.mu.Unlock()
		u.cut()
	}
}

// Stop cuts a user for whom the server says that nothing is left. It answers whether the user was running.
func (g *Gate) Stop(id int64) bool {
	u := g.find(id)
	if u == nil || u.stopped.Swap(true) {
		return false
	}
	u.cut()
	return true
}

// StopAt is the position of the user's counter at which the user is stopped, and whether that is so already.
func (g *Gate) StopAt(id int64) (position int64, stopped bool) {
	u := g.find(id)
	if u == nil {
		return 0, true
	}
	return u.stopAt.Load(), u.stopped.Load()
}

// Ending says whether any user has used, since the last report, a twentieth or more of what remained: then the
// user's other nodes, which may be giving out the same bytes, have to hear of it soon.
func (g *Gate) Ending() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		if u.ending(g.meter.UnsealedOf(u.id)) {
			return true
		}
	}
	return false
}

func (u *user) ending(unreported int64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if unreported == 0 || u.row.Remaining == nil || u.stopped.Load() {
		return false
	}
	return unreported >= (u.stopAt.Load()-u.counter.Total())/20
}

// Online lists the addresses of users that are connected or have been since the last call, and the number of
// open connections.
func (g *Gate) Online() (online []api.Online, connections int) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		u.mu.Lock()
		connections += len(u.conns)
		if len(u.seen) > 0 {
			o := api.Online{UserID: u.id}
			for addr := range u.seen {
				o.IPs = append(o.IPs, addr.String())
			}
			slices.Sort(o.IPs)
			online = append(online, o)
		}
		clear(u.seen)
		for addr, d := range u.devices {
			if d.conns > 0 {
				u.seen[addr] = struct{}{}
			}
		}
		u.mu.Unlock()
	}
	slices.SortFunc(online, func(a, b api.Online) int { return int(a.UserID - b.UserID) })
	return online, connections
}

func (g *Gate) find(id int64) *user {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.users[id]
}

// Ruled says whether there is any rule, so that looking into a connection can be of use.
func (g *Gate) Ruled() bool { return len(*g.rules.Load()) > 0 }

// Allowed tests a destination, host:port, against the rules and counts a hit.
func (g *Gate) Allowed(id int64, target string) error {
	for _, r := range *g.rules.Load() {
		if _, exempt := slices.BinarySearch(r.exempt, id); !exempt && r.pattern.MatchString(target) {
			g.meter.Hit(id, r.id)
			return fmt.Errorf("%w (rule %d)", ErrRule, r.id)
		}
	}
	return nil
}
