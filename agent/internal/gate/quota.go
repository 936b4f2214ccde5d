package gate

import "context"

// Stop cuts a user for whom the server says that nothing is left. It answers whether the user was running.
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

// StopAt is the position of the user's counter at which the user is stopped, and whether that is so already.
func (g *Gate) StopAt(id int64) (position int64, stopped bool) {
	u := g.find(id)
	if u == nil {
		return 0, true
	}
	return u.stopAt.Load(), u.stopped.Load()
}

// consume stops the user who has come to the end. The bytes that went past it are counted and not delivered. At the end of a
// lease it waits for another one.
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
	// Under the lock, because a renewal may just be moving the end.
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

// IsNearLimit says whether any user has used, since the last report, a twentieth or more of what remained: then the
// user's other nodes, which may be giving out the same bytes, have to hear of it soon.
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
