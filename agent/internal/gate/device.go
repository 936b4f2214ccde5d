package gate

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"
)

// Admit asks the server whether an address of a user may be let in. An error means that the server did not say.
type Admit func(ctx context.Context, user int64, source netip.Addr) (bool, error)

const (
	// deviceSlotRetention is how long an address without a connection may come back without asking. The server holds its place for
	// longer than this after the last heartbeat that names it.
	deviceSlotRetention = 30 * time.Second
	// newDeviceGrace is how long an address that the server knows nothing of has for its first connection.
	newDeviceGrace = 2 * time.Second
	// refusalDuration is how long the answer no stands, so that a client which tries and tries does not reach the server each time.
	refusalDuration = 2 * time.Second
	// admitTimeout bounds a question to the server, whatever its asker does.
	admitTimeout = 10 * time.Second
)

// device is an address of a user. It is under the user's lock, but for dropped.
type device struct {
	conns        int
	until        time.Time     // it holds its place so long, and while it has connections
	retention    time.Duration // and after the last of them
	refusedUntil time.Time     // not asked for again before
	pending      chan struct{} // closed when the server has answered; nil while nobody asks
	dropped      atomic.Bool   // its place was taken away: what its connections still have is not passed on
}

func (d *device) holdsSlot() bool {
	return !d.dropped.Load() && (d.conns > 0 || time.Now().Before(d.until))
}

// acquireDeviceSlot sees to it that the address has a place among the user's devices, where they are limited.
func (g *Gate) acquireDeviceSlot(ctx context.Context, u *user, source netip.Addr) error {
	for {
		u.mu.Lock()
		d := u.devices[source]
		if d == nil || d.dropped.Load() {
			u.pruneDevices()
			d = new(device)
			u.devices[source] = d
		}
		switch {
		case u.row.DeviceLimit == nil || d.holdsSlot():
			u.mu.Unlock()
			return nil
		case time.Now().Before(d.refusedUntil):
			u.mu.Unlock()
			return ErrDeviceLimit
		case d.pending == nil:
			d.pending = make(chan struct{})
			u.mu.Unlock()
			g.requestDeviceSlot(ctx, u, source, d)
			continue
		}
		pending := d.pending
		u.mu.Unlock()
		select {
		case <-pending:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// requestDeviceSlot asks the server for a place, for all of the address's connections that wait, and so also when the first has given up.
// While the server is away the limit holds on this node alone.
func (g *Gate) requestDeviceSlot(ctx context.Context, u *user, source netip.Addr, d *device) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), admitTimeout)
	defer cancel()
	admitted, err := g.admit(ctx, u.id, source)
	u.mu.Lock()
	defer u.mu.Unlock()
	d.retention = deviceSlotRetention
	if err != nil {
		g.log.Warn("the server did not say whether an address may be let in; the limit holds on this node alone", "user", u.id, "err", err)
		admitted = u.row.DeviceLimit == nil || u.heldSlotCount() < *u.row.DeviceLimit
		d.retention = 0
	}
	if admitted {
		d.until = time.Now().Add(max(d.retention, newDeviceGrace))
	} else {
		d.refusedUntil = time.Now().Add(refusalDuration)
	}
	close(d.pending)
	d.pending = nil
}

// heldSlotCount is how many addresses have a place here.
func (u *user) heldSlotCount() int {
	n := 0
	for _, d := range u.devices {
		if d.holdsSlot() {
			n++
		}
	}
	return n
}

// pruneDevices keeps the addresses from becoming ever more.
func (u *user) pruneDevices() {
	for source, d := range u.devices {
		if d.conns == 0 && d.pending == nil && !d.holdsSlot() && time.Now().After(d.refusedUntil) {
			delete(u.devices, source)
		}
	}
}

// Drop takes the places of a user's addresses away and cuts them. When it returns no byte of theirs is passed on any more.
func (g *Gate) Drop(id int64, sources ...netip.Addr) {
	u := g.find(id)
	if u == nil {
		return
	}
	var cuts []func()
	u.mu.Lock()
	for _, source := range sources {
		d := u.devices[source]
		if d == nil {
			continue
		}
		d.dropped.Store(true)
		delete(u.devices, source)
		delete(u.onlineSources, source)
		for c := range u.conns {
			if c.device == d {
				cuts = append(cuts, c.cut)
			}
		}
	}
	u.mu.Unlock()
	for _, cut := range cuts {
		cut()
	}
}
