// Package job owns the durable queue and the timetable. A job is added in the transaction that causes it, so it is
// never lost and never runs for something that did not happen; it runs at least once, and in one process at a time. The
// timetable lists in one place what runs by the clock. Its entries run apart from the queue and from each other, so
// that a nightly check delays neither bans nor payments nor jobs; of several processes one runs an entry. Each run has
// a deadline. While the clocks disagree the timetable waits and the queue goes on.
package job

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
)

const (
	lease        = 2 * time.Minute
	maxAttempts  = 12
	retention    = 14 * 24 * time.Hour // of jobs that have succeeded
	pollInterval = time.Second
	maxPause     = 4 * time.Hour // between two attempts

	insertedAtOnce = 500 // rows of one statement

	// recordTimeout bounds the transaction that records the result of a run.
	recordTimeout = 30 * time.Second
)

type row struct {
	bun.BaseModel `bun:"table:job"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          string
	Payload       json.RawMessage `bun:"type:jsonb"`
	UniqueKey     *string
	RunAt         time.Time
	Attempt       int64
	LeaseUntil    *time.Time
	LastError     string
	CreatedAt     time.Time
	EndedAt       *time.Time
	Failed        bool
}

// Options say when a job runs. The zero value means at once, and as often as it is added.
type Options struct {
	At  time.Time
	Key string // a job is not added while another one of its kind and key waits
}

// Add adds a job to the queue as part of tx. payload must survive JSON.
func Add(ctx context.Context, tx bun.Tx, now time.Time, kind string, payload any, o Options) error {
	body, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("job %s: %w", kind, err)
	}
	r := row{Kind: kind, Payload: body, RunAt: o.At, CreatedAt: now}
	if o.At.IsZero() {
		r.RunAt = now
	}
	if o.Key != "" {
		key := kind + ":" + o.Key
		r.UniqueKey = &key
	}
	_, err = tx.NewInsert().Model(&r).On("CONFLICT DO NOTHING").Exec(ctx)
	return err
}

// AddAll adds a job of one kind for each payload, all due at once, as part of tx.
func AddAll[T any](ctx context.Context, tx bun.Tx, now time.Time, kind string, payloads []T) error {
	rows := make([]row, len(payloads))
	for i, payload := range payloads {
		body, err := json.Marshal(payload)
		if err != nil {
			return fmt.Errorf("job %s: %w", kind, err)
		}
		rows[i] = row{Kind: kind, Payload: body, RunAt: now, CreatedAt: now}
	}
	for part := range slices.Chunk(rows, insertedAtOnce) {
		if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Due counts the jobs of a kind that could run by now and have not ended, up to most.
func Due(ctx context.Context, d *db.DB, kind string, most int64) (int64, error) {
	due := d.NewSelect().Model((*row)(nil)).Column("id").
		Where("ended_at IS NULL AND run_at <= ? AND kind = ?", d.Now(), kind).Limit(most)
	return d.NewSelect().TableExpr("(?) AS due", due).Count(ctx)
}

// Queue runs jobs of the kinds that have a handler, one after the other, and its entries of the timetable. Work that
// waits for slow servers has a queue of its own, so that nothing else waits with it.
type Queue struct {
	db       *db.DB
	handlers map[string]func(context.Context, json.RawMessage) error
	entries  []entry
	wrong    sync.Map // by the name of an entry whether its last run here failed
}

// New returns a queue without handlers.
func New(d *db.DB) *Queue {
	q := &Queue{db: d, handlers: map[string]func(context.Context, json.RawMessage) error{}}
	q.Every("job.forget", q.deleteOld)
	q.Every("job.repair", q.repair)
	return q
}

// Handle sets the handler of a kind of jobs. An error, and a payload that cannot be read, is retried with growing
// pauses for about a day; then the job has failed for good.
func Handle[T any](q *Queue, kind string, fn func(ctx context.Context, payload T) error) {
	q.handlers[kind] = func(ctx context.Context, body json.RawMessage) error {
		var payload T
		if err := json.Unmarshal(body, &payload); err != nil {
			return fmt.Errorf("read the payload: %w", err)
		}
		return fn(ctx, payload)
	}
}

// Run runs jobs and the timetable until ctx ends and what it has started has ended.
func (q *Queue) Run(ctx context.Context) {
	var lanes sync.WaitGroup
	for _, entries := range q.lanes() {
		lanes.Go(func() {
			poll(ctx, func() error { return q.runDue(ctx, entries) })
		})
	}
	poll(ctx, func() error { return q.runJobs(ctx) })
	lanes.Wait()
}

// poll calls fn every pollInterval until ctx ends.
func poll(ctx context.Context, fn func() error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if err := fn(); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "the job queue could not work", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Work runs everything that is due now, once, in order: the timetable, then the jobs.
func (q *Queue) Work(ctx context.Context) error {
	if err := q.runDue(ctx, q.entries); err != nil {
		return err
	}
	return q.runJobs(ctx)
}

// runJobs runs the jobs that are due, one after the other.
func (q *Queue) runJobs(ctx context.Context) error {
	for {
		r, err := q.claim(ctx)
		if err != nil || r == nil {
			return err
		}
		if err := q.finish(ctx, r, q.run(ctx, r)); err != nil {
			return err
		}
	}
}

// claim leases the job that has been due for the longest time; nil where none is due. A job without a kind was claimed
// by another process meanwhile.
func (q *Queue) claim(ctx context.Context) (*row, error) {
	now := q.db.Now()
	var due []row
	waiting := func(sel *bun.SelectQuery) *bun.SelectQuery {
		return sel.Where("ended_at IS NULL AND run_at <= ?", now).Where("lease_until IS NULL OR lease_until < ?", now).
			Where("kind IN (?)", bun.List(slices.Collect(maps.Keys(q.handlers))))
	}
	if err := q.db.NewSelect().Model(&due).Apply(waiting).OrderExpr("run_at, id").Limit(1).Scan(ctx); err != nil ||
		len(due) == 0 {
		return nil, err
	}
	r := due[0]
	claimed := false
	err := q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		until := now.Add(lease)
		n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("attempt = attempt + 1").
			Set("lease_until = ?", until).
			Where("id = ? AND attempt = ? AND ended_at IS NULL", r.ID, r.Attempt).Exec(ctx))
		claimed = n == 1
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Attempt++
	if !claimed {
		r.Kind = ""
	}
	return &r, nil
}

func (q *Queue) run(ctx context.Context, r *row) error {
	if r.Kind == "" {
		return nil
	}
	handler := q.handlers[r.Kind]
	ctx, cancel := context.WithTimeout(ctx, lease-10*time.Second) // ends before another process may lease the job
	defer cancel()
	return recovered(func() error { return handler(ctx, r.Payload) })
}

// recovered calls fn and turns a panic into an error.
func recovered(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// finish ends a job or schedules its next attempt, unless another process has leased it since.
func (q *Queue) finish(ctx context.Context, r *row, failure error) error {
	if r.Kind == "" {
		return nil
	}
	ctx, cancel := detached.WithTimeout(ctx, recordTimeout)
	defer cancel()
	now := q.db.Now()
	return q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		u := tx.NewUpdate().Model((*row)(nil)).Where("id = ? AND attempt = ?", r.ID, r.Attempt).
			Set("lease_until = NULL")
		switch {
		case failure == nil:
			u.Set("ended_at = ?", now).Set("unique_key = NULL").Set("last_error = ''")
		case r.Attempt >= maxAttempts:
			slog.ErrorContext(ctx, "a job failed for good", "job", r.Kind, "id", r.ID, "error", failure)
			u.Set("ended_at = ?", now).Set("unique_key = NULL").Set("failed = ?", true).
				Set("last_error = ?", failure.Error())
		default:
			pause := min(time.Second<<r.Attempt, maxPause)
			slog.WarnContext(ctx, "a job failed and will run again", "job", r.Kind, "id", r.ID, "in", pause, "error",
				failure)
			u.Set("run_at = ?", now.Add(pause)).Set("last_error = ?", failure.Error())
		}
		_, err := u.Exec(ctx)
		return err
	})
}

// deleteOld deletes jobs that succeeded before the retention.
func (q *Queue) deleteOld(ctx context.Context) error {
	return q.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*row)(nil)).Where("ended_at < ? AND NOT failed", q.db.Now().Add(-retention)).
			Exec(ctx)
		return err
	})
}

// repair makes jobs run soon that were added, retried or leased while the clock was ahead.
func (q *Queue) repair(ctx context.Context) error {
	now := q.db.Now()
	return q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*row)(nil)).Set("lease_until = NULL").
			Where("ended_at IS NULL AND lease_until > ?", now.Add(lease+clock.Tolerance)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*row)(nil)).Set("run_at = ?", now).Set("created_at = ?", now).
			Where("ended_at IS NULL").
			WhereGroup(" AND ", func(u *bun.UpdateQuery) *bun.UpdateQuery {
				return u.Where("created_at > ?", now.Add(clock.Tolerance)).
					WhereOr("attempt > 0 AND run_at > ?", now.Add(maxPause+clock.Tolerance))
			}).Exec(ctx)
		return err
	})
}
