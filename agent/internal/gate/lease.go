package gate

import (
	"context"
	"math"
	"time"

	"airstrip/agent/internal/api"
)

// What is left of a user's quota may be given out by several nodes at once. The server therefore leases it to them: a user
// who needs leases is let through up to the end of the lease, which is asked for in time to move on, and connections that
// reach the end wait for the answer. What a node may give out before it has asked for any is small, and the same after a
// lease has lapsed.

const (
	// leaseTimeout is how long connections wait for a lease before the user is taken for one with nothing left.
	leaseTimeout = 10 * time.Second
	// leaseRetryInterval is how often they ask while they wait.
	leaseRetryInterval = 500 * time.Millisecond
	// leaseIdleTimeout is how long a user may be idle before the lease is given back.
	leaseIdleTimeout = 5 * time.Minute
)

// lease is under the user's lock.
type lease struct {
	held      bool
	until     int64     // position of the counter
	expiresAt time.Time // it must not be used after that
	renewAt   time.Time // it is asked for anew after that, if it is in use
	position  int64     // of the counter when it was last seen to move
	moved     time.Time // and when that was
}

// LeaseRequest is what was asked of the server, with the position that its answer counts from.
type LeaseRequest struct {
	api.LeaseRequest
	answered int64
	at       time.Time
}

// OnLeaseNeeded has want called, which must not wait, when there is something to ask the server for.
func (g *Gate) OnLeaseNeeded(notify func()) { g.onLeaseNeeded = notify }

// limitsLocked is the position up to which the user is let through, and the one at which a lease is asked for.
func (g *Gate) limitsLocked(u *user) (stopAt, leaseRequestAt int64) {
	if u.lease.held {
		return u.lease.until, u.lease.requestPosition(u.counter.Total())
	}
	answered := g.meter.AnsweredPosition(u.id)
	return answered + *u.row.Idle, answered + *u.row.Idle/2
}

// requestPosition is half of what is left of the lease from here.
func (l *lease) requestPosition(position int64) int64 {
	if l.until == math.MaxInt64 {
		return l.until
	}
	return max(position, l.until-(l.until-position)/2)
}

// updateLimit takes over where the user's end is now and wakes the connections that wait there. The caller holds the lock.
func (g *Gate) updateLimit(u *user) {
	stopAt, leaseRequestAt := g.limitsLocked(u)
	u.stopAt.Store(stopAt)
	u.leaseRequestAt.Store(leaseRequestAt)
	u.wakeWaiting()
}

// wakeWaiting has the connections that wait at the end look again. The caller holds the lock.
func (u *user) wakeWaiting() {
	if u.waiting != nil {
		close(u.waiting)
		u.waiting = nil
	}
}

// requestLease notes that the user needs a lease, or does not need the one there is.
func (g *Gate) requestLease(id int64, release bool) {
	g.leaseRequestsMu.Lock()
	was, asked := g.leaseRequests[id]
	g.leaseRequests[id] = release && (was || !asked) // whoever needs one again does not give it back
	g.leaseRequestsMu.Unlock()
	if g.onLeaseNeeded != nil && (!asked || was != release) {
		g.onLeaseNeeded()
	}
}

// prefetchLease asks for a lease before the user has come to the end of what there is, once.
func (g *Gate) prefetchLease(u *user) {
	if u.leaseRequestAt.Swap(math.MaxInt64) != math.MaxInt64 {
		g.requestLease(u.id, false)
	}
}

// TakeLeaseRequests takes what there is to ask the server for, at most n.
func (g *Gate) TakeLeaseRequests(n int) []LeaseRequest {
	g.leaseRequestsMu.Lock()
	defer g.leaseRequestsMu.Unlock()
	var requests []LeaseRequest
	for id, release := range g.leaseRequests {
		if len(requests) == n {
			break
		}
		delete(g.leaseRequests, id)
		answered := g.meter.AnsweredPosition(id)
		open := g.meter.Counter(id).Total() - answered
		requests = append(requests, LeaseRequest{api.LeaseRequest{UserID: id, Open: open, Release: release}, answered, time.Now()})
	}
	return requests
}

// Grant takes over the server's answer, which holds for so long from when it was asked.
func (g *Gate) Grant(a LeaseRequest, l api.Lease, lasts time.Duration) {
	u := g.find(a.UserID)
	if u == nil || a.Release {
		return
	}
	u.mu.Lock()
	if u.row.Idle == nil || u.removed || u.stopped.Load() {
		u.mu.Unlock()
		return
	}
	u.lease.held, u.lease.until = true, math.MaxInt64
	u.lease.expiresAt, u.lease.renewAt = a.at.Add(lasts), a.at.Add(lasts/2)
	if l.Bytes != nil {
		u.lease.until = a.answered + *l.Bytes
	}
	g.updateLimit(u)
	over := l.Spent && u.counter.Total() >= u.lease.until
	if over {
		u.stopped.Store(true)
	}
	u.mu.Unlock()
	if over {
		u.cut()
		go g.exhausted(u.id)
	}
}

// DisableLeases lets the user go on without leases, as a server wants it that does not give any.
func (g *Gate) DisableLeases(id int64) {
	if u := g.find(id); u != nil {
		u.mu.Lock()
		row := u.row
		u.mu.Unlock()
		row.Idle = nil
		g.Put(row)
	}
}

// ReportAnswered moves the ends of users without a lease after the server has answered a report of theirs.
func (g *Gate) ReportAnswered(rows []api.Row) {
	for _, r := range rows {
		if u := g.find(r.UserID); u != nil {
			u.mu.Lock()
			if u.row.Idle != nil && !u.lease.held {
				g.updateLimit(u)
			}
			u.mu.Unlock()
		}
	}
}

// ExpireLeases ends leases that are too old, asks for those anew that are in use, and gives those back that are not.
func (g *Gate) ExpireLeases(now time.Time) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		u.mu.Lock()
		if l := &u.lease; u.row.Idle != nil && l.held {
			if total := u.counter.Total(); total != l.position || l.moved.IsZero() {
				l.position, l.moved = total, now
			}
			switch {
			case now.After(l.expiresAt):
				u.lease = lease{}
				g.updateLimit(u)
			case now.Sub(l.moved) > leaseIdleTimeout:
				u.lease = lease{}
				g.updateLimit(u)
				g.requestLease(u.id, true)
			case now.After(l.renewAt):
				g.requestLease(u.id, false)
			}
		}
		u.mu.Unlock()
	}
}

// LeaseOf gives the position at which the user's lease ends, and when it lapses; false where there is none.
func (g *Gate) LeaseOf(id int64) (until int64, expiresAt time.Time, held bool) {
	u := g.find(id)
	if u == nil {
		return 0, time.Time{}, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lease.until, u.lease.expiresAt, u.lease.held
}

// PutLeased is Put for a user whose lease is still good, such as the one that LeaseOf gave before a restart.
func (g *Gate) PutLeased(row api.User, until int64, expiresAt time.Time) {
	g.Put(row)
	if u := g.find(row.ID); u != nil && row.Idle != nil && time.Now().Before(expiresAt) {
		u.mu.Lock()
		u.lease = lease{held: true, until: until, expiresAt: expiresAt, renewAt: time.Now()}
		g.updateLimit(u)
		u.mu.Unlock()
	}
}

// putLeased is Put for a user who needs leases. The lease that there is holds on, and is asked for anew at once: what the
// user has may have become less, or more.
func (g *Gate) putLeased(u *user, row api.User) {
	u.mu.Lock()
	rekeyed := u.row.ID != 0 && (u.row.UUID != row.UUID || u.row.Password != row.Password)
	u.row = row
	g.limitSpeed(u)
	u.stopped.Store(false)
	g.updateLimit(u)
	needed := u.lease.held || u.counter.Total() >= u.leaseRequestAt.Load()
	u.mu.Unlock()
	if needed {
		g.requestLease(u.id, false)
	}
	if rekeyed {
		u.cut()
	}
}

// awaitLease waits at the end of the lease until there is another one. It answers why it must not go on, nil where it may, and
// timely is false where the server did not say in time.
func (c *Conn) awaitLease(ctx context.Context) (err error, answered bool) {
	u := c.user
	timeout := time.NewTimer(leaseTimeout)
	defer timeout.Stop()
	retry := time.NewTicker(leaseRetryInterval)
	defer retry.Stop()
	for {
		u.mu.Lock()
		switch {
		case u.removed:
			err = ErrUnknownUser
		case u.stopped.Load():
			err = ErrExhausted
		case c.device.dropped.Load():
			err = ErrDeviceLimit
		case u.counter.Total() < u.stopAt.Load():
			u.mu.Unlock()
			return nil, true
		}
		if err != nil || u.row.Idle == nil {
			u.mu.Unlock()
			return err, err != nil
		}
		if u.waiting == nil {
			u.waiting = make(chan struct{})
		}
		waiting := u.waiting
		u.mu.Unlock()
		c.gate.requestLease(u.id, false)
		select {
		case <-waiting:
		case <-retry.C:
		case <-ctx.Done():
			return ctx.Err(), true
		case <-timeout.C:
			return nil, false
		}
	}
}
