// Package gate decides, for every engine alike, who may connect to where and how much, and counts it.
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

// Why a connection is not let through.
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

	// asks are users of whom the server is to be asked for a lease, or told that there is no need of one.
	leaseRequestsMu sync.Mutex
	leaseRequests   map[int64]bool

	rules   atomic.Pointer[[]rule]
	blocked atomic.Pointer[map[netip.Addr]bool]

	mu        sync.RWMutex
	users     map[int64]*user
	speedMbps *float64 // the node's limit for each user
}

// user's counters and limits are read without the gate's lock, on every packet.
type user struct {
	id      int64
	counter *meter.Counter
	limiter *rate.Limiter
	// stopAt is the position of the counter at which nothing is left, or at which the lease ends; askAt that at which a
	// lease is asked for.
	stopAt, leaseRequestAt atomic.Int64
	stopped                atomic.Bool

	mu            sync.Mutex
	row           api.User
	removed       bool
	lease         lease
	waiting       chan struct{} // closed when the end moves; nil while nobody waits there
	conns         map[*Conn]struct{}
	devices       map[netip.Addr]*device
	onlineSources map[netip.Addr]struct{}
}

// New makes a gate without users. exhausted is called, once and without waiting for it, when a user has used
// up what remained; the user's connections are cut by then. admit is asked before a new address of a user with a
// device limit is let in.
func New(m *meter.Meter, exhausted func(user int64), admit Admit, log *slog.Logger) *Gate {
	g := &Gate{meter: m, exhausted: exhausted, admit: admit, log: log, users: map[int64]*user{}, leaseRequests: map[int64]bool{}}
	g.rules.Store(new([]rule))
	g.blocked.Store(new(map[netip.Addr]bool))
	return g
}

// Put adds a user or takes over what changed. Remaining is understood as of the server's knowledge: what the
// server may have counted already is what has left in a batch, so the user is stopped Remaining bytes after
// that. If a batch in flight turns out not to be in the figure, the overrun is at most that batch, and the
// answer to it stops the user; the other way round, someone who has just renewed would be cut for nothing.
// It answers whether the user may connect.
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

// PutUntil is Put for who is stopped at this position of their counter, such as the one that StopAt gave before a restart.
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

// getOrAddUser gives the user, new where the gate does not know them yet.
func (g *Gate) getOrAddUser(id int64) *user {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.users[id]
	if u == nil {
		u = &user{
			id: id, counter: g.meter.Counter(id), limiter: rate.NewLimiter(rate.Inf, 0),
			conns: map[*Conn]struct{}{}, devices: map[netip.Addr]*device{}, onlineSources: map[netip.Addr]struct{}{},
		}
		// Nobody gets in before Put has said how far.
		u.stopped.Store(true)
		u.leaseRequestAt.Store(math.MaxInt64)
		g.users[id] = u
	}
	return u
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
