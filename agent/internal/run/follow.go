package run

import (
	"context"
	"errors"
	"fmt"
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
