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
	firstLineTimeout     = 5 * time.Second  // The server starts a stream with a line.
	streamTimeout        = 40 * time.Second // The server sends a heartbeat every 15 s.
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

// follow keeps the state up to date: it fetches a snapshot, then follows the changes. It fails only if the secret
// belongs to another node.
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
				a.save() // At once: the agent may be killed and find the server away at its next start.
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
				a.markStale() // The server rejects the stream; a snapshot shows why.
			}
			gap.wait(ctx)
		}
	}
	return nil
}

// followChanges follows one stream, or polls once. errSilent means that not even a heartbeat arrived in time.
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

// isStale reports whether only a snapshot can bring the list up to date.
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

// setInterrupt lets markStale end the stream.
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

// fetchSnapshot fetches and applies a snapshot.
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
		return fmt.Errorf("%w: it is node %d's, and this agent was told to be node %d", errOtherNode,
			snapshot.Node.ID, a.node)
	}
	a.etag, a.fetched, a.stale = etag, time.Now(), false
	a.applySnapshot(snapshot, a.gate.Put)
	return nil
}
