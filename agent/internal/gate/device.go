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
	// keepPlace is how long an address without a connection may come back without asking. The server holds its place for
	// longer than this after the last heartbeat that names it.
	keepPlace = 30 * time.Second
	// openPlace is how long an address that the server knows nothing of has for its first connection.
	openPlace = 2 * time.Second
	// refusedFor is how long the answer no stands, so that a client which tries and tries does not reach the server each time.
	refusedFor = 2 * time.Second
	// admitWithin bounds a question to the server, whatever its asker does.
	admitWithin = 10 * time.Second
)

// device is an address of a user. It is under the user's lock, but for dropped.
type device struct {
	conns   int
	until   time.Time     // it holds its place so long, and while it has connections
	keep    time.Duration // and after the last of them
	refused time.Time     // not asked for again before
	asking  chan struct{} // closed when the server has answered; nil while nobody asks
	dropped atomic.Bool   // its place was taken away: what its connections still have is not passed on
}

func (d *device) holds() bool {
	return !d.dropped.Load() && (d.conns > 0 || time.Now().Before(d.until))
}

// place sees to it that the address has a place among the user's devices, where they are limited.
func (g *Gate) place(ctx context.Context, u *user, source netip.Addr) error {
	for {
		u.mu.Lock()
		d := u.devices[source]
		if d == nil || d.dropped.Load() {
			u.forgetDevices()
			d = new(device)
			u.devices[source] = d
		}
		switch {
		case u.row.DeviceLimit == nil || d.holds():
			u.mu.Unlock()
			return nil
		case time.Now().Before(d.refused):
			u.mu.Unlock()
			return ErrDevices
		case d.asking == nil:
			d.asking = make(chan struct{})
			u.mu.Unlock()
			g.ask(ctx, u, source, d)
			continue
		}
		asking := d.asking
		u.mu.Unlock()
		select {
		case <-asking:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ask asks the server for a place, for all of the address's connections that wait, and so also when the first has given up.
// While the server is away the limit holds on this node alone.
func (g *Gate) ask(ctx context.Context, u *user, source netip.Addr, d *device) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), admitWithin)
	defer cancel()
	admitted, err := g.admit(ctx, u.id, source)
	u.mu.Lock()
	defer u.mu.Unlock()
	d.keep = keepPlace
	if err != nil {
		g.log.Warn("the server did not say whether an address may be let in; the limit holds on this node alone", "user", u.id, "err", err)
		admitted = u.row.DeviceLimit == nil || u.holding() < *u.row.DeviceLimit
		d.keep = 0
	}
	if admitted {
		d.until = time.Now().Add(max(d.keep, openPlace))
	} else {
		d.refused = time.Now().Add(refusedFor)
	}
	close(d.asking)
	d.asking = nil
}

// holding is how many addresses have a place here.
func (u *user) holding() int {
	n := 0
	for _, d := range u.devices {
		if d.holds() {
			n++
		}
	}
	return n
}

// forgetDevices keeps the addresses from becoming ever more.
func (u *user) forgetDevices() {
	for source, d := range u.devices {
		if d.conns == 0 && d.asking == nil && !d.holds() && time.Now().After(d.refused) {
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
		delete(u.seen, source)
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
