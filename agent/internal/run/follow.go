package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"time"

	"airstrip/agent/internal/api"
)

const (
	firstLine  = 5 * time.Second  // a stream begins with a line
	nextLine   = 40 * time.Second // the server's heartbeat comes each 15 s
	pollEvery  = time.Second
	pollFor    = 5 * time.Minute
	firstCall  = 10 * time.Second
	longestGap = 30 * time.Second
)

var (
	errReset  = errors.New("a new snapshot is needed")
	errSilent = errors.New("the stream is silent")

	errNoHeartbeat = errors.New("no heartbeat for 40 s")
)

// follow keeps to the server's list: a snapshot, then the changes after it. It fails only if the secret
// is another node's.
func (a *agent) follow(ctx context.Context, saved *savedState) error {
	gap := backoff{longest: longestGap}
	var pollUntil time.Time
	for ctx.Err() == nil {
		if a.outdated() {
			err := a.fetch(ctx)
			if errors.Is(err, errOtherNode) {
				return err
			}
			if err == nil {
				a.save() // at once: killed in a moment, we may find the server away
			} else if ctx.Err() == nil {
				a.log.Warn("no snapshot from the server", "err", err)
				if saved != nil {
					a.restore(saved)
				}
				gap.wait(ctx)
			}
			saved = nil
			continue
		}
		poll, began := time.Now().Before(pollUntil), time.Now()
		err := a.changes(ctx, poll)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errReset):
			a.outdate()
		case errors.Is(err, errSilent):
			a.log.Warn("the stream of changes stays silent, asking for changes each second instead")
			pollUntil = time.Now().Add(pollFor)
		case poll && err == nil:
			gap.reset()
			sleep(ctx, pollEvery)
		default:
			if time.Since(began) > nextLine {
				gap.reset()
			}
			a.log.Info("the stream of changes ended, connecting again", "err", err)
			var answer *api.Error
			if errors.As(err, &answer) && answer.Status < 500 && answer.Status != 429 {
				a.outdate() // the server does not follow us; only a snapshot can tell why
			}
			gap.wait(ctx)
		}
	}
	return nil
}

// changes follows one stream or makes one poll. errSilent: not even a heartbeat came in time.
func (a *agent) changes(ctx context.Context, poll bool) error {
	if poll {
		return a.client.Changes(ctx, a.revision(), true, func(c api.Change) error { return a.change(ctx, c) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.interruptible(cancel)
	defer a.interruptible(nil)
	var heard atomic.Bool
	patience := time.AfterFunc(firstLine, func() {
		if heard.Load() {
			cancel(errNoHeartbeat)
		} else {
			cancel(errSilent)
		}
	})
	defer patience.Stop()
	err := a.client.Changes(ctx, a.revision(), false, func(c api.Change) error {
		heard.Store(true)
		patience.Reset(nextLine)
		return a.change(ctx, c)
	})
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return err
}

// outdated says that only a snapshot can bring the list up to date.
func (a *agent) outdated() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stale
}

func (a *agent) outdate() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outdateLocked()
}

func (a *agent) outdateLocked() {
	a.stale, a.etag = true, ""
	if a.interrupt != nil {
		a.interrupt(errReset)
	}
}

// interruptible lets outdate end the stream that is being followed.
func (a *agent) interruptible(cancel context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.interrupt = cancel; cancel != nil && a.stale {
		cancel(errReset)
	}
}

func (a *agent) revision() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known.Revision
}

var errOtherNode = errors.New("the secret belongs to another node")

// fetch takes over a snapshot.
func (a *agent) fetch(ctx context.Context) error {
	a.wire.Lock()
	defer a.wire.Unlock()
	a.mu.Lock()
	etag, have := a.etag, a.have
	a.mu.Unlock()
	if !have {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, firstCall)
		defer cancel()
	}
	snapshot, etag, err := a.client.Snapshot(ctx, etag)
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(err, api.ErrNotModified) {
		a.fetched, a.stale = time.Now(), false
		return nil
	}
	if err != nil {
		return err
	}
	if snapshot.Node.ID != a.node {
		return fmt.Errorf("%w: it is node %d's, and this agent was told to be node %d", errOtherNode, snapshot.Node.ID, a.node)
	}
	a.etag, a.fetched, a.stale = etag, time.Now(), false
	a.replace(snapshot, a.gate.Put)
	return nil
}

// restore takes over what was saved before a restart.
func (a *agent) restore(saved *savedState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log.Warn("serving the users of the last snapshot until the server answers", "revision", saved.Snapshot.Revision, "users", len(saved.Snapshot.Users))
	a.replace(&saved.Snapshot, func(u api.User) bool {
		stopAt, limited := saved.StopAt[u.ID]
		if !limited {
			stopAt = math.MaxInt64
		}
		return a.gate.PutUntil(u, stopAt)
	})
}

// replace makes the snapshot's list the only one.
func (a *agent) replace(s *api.Snapshot, put func(api.User) bool) {
	a.known, a.have, a.dirty = *s, true, true
	a.known.Users, a.known.Blocked = nil, nil
	a.gate.SetNode(s.Node)
	a.gate.SetRules(s.Rules)
	a.blocked = map[netip.Addr]bool{}
	a.block(s.Blocked, nil)
	listed := make(map[int64]bool, len(s.Users))
	for _, u := range s.Users {
		listed[u.ID] = true
		put(u)
		a.users[u.ID] = member{u, time.Now()}
		delete(a.doubt, u.ID)
	}
	for id := range a.users {
		if !listed[id] {
			a.forget(id)
		}
	}
	a.configure()
}

// change takes over one line of the stream.
func (a *agent) change(ctx context.Context, c api.Change) error {
	if c.Reset {
		return errReset
	}
	if len(c.Drop) > 0 {
		a.drop(context.WithoutCancel(ctx), c.Drop)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.Revision < a.known.Revision {
		return errReset // the server has been set back, to a backup for instance
	}
	a.known.Revision = c.Revision
	if c.Node != nil || c.Rules != nil || len(c.Users) > 0 || len(c.Removed) > 0 {
		a.dirty, a.etag = true, ""
	}
	if c.Rules != nil {
		a.known.Rules = *c.Rules
		a.gate.SetRules(*c.Rules)
	}
	if len(c.Blocked) > 0 || len(c.Unblocked) > 0 {
		a.dirty, a.etag = true, ""
		a.block(c.Blocked, c.Unblocked)
	}
	for _, id := range c.Removed {
		a.forget(id)
	}
	var in []api.User
	var out []int64
	for _, u := range c.Users {
		if a.gate.Put(u) {
			in = append(in, u)
		} else {
			out = append(out, u.ID)
		}
		a.users[u.ID] = member{u, time.Now()}
		delete(a.doubt, u.ID)
	}
	if c.Node != nil {
		a.known.Node = *c.Node
		a.gate.SetNode(*c.Node)
		a.configure()
		return nil
	}
	if err := errors.Join(a.engine.Remove(append(out, c.Removed...)), a.engine.Add(in)); err != nil && a.configured {
		a.log.Error("some users could not be changed", "err", err)
	}
	return nil
}

// block lets nobody in from some addresses and again from others.
func (a *agent) block(in, out []string) {
	for _, addr := range addresses(in) {
		a.blocked[addr] = true
	}
	for _, addr := range addresses(out) {
		delete(a.blocked, addr)
	}
	a.gate.Block(maps.Clone(a.blocked))
}

// forget takes a user off the list, cuts their connections, and has their last bytes reported.
func (a *agent) forget(id int64) {
	a.gate.Remove(id)
	delete(a.users, id)
	delete(a.doubt, id)
	a.reportSoon()
}

// configure gives the engine the node with all users that may connect. What fails is tried again by upkeep.
func (a *agent) configure() {
	users := make([]api.User, 0, len(a.users))
	for id, m := range a.users {
		if _, stopped := a.gate.StopAt(id); !stopped {
			users = append(users, m.row)
		}
	}
	node := a.known.Node
	var err error
	if node.Settings.TLS, err = a.certificate.Fill(node.Settings.TLS); err == nil {
		err = a.engine.Configure(node, users)
	}
	if a.configured = err == nil; !a.configured {
		_ = a.engine.Add(users) // to what it may go on with: a secret that was replaced opens that no more, either
	}
	if a.troubles.note(listener, err); err != nil {
		a.log.Error("the node cannot be served as the server wants it", "err", err)
	}
	a.forward()
}

// forward makes the node the relay of others that the server wants. What fails is tried again by upkeep.
func (a *agent) forward() {
	err := a.relay.Set(a.known.Node.Listen, a.known.Node.Forwards)
	a.relaying = err == nil
	if a.troubles.note(relays, err); err != nil {
		a.log.Error("the node cannot be a relay as the server wants it", "err", err)
	}
}

// exhausted is called by the gate when a user has used up what remained.
func (a *agent) exhausted(id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, stopped := a.gate.StopAt(id); !stopped {
		return // renewed meanwhile
	}
	a.log.Info("a user has used up what remained", "user", id)
	if err := a.engine.Remove([]int64{id}); err != nil {
		a.log.Error("a user could not be removed", "user", id, "err", err)
	}
	a.doubt[id] = true
	a.reportSoon()
}

// backoff waits 1 s, 2 s, 4 s … with jitter.
type backoff struct {
	longest time.Duration
	tries   int
}

// next is how long to wait now.
func (b *backoff) next() time.Duration {
	d := min(b.longest, time.Second<<min(b.tries, 10))
	b.tries++
	return d/2 + rand.N(d/2+1)
}

func (b *backoff) wait(ctx context.Context) { sleep(ctx, b.next()) }

func (b *backoff) reset() { b.tries = 0 }
