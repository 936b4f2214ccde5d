package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

const (
	// probeInterval is how often FollowWritable tries to write. probePause is the least time between two tries when
	// calls that fail ask for one.
	probeInterval = 5 * time.Second
	probePause    = time.Second
	// probeRepeats is how long a probe is repeated that met a connection which others ended.
	probeRepeats = 2 * time.Second
	// probeReminder is how often the log repeats that nothing can be written.
	probeReminder = 10 * time.Minute
)

// failover is the time without writes after which a transaction is no longer repeated until it succeeds. It is longer
// than a change of the primary usually takes. Tests shorten it.
var failover = 10 * time.Second

// writability is the result of the last write probe.
type writability struct {
	wake chan struct{} // asks for a probe before its time

	mu      sync.Mutex
	problem error     // as callers see it; nil while writing works
	cause   error     // of problem
	failing time.Time // since when each probe failed; zero while the last one succeeded
}

// WriteProblem returns the fault of a database that cannot be written, such as that of a full disk; nil where the last
// probe wrote.
func (d *DB) WriteProblem() error {
	d.writable.mu.Lock()
	defer d.writable.mu.Unlock()
	return d.writable.problem
}

// writeCause returns the error behind WriteProblem, for the log.
func (d *DB) writeCause() error {
	d.writable.mu.Lock()
	defer d.writable.mu.Unlock()
	return d.writable.cause
}

// gaveUp tells whether writes have failed for so long that a repeat is of no use to a waiting caller.
func (d *DB) gaveUp() bool {
	d.writable.mu.Lock()
	defer d.writable.mu.Unlock()
	return d.writable.problem != nil && time.Since(d.writable.failing) > failover
}

// ProbeWrites writes into the database as every transaction does, including the commit, and stores the result for
// WriteProblem. A probe that only waits for others fails once that has lasted longer than any transaction waits.
func (d *DB) ProbeWrites(ctx context.Context) {
	begin := time.Now()
	err := d.once(ctx, d.usual(), d.probe)
	for err != nil && dberr.Repeatable(err) && time.Since(begin) < probeRepeats &&
		sleep(ctx, 50*time.Millisecond, nil) {
		err = d.once(ctx, d.usual(), d.probe)
	}
	if ctx.Err() != nil {
		return
	}
	w := &d.writable
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.problem, w.cause, w.failing = nil, nil, time.Time{}
		return
	}
	if w.failing.IsZero() {
		w.failing = time.Now()
	}
	seen := probeFault(err)
	if errors.Is(seen, dberr.ErrBusy) && time.Since(w.failing) < txWait {
		return
	}
	w.problem, w.cause = seen, err
}

func (d *DB) probe(ctx context.Context, tx bun.Tx) error {
	id := uuid.New() // a row of its own, so that replicas do not wait for each other
	if _, err := tx.NewRaw(`INSERT INTO write_probe (id, probed_at) VALUES (?, ?)`, id, d.Now()).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewRaw(`DELETE FROM write_probe WHERE id = ?`, id).Exec(ctx)
	return err
}

// probeFault returns the error of a probe as callers see it. The probe violates no constraint, so whatever fails it
// keeps the database from being written.
func probeFault(err error) *fault.Error {
	f := dberr.Fault(err)
	switch {
	case f != nil: // also of a connection that timed out, which is a context.DeadlineExceeded to package errors, too
		return f.Because(nil)
	case errors.Is(err, context.DeadlineExceeded):
		return dberr.ErrBusy
	}
	return dberr.ErrNotWritable
}

// FollowWritable probes until ctx ends, and soon after a transaction that failed because nothing can be written. It
// logs when that begins, from time to time while it lasts, and when it is over.
func (d *DB) FollowWritable(ctx context.Context) {
	var known bool
	var logged time.Time
	for {
		d.ProbeWrites(ctx)
		problem := d.writeCause()
		switch {
		case problem == nil && known:
			slog.InfoContext(ctx, "the database can be written again")
		case problem != nil && (!known || time.Since(logged) >= probeReminder):
			slog.ErrorContext(ctx,
				"nothing can be written into the database; calls are answered with 503 until that is over",
				"error", problem)
			logged = time.Now()
		}
		known = problem != nil
		if !sleep(ctx, probePause, nil) || !sleep(ctx, probeInterval-probePause, d.writable.wake) {
			return
		}
	}
}

// sleep waits for so long or for woken; false when ctx has ended.
func sleep(ctx context.Context, pause time.Duration, woken <-chan struct{}) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
	case <-woken:
	}
	return true
}

// probeSoon makes FollowWritable probe without delay where f says that nothing can be written.
func (d *DB) probeSoon(f *fault.Error) {
	if errors.Is(f, dberr.ErrBusy) {
		return
	}
	select {
	case d.writable.wake <- struct{}{}:
	default:
	}
}
