package gate

import (
	"context"
	"net/netip"
	"time"
)

// Conn is one connection of a user that was let through.
type Conn struct {
	gate   *Gate
	user   *user
	source netip.Addr
	device *device
	cut    func()
}

// Open lets a user's connection from source to target, host:port, through, or says why not. It may have to wait for the
// server, as long as ctx allows. cut must end the connection soon and not wait; it may be called at any time before Close.
func (g *Gate) Open(ctx context.Context, id int64, source netip.Addr, target string, cut func()) (*Conn, error) {
	u := g.find(id)
	if u == nil {
		return nil, ErrUnknownUser
	}
	if u.stopped.Load() {
		return nil, ErrExhausted
	}
	if g.Blocked(source) {
		return nil, ErrBlocked
	}
	if err := g.Allowed(id, target); err != nil {
		return nil, err
	}
	c := &Conn{gate: g, user: u, source: source.Unmap().WithZone(""), cut: cut}
	if err := g.acquireDeviceSlot(ctx, u, c.source); err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.removed {
		return nil, ErrUnknownUser
	}
	c.device = u.devices[c.source]
	if c.device == nil || u.row.DeviceLimit != nil && !c.device.holdsSlot() {
		return nil, ErrDeviceLimit
	}
	u.conns[c] = struct{}{}
	c.device.conns++
	u.onlineSources[c.source] = struct{}{}
	if u.stopped.Load() || g.Blocked(source) {
		cut() // stopped between the test above and the lock: whoever stopped the user has not seen us
	}
	return c, nil
}

// Close must be called once, when nothing more will be counted.
func (c *Conn) Close() {
	u := c.user
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.conns, c)
	if c.device.conns--; c.device.conns == 0 {
		c.device.until = time.Now().Add(c.device.retention)
	}
	u.pruneDevices()
}

// Up counts n bytes that came from the user, after waiting as long as the speed limit asks. With an error they
// must not be passed on.
func (c *Conn) Up(ctx context.Context, n int) error {
	if err := c.user.wait(ctx, n); err != nil {
		return err
	}
	c.user.counter.Up(int64(n))
	return c.consume(ctx)
}

// Down counts n bytes that are about to go to the user; otherwise as Up. Counting comes before sending, so that
// nobody ever receives more than is counted.
func (c *Conn) Down(ctx context.Context, n int) error {
	if err := c.user.wait(ctx, n); err != nil {
		return err
	}
	c.user.counter.Down(int64(n))
	return c.consume(ctx)
}

// cut ends all of the user's connections.
func (u *user) cut() { u.cutWhere(func(*Conn) bool { return true }) }

func (u *user) cutWhere(chosen func(*Conn) bool) {
	u.mu.Lock()
	var cuts []func()
	for c := range u.conns {
		if chosen(c) {
			cuts = append(cuts, c.cut)
		}
	}
	u.mu.Unlock()
	for _, cut := range cuts {
		cut()
	}
}
