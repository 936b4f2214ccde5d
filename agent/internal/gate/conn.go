package gate

import (
	"context"
	"net/netip"
	"time"
)

// Conn is one admitted connection of a user.
type Conn struct {
	gate   *Gate
	user   *user
	source netip.Addr
	device *device
	cut    func()
}

// Open admits a user's connection from source to target, host:port, or returns why it is refused. It may wait for the
// server until ctx is done. cut must end the connection soon without blocking; it may be called at any time before
// Close.
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
		cut() // The user was stopped, or the address blocked, before conns contained this connection.
	}
	return c, nil
}

// Close must be called exactly once, after the last byte was counted.
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

// Up counts n bytes from the user, after waiting for the speed limit. If it fails, the bytes must not be forwarded.
func (c *Conn) Up(ctx context.Context, n int) error {
	if err := c.user.wait(ctx, n); err != nil {
		return err
	}
	c.user.counter.Up(int64(n))
	return c.consume(ctx)
}

// Down counts n bytes that are about to be sent to the user; otherwise it works as Up. Bytes are counted before they
// are sent, so that no user receives more than was counted.
func (c *Conn) Down(ctx context.Context, n int) error {
	if err := c.user.wait(ctx, n); err != nil {
		return err
	}
	c.user.counter.Down(int64(n))
	return c.consume(ctx)
}

// cut ends all connections of the user.
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
