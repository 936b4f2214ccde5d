package gate

import (
	"context"
	"math"
	"time"

	"airstrip/agent/internal/api"
)

// Several nodes may serve the same quota at once, so the server leases parts of it to them. A user who needs leases is
// admitted up to the end of the lease. The next lease is requested ahead of time, and connections that reach the end
// wait for the answer. Before the first lease, and after one has expired, a node may serve only a small amount.

const (
	// leaseTimeout is how long connections wait for a lease before the user counts as exhausted.
	leaseTimeout = 10 * time.Second
	// leaseRetryInterval is how often waiting connections repeat the request.
	leaseRetryInterval = 500 * time.Millisecond
	// leaseIdleTimeout is how long a user may be idle before the lease is released.
	leaseIdleTimeout = 5 * time.Minute
)

// lease is guarded by the user's lock.
type lease struct {
	held      bool
	until     int64     // Counter position at which the lease ends.
	expiresAt time.Time // The lease must not be used after this.
	renewAt   time.Time // A lease in use is requested again after this.
	position  int64     // Counter position at the last observed change.
	moved     time.Time // Time of that change.
}

// LeaseRequest is a pending request with the counter position that its answer is relative to.
type LeaseRequest struct {
	api.LeaseRequest
	answered int64
	at       time.Time
}

// OnLeaseNeeded sets the function that is called, and must not block, when TakeLeaseRequests has something to return.
func (g *Gate) OnLeaseNeeded(notify func()) { g.onLeaseNeeded = notify }

// limitsLocked returns the position up to which the user is served, and the one at which a lease is requested.
func (g *Gate) limitsLocked(u *user) (stopAt, leaseRequestAt int64) {
	if u.lease.held {
		return u.lease.until, u.lease.requestPosition(u.counter.Total())
	}
	answered := g.meter.AnsweredPosition(u.id)
	return answered + *u.row.Idle, answered + *u.row.Idle/2
}

// requestPosition is halfway between position and the end of the lease.
func (l *lease) requestPosition(position int64) int64 {
	if l.until == math.MaxInt64 {
		return l.until
	}
	return max(position, l.until-(l.until-position)/2)
}

// updateLimit applies the user's present limit and wakes connections that wait for it. The caller holds the user's
// lock.
func (g *Gate) updateLimit(u *user) {
	stopAt, leaseRequestAt := g.limitsLocked(u)
	u.stopAt.Store(stopAt)
	u.leaseRequestAt.Store(leaseRequestAt)
	u.wakeWaiting()
}

// wakeWaiting makes connections that wait for a lease check again. The caller holds the user's lock.
func (u *user) wakeWaiting() {
	if u.waiting != nil {
		close(u.waiting)
		u.waiting = nil
	}
}

// requestLease records that the user needs a lease or, with release, no longer needs the present one.
func (g *Gate) requestLease(id int64, release bool) {
	g.leaseRequestsMu.Lock()
	was, asked := g.leaseRequests[id]
	g.leaseRequests[id] = release && (was || !asked) // A new request takes precedence over a release.
	g.leaseRequestsMu.Unlock()
	if g.onLeaseNeeded != nil && (!asked || was != release) {
		g.onLeaseNeeded()
	}
}

// prefetchLease requests a lease, once, before the present one is used up.
func (g *Gate) prefetchLease(u *user) {
	if u.leaseRequestAt.Swap(math.MaxInt64) != math.MaxInt64 {
		g.requestLease(u.id, false)
	}
}

// TakeLeaseRequests removes and returns at most n pending requests.
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
		requests = append(requests, LeaseRequest{
			api.LeaseRequest{UserID: id, Open: open, Release: release},
			answered,
			time.Now(),
		})
	}
	return requests
}

// Grant applies the server's answer, which is valid for lasts from the time of the request.
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

// DisableLeases lets the user continue without leases, for a server that does not issue any.
func (g *Gate) DisableLeases(id int64) {
	if u := g.find(id); u != nil {
		u.mu.Lock()
		row := u.row
		u.mu.Unlock()
		row.Idle = nil
		g.Put(row)
	}
}

// ReportAnswered updates the limits of users without a lease after the server has answered a report with their rows.
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

// ExpireLeases ends leases that are too old, renews those in use and releases those that are idle.
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

// LeaseOf returns the counter position at which the user's lease ends, and when it expires. held is false without a
// lease.
func (g *Gate) LeaseOf(id int64) (until int64, expiresAt time.Time, held bool) {
	u := g.find(id)
	if u == nil {
		return 0, time.Time{}, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lease.until, u.lease.expiresAt, u.lease.held
}

// PutLeased works as Put for a user whose lease is still valid, such as one that LeaseOf returned before a restart.
func (g *Gate) PutLeased(row api.User, until int64, expiresAt time.Time) {
	g.Put(row)
	if u := g.find(row.ID); u != nil && row.Idle != nil && time.Now().Before(expiresAt) {
		u.mu.Lock()
		u.lease = lease{held: true, until: until, expiresAt: expiresAt, renewAt: time.Now()}
		g.updateLimit(u)
		u.mu.Unlock()
	}
}

// putLeased works as Put for a user who needs leases. The present lease stays and is requested again at once, because
// the user's quota may have become smaller or larger.
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

// awaitLease waits at the end of a lease until there is a new one. err is nil if the connection may continue; answered
// is false if the server did not answer in time.
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
