package db

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

// A revision is a counter in the database that grows with each change of one kind of thing, so that replicas and agents
// learn that something changed, and since when. Its row stays locked until the transaction that bumped it ends, so the
// order of numbers is the order of commits.

type revisionRow struct {
	bun.BaseModel `bun:"table:revision"`
	Name          string `bun:"name,pk"`
	Value         int64  `bun:"value"`
}

// Bump adds one to the revision called name and returns the new value. Watchers in this process are notified when the
// transaction commits, those in other processes within a second.
func Bump(ctx context.Context, tx bun.Tx, name string) (int64, error) {
	var value int64
	err := tx.NewRaw(bump+` RETURNING value`, name).Scan(ctx, &value)
	noteBump(ctx)
	return value, err
}

const bump = `INSERT INTO revision (name, value) VALUES (?, 1) ON CONFLICT (name)
	DO UPDATE SET value = revision.value + 1`

// BumpFor adds one to the revision called name and runs the updates that write its value, all in one round trip to the
// database: others wait for the revision's row from here to the commit, and each round trip makes them wait longer.
func BumpFor(ctx context.Context, tx bun.Tx, name string, updates ...*bun.UpdateQuery) error {
	text := tx.NewRaw(bump, name).String()
	for _, q := range updates {
		text += "; " + q.String()
	}
	_, err := tx.ExecContext(ctx, text)
	noteBump(ctx)
	return err
}

// noteBump makes the transaction notify the watchers of this process once it has committed.
func noteBump(ctx context.Context) {
	if bumped, ok := ctx.Value(bumpedKey{}).(*bool); ok {
		*bumped = true
	}
}

// RevisionValue is an SQL expression for the present value of the revision that its one argument names; null where it
// was never bumped.
const RevisionValue = `(SELECT value FROM revision WHERE name = ?)`

// Revision returns the present value of the revision called name; 0 where it was never bumped.
func Revision(ctx context.Context, idb bun.IDB, name string) (int64, error) {
	var values []int64
	err := idb.NewRaw(`SELECT value FROM revision WHERE name = ?`, name).Scan(ctx, &values)
	if err != nil || len(values) == 0 {
		return 0, err
	}
	return values[0], nil
}

type bumpedKey struct{}

// notifyWatchers runs one transaction and wakes the watchers of this process where it bumped a revision.
func (d *DB) notifyWatchers(ctx context.Context, run func(context.Context) error) error {
	bumped := false
	err := run(context.WithValue(ctx, bumpedKey{}, &bumped))
	if err == nil && bumped {
		d.watch.wakePoller()
	}
	return err
}

type watchers struct {
	mu    sync.Mutex
	by    map[string]map[chan int64]struct{}
	wake  chan struct{}
	known map[string]int64
}

func (w *watchers) wakePoller() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake == nil {
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Watch returns a channel that receives the value of the revision called name whenever it grows; a slow reader receives
// only the newest. It works while Follow runs. Call stop when done.
func (d *DB) Watch(name string) (changes <-chan int64, stop func()) {
	ch := make(chan int64, 1)
	w := &d.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by = map[string]map[chan int64]struct{}{}
	}
	if w.by[name] == nil {
		w.by[name] = map[chan int64]struct{}{}
	}
	w.by[name][ch] = struct{}{}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.by[name], ch)
	}
}

// gather is the time for which Follow waits for more changes, so that many at once cost one query.
const gather = 20 * time.Millisecond

// Follow polls the revisions each second, and soon after a transaction of this process that bumped one, and notifies
// the watchers. It returns when ctx ends.
func (d *DB) Follow(ctx context.Context) {
	w := &d.watch
	w.mu.Lock()
	w.wake, w.known = make(chan struct{}, 1), map[string]int64{}
	w.mu.Unlock()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var rows []revisionRow
		if err := d.NewSelect().Model(&rows).Scan(ctx); err != nil {
			if ctx.Err() != nil {
				return
			}
			slog.WarnContext(ctx, "could not read the revisions", "error", err)
		}
		w.publish(rows)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.wake:
			select {
			case <-ctx.Done():
				return
			case <-time.After(gather):
			}
		}
	}
}

func (w *watchers) publish(rows []revisionRow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range rows {
		if w.known[row.Name] >= row.Value {
			continue
		}
		w.known[row.Name] = row.Value
		for ch := range w.by[row.Name] {
			select {
			case <-ch:
			default:
			}
			ch <- row.Value
		}
	}
}
