package gate

import "context"

// Stop cuts a user for whom the server reports that nothing remains. It reports whether the user was active before.
func (g *Gate) Stop(id int64) bool {
	u := g.find(id)
	if u == nil || u.stopped.Swap(true) {
		return false
	}
	u.mu.Lock()
	u.wakeWaiting()
	u.mu.Unlock()
	u.cut()
	return true
}

// StopAt returns the counter position at which the user stops, and whether the user is stopped already.
func (g *Gate) StopAt(id int64) (position int64, stopped bool) {
	u := g.find(id)
	if u == nil {
		return 0, true
	}
	return u.stopAt.Load(), u.stopped.Load()
}

// consume stops the user at the end of the quota. Bytes beyond it are counted and not delivered. At the end of a lease
// it waits for the next one.
func (c *Conn) consume(ctx context.Context) error {
	if c.device.dropped.Load() {
		return ErrDeviceLimit
	}
	u := c.user
	total := u.counter.Total()
	if total >= u.leaseRequestAt.Load() {
		c.gate.prefetchLease(u)
	}
	if total < u.stopAt.Load() {
		return nil
	}
	if err, answered := c.awaitLease(ctx); err != nil || answered {
		return err
	}
	// The lock is needed because a renewal may be moving the limit.
	u.mu.Lock()
	ended := u.counter.Total() >= u.stopAt.Load()
	first := ended && !u.stopped.Swap(true)
	u.mu.Unlock()
	if !ended {
		return nil
	}
	if first {
		u.cut()
		go c.gate.exhausted(u.id)
	}
	return ErrExhausted
}

// IsNearLimit reports whether any user has used a twentieth or more of the remaining bytes since the last report. The
// user's other nodes, which may serve the same bytes, then have to learn of it soon.
func (g *Gate) IsNearLimit() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, u := range g.users {
		if u.isNearLimit(g.meter.UnsealedBytes(u.id)) {
			return true
		}
	}
	return false
}

func (u *user) isNearLimit(unreported int64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if unreported == 0 || u.row.Remaining == nil || u.stopped.Load() {
		return false
	}
	if u.row.Idle != nil {
		return unreported >= *u.row.Remaining/20
	}
	return unreported >= (u.stopAt.Load()-u.counter.Total())/20
}
