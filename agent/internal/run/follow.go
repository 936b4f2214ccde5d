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
	firstLineTimeout     = 5 * time.Second  // a stream begins with a line
	streamTimeout        = 40 * time.Second // the server's heartbeat comes each 15 s
	pollInterval         = time.Second
	pollDuration         = 5 * time.Minute
	firstSnapshotTimeout = 10 * time.Second
	maxReconnectDelay    = 30 * time.Second
)

var (
	errReset  = errors.New("a new snapshot is needed")
	errSilent = errors.New("the stream is silent")

	errNoHeartbeat = errors.New("no heartbeat for 40 s")
)

// follow keeps to the server's list: a snapshot, then the changes after it. It fails only if the secret
// is another node's.
func (a *agent) follow(ctx context.Context, saved *savedState) error {
	gap := backoff{max: maxReconnectDelay}
	var pollUntil time.Time
	for ctx.Err() == nil {
		if a.isStale() {
			err := a.fetchSnapshot(ctx)
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
		err := a.followChanges(ctx, poll)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errReset):
			a.markStale()
		case errors.Is(err, errSilent):
			a.log.Warn("the stream of changes stays silent, asking for changes each second instead")
			pollUntil = time.Now().Add(pollDuration)
		case poll && err == nil:
			gap.reset()
			sleep(ctx, pollInterval)
		default:
			if time.Since(began) > streamTimeout {
				gap.reset()
			}
			a.log.Info("the stream of changes ended, connecting again", "err", err)
			var answer *api.Error
			if errors.As(err, &answer) && answer.Status < 500 && answer.Status != 429 {
				a.markStale() // the server does not follow us; only a snapshot can tell why
			}
			gap.wait(ctx)
		}
	}
	return nil
}

// followChanges follows one stream or makes one poll. errSilent: not even a heartbeat came in time.
func (a *agent) followChanges(ctx context.Context, poll bool) error {
	if poll {
		return a.client.Changes(ctx, a.revision(), true, func(c api.Change) error { return a.applyChange(ctx, c) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.setInterrupt(cancel)
	defer a.setInterrupt(nil)
	var received atomic.Bool
	timeout := time.AfterFunc(firstLineTimeout, func() {
		if received.Load() {
			cancel(errNoHeartbeat)
		} else {
			cancel(errSilent)
		}
	})
	defer timeout.Stop()
	err := a.client.Changes(ctx, a.revision(), false, func(c api.Change) error {
		received.Store(true)
		timeout.Reset(streamTimeout)
		return a.applyChange(ctx, c)
	})
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return err
}

// isStale says that only a snapshot can bring the list up to date.
func (a *agent) isStale() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stale
}

func (a *agent) markStale() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.markStaleLocked()
}

func (a *agent) markStaleLocked() {
	a.stale, a.etag = true, ""
	if a.interrupt != nil {
		a.interrupt(errReset)
	}
}

// setInterrupt lets outdate end the stream that is being followed.
func (a *agent) setInterrupt(cancel context.CancelCauseFunc) {
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

// fetchSnapshot takes over a snapshot.
func (a *agent) fetchSnapshot(ctx context.Context) error {
	a.reportMu.Lock()
	defer a.reportMu.Unlock()
	a.mu.Lock()
	etag, have := a.etag, a.have
	a.mu.Unlock()
	if !have {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, firstSnapshotTimeout)
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
	a.applySnapshot(snapshot, a.gate.Put)
	return nil
}
