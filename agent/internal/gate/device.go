package gate

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"
)

// Admit asks the server whether an address of a user may have a device slot. An error means that the server gave no
// answer.
type Admit func(ctx context.Context, user int64, source netip.Addr) (bool, error)

const (
	// deviceSlotRetention is how long an address without connections may return without a new request. The server keeps
	// the slot longer than this after the last heartbeat that names the address.
	deviceSlotRetention = 30 * time.Second
	// newDeviceGrace is the time for the first connection of an address that the server does not know of.
	newDeviceGrace = 2 * time.Second
	// refusalDuration is how long a refusal is remembered, so that a client that retries does not reach the server each
	// time.
	refusalDuration = 2 * time.Second
	// admitTimeout bounds a request to the server, independent of the connection that caused it.
	admitTimeout = 10 * time.Second
)

// device is the state of one address of a user. The user's lock guards it, except dropped.
type device struct {
	conns        int
	until        time.Time     // The slot is held until then, and while conns is not zero.
	retention    time.Duration // Extends until after the last connection.
	refusedUntil time.Time     // No new request is made before then.
	pending      chan struct{} // Closed when the server has answered; nil without a request.
	dropped      atomic.Bool   // The slot was taken away: connections must not forward anything more.
}

func (d *device) holdsSlot() bool {
	return !d.dropped.Load() && (d.conns > 0 || time.Now().Before(d.until))
}

// acquireDeviceSlot makes sure that the address has a device slot if the user's devices are limited.
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

// requestDeviceSlot asks the server for a slot on behalf of all waiting connections of the address, so it outlives the
// first one. While the server does not answer, the limit holds on this node alone.
func (g *Gate) requestDeviceSlot(ctx context.Context, u *user, source netip.Addr, d *device) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), admitTimeout)
	defer cancel()
	admitted, err := g.admit(ctx, u.id, source)
	u.mu.Lock()
	defer u.mu.Unlock()
	d.retention = deviceSlotRetention
	if err != nil {
		g.log.Warn("the server did not say whether an address may be let in; the limit holds on this node alone",
			"user", u.id, "err", err)
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

// heldSlotCount returns how many addresses hold a slot on this node.
func (u *user) heldSlotCount() int {
	n := 0
	for _, d := range u.devices {
		if d.holdsSlot() {
			n++
		}
	}
	return n
}

// pruneDevices removes idle addresses, so that the map stays bounded.
func (u *user) pruneDevices() {
	for source, d := range u.devices {
		if d.conns == 0 && d.pending == nil && !d.holdsSlot() && time.Now().After(d.refusedUntil) {
			delete(u.devices, source)
		}
	}
}

// Drop takes the slots of a user's addresses away and cuts their connections. No byte of theirs is forwarded after it
// returns.
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
