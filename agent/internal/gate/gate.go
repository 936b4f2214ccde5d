// Package gate decides for every engine who may connect, to which destination and for how many bytes, and counts what
// is transferred. It owns the users of a node with their quotas, leases, speed limits, device slots and open
// connections, the destination rules and the blocked addresses. Engines open a Conn for every connection and report
// each byte to it before they forward it. The invariant: no byte reaches a user that was not counted before, and a user
// who is stopped or removed transfers nothing more.
package gate

import (
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
)

// Reasons for which a connection is refused.
var (
	ErrUnknownUser = errors.New("the user is not on this node's list")
	ErrExhausted   = errors.New("the user has nothing left")
	ErrDeviceLimit = errors.New("the user is connected from as many addresses as allowed")
	ErrForbidden   = errors.New("a rule forbids the destination")
	ErrBlocked     = errors.New("the address is blocked")
)

// Gate holds the users of a node with their limits and their open connections.
type Gate struct {
	meter         *meter.Meter
	exhausted     func(user int64)
	admit         Admit
	log           *slog.Logger
	onLeaseNeeded func()

	// leaseRequests holds the users whose lease is to be requested (false) or released (true).
	leaseRequestsMu sync.Mutex
	leaseRequests   map[int64]bool

	rules   atomic.Pointer[[]rule]
	blocked atomic.Pointer[map[netip.Addr]bool]

	mu        sync.RWMutex
	users     map[int64]*user
	speedMbps *float64 // The node's limit for each user; nil for none.
}

// user is the state of one user. Counters and limits are read on every packet, without the gate's lock.
type user struct {
	id      int64
	counter *meter.Counter
	limiter *rate.Limiter
	// stopAt is the counter position at which the quota or the lease ends. leaseRequestAt is the position at which the
	// next lease is requested.
	stopAt, leaseRequestAt atomic.Int64
	stopped                atomic.Bool

	mu            sync.Mutex
	row           api.User
	removed       bool
	lease         lease
	waiting       chan struct{} // Closed when the limit changes; nil while no connection waits for that.
	conns         map[*Conn]struct{}
	devices       map[netip.Addr]*device
	onlineSources map[netip.Addr]struct{}
}

// New returns a gate without users. exhausted is called once, in a goroutine of its own, when a user has used up the
// quota; the connections are cut by then. admit is called before a new address of a user with a device limit is
// admitted.
func New(m *meter.Meter, exhausted func(user int64), admit Admit, log *slog.Logger) *Gate {
	g := &Gate{
		meter: m, exhausted: exhausted, admit: admit, log: log, users: map[int64]*user{},
		leaseRequests: map[int64]bool{},
	}
	g.rules.Store(new([]rule))
	g.blocked.Store(new(map[netip.Addr]bool))
	return g
}

// Put adds or updates a user and reports whether the user may connect. Remaining is relative to what the server may
// have counted, which is everything sent in a batch so far; the user stops Remaining bytes after that. If a batch in
// flight is not part of the figure, the overrun is at most that batch, and its answer stops the user. The opposite
// choice would cut users who have just renewed.
func (g *Gate) Put(row api.User) bool {
	if row.Idle != nil {
		g.putLeased(g.getOrAddUser(row.ID), row)
		return true
	}
	stopAt := int64(math.MaxInt64)
	if row.Remaining != nil {
		stopAt = g.meter.SentPosition(row.ID) + *row.Remaining
	}
	return g.PutUntil(row, stopAt)
}

// PutUntil works as Put for a user who stops at a known counter position, such as one that StopAt returned before a
// restart.
func (g *Gate) PutUntil(row api.User, stopAt int64) bool {
	u := g.getOrAddUser(row.ID)
	u.mu.Lock()
	secretChanged := u.row.ID != 0 && (u.row.UUID != row.UUID || u.row.Password != row.Password)
	u.row = row
	g.limitSpeed(u)
	u.lease = lease{}
	u.stopAt.Store(stopAt)
	u.leaseRequestAt.Store(math.MaxInt64)
	u.wakeWaiting()
	u.stopped.Store(u.counter.Total() >= stopAt)
	u.mu.Unlock()
	if secretChanged || u.stopped.Load() {
		u.cut()
	}
	return !u.stopped.Load()
}

// getOrAddUser returns the user, adding one that is stopped if the gate does not know the id.
func (g *Gate) getOrAddUser(id int64) *user {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.users[id]
	if u == nil {
		u = &user{
			id: id, counter: g.meter.Counter(id), limiter: rate.NewLimiter(rate.Inf, 0),
			conns: map[*Conn]struct{}{}, devices: map[netip.Addr]*device{}, onlineSources: map[netip.Addr]struct{}{},
		}
		// The user stays stopped until Put has set a limit.
		u.stopped.Store(true)
		u.leaseRequestAt.Store(math.MaxInt64)
		g.users[id] = u
	}
	return u
}

// Remove removes users and cuts their connections.
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
		u.removed = true
		held := u.lease.held
		u.wakeWaiting()
		u.mu.Unlock()
		u.cut()
		if held {
			g.requestLease(id, true)
		}
	}
}

func (g *Gate) find(id int64) *user {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.users[id]
}
