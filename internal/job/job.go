// Package job is the durable queue and the timetable. A job is added in the transaction that is its cause, so it is
// never lost and never runs for something that did not happen; it runs at least once, on one process at a time.
package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
)

const (
	lease    = 2 * time.Minute
	attempts = 12
	kept     = 14 * 24 * time.Hour
	every    = time.Second
	maxPause = 4 * time.Hour // between two attempts

	noteWithin = 30 * time.Second // to write down what became of a run

	// How long a run of an entry of the timetable may take. While it runs the rest of its queue waits. The longest is more
	// than one db.LongTx takes.
	minTimedRun = 5 * time.Minute
	maxTimedRun = 35 * time.Minute
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

// Options say when a job runs; the zero value is "now, as often as it is added".
type Options struct {
	At  time.Time
	Key string // while a job with this key waits, another one is not added
}

// Add puts a job into the queue as part of tx. payload must survive JSON.
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

// Queue runs jobs of the kinds that it was told to handle, one after the other. Work that waits for a slow stranger has a
// queue of its own, so that nothing else waits with it.
type Queue struct {
	db       *db.DB
	handlers map[string]func(context.Context, json.RawMessage) error
	timed    []timed
}

type timed struct {
	name string
	next func(time.Time) time.Time
	run  func(context.Context) error
}

// New gives a queue without handlers.
func New(d *db.DB) *Queue {
	q := &Queue{db: d, handlers: map[string]func(context.Context, json.RawMessage) error{}}
	q.Every("job.forget", Interval(24*time.Hour), q.forget)
	q.Every("job.repair", Interval(time.Minute), q.repair)
	return q
}

// Handle names what runs jobs of kind. A payload that cannot be read ends the job as failed; an error of fn is retried
// with growing pauses for about a day.
func Handle[T any](q *Queue, kind string, fn func(ctx context.Context, payload T) error) {
	q.handlers[kind] = func(ctx context.Context, body json.RawMessage) error {
		var payload T
		if err := json.Unmarshal(body, &payload); err != nil {
			return fmt.Errorf("read the payload: %w", err)
		}
		return fn(ctx, payload)
	}
}

// Every puts fn on the timetable. next gives the time after t at which it runs again; of several processes one runs it. The
// context of each run has a deadline.
func (q *Queue) Every(name string, next func(t time.Time) time.Time, fn func(context.Context) error) {
	q.timed = append(q.timed, timed{name, next, fn})
}

// Interval is a next for Every: each d, on the clock.
func Interval(d time.Duration) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.Truncate(d).Add(d) }
}

// Run works until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := q.Work(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "the job queue could not work", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Work runs everything that is due now, once. The timetable waits while the clocks disagree: most of it ends, bills or
// deletes something by the time. Jobs have a cause of their own and go on.
func (q *Queue) Work(ctx context.Context) error {
	timed := q.timed
	if q.db.ClockProblem() != nil {
		timed = nil
	}
	for _, t := range timed {
		due, err := q.claimTime(ctx, t)
		if err != nil {
			return err
		}
		if due {
			if err := q.runTimed(ctx, t); err != nil {
				slog.ErrorContext(ctx, "a timed job failed", "job", t.name, "error", err)
			}
		}
	}
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

// claimTime moves the next run of t on by compare-and-set; only one process sees true. An entry that lies further ahead
// than its own period was written while the clock was ahead, and counts as due.
func (q *Queue) claimTime(ctx context.Context, t timed) (due bool, err error) {
	now := q.db.Now()
	next := t.next(now)
	latest := next.Add(clock.Tolerance)
	var waits []time.Time
	if err := q.db.NewRaw(`SELECT next_at FROM job_timetable WHERE name = ? AND next_at > ? AND next_at <= ?`,
		t.name, now, latest).Scan(ctx, &waits); err != nil {
		return false, err
	}
	if len(waits) > 0 {
		return false, nil
	}
	err = q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewRaw(`INSERT INTO job_timetable (name, next_at, last_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET next_at = EXCLUDED.next_at, last_at = EXCLUDED.last_at
			WHERE job_timetable.next_at <= EXCLUDED.last_at OR job_timetable.next_at > ?`, t.name, next, now, latest).Exec(ctx))
		due = n == 1
		return err
	})
	return due, err
}

// runTimed runs an entry of the timetable for as long as its period at most, within minTimedRun and maxTimedRun.
func (q *Queue) runTimed(ctx context.Context, t timed) error {
	next := t.next(q.db.Now())
	period := t.next(next).Sub(next)
	ctx, cancel := context.WithTimeout(ctx, min(max(period, minTimedRun), maxTimedRun))
	defer cancel()
	return guard(func() error { return t.run(ctx) })
}

// claim leases the job that waits longest; nil where none is due.
func (q *Queue) claim(ctx context.Context) (*row, error) {
	now := q.db.Now()
	var due []row
	waiting := func(sel *bun.SelectQuery) *bun.SelectQuery {
		return sel.Where("ended_at IS NULL AND run_at <= ?", now).Where("lease_until IS NULL OR lease_until < ?", now).
			Where("kind IN (?)", bun.List(slices.Collect(maps.Keys(q.handlers))))
	}
	if err := q.db.NewSelect().Model(&due).Apply(waiting).OrderExpr("run_at, id").Limit(1).Scan(ctx); err != nil || len(due) == 0 {
		return nil, err
	}
	r := due[0]
	taken := false
	err := q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		until := now.Add(lease)
		n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("attempt = attempt + 1").Set("lease_until = ?", until).
			Where("id = ? AND attempt = ? AND ended_at IS NULL", r.ID, r.Attempt).Exec(ctx))
		taken = n == 1
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Attempt++
	if !taken {
		r.Kind = "" // another process was faster; look again
	}
	return &r, nil
}

func (q *Queue) run(ctx context.Context, r *row) error {
	if r.Kind == "" {
		return nil
	}
	handler := q.handlers[r.Kind]
	ctx, cancel := context.WithTimeout(ctx, lease-10*time.Second) // ends before another process may take the job
	defer cancel()
	return guard(func() error { return handler(ctx, r.Payload) })
}

func guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// finish ends or puts back a job, but only where the attempt is still ours.
func (q *Queue) finish(ctx context.Context, r *row, failure error) error {
	if r.Kind == "" {
		return nil
	}
	ctx, cancel := detached.WithTimeout(ctx, noteWithin)
	defer cancel()
	now := q.db.Now()
	return q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		u := tx.NewUpdate().Model((*row)(nil)).Where("id = ? AND attempt = ?", r.ID, r.Attempt).Set("lease_until = NULL")
		switch {
		case failure == nil:
			u.Set("ended_at = ?", now).Set("unique_key = NULL").Set("last_error = ''")
		case r.Attempt >= attempts:
			slog.ErrorContext(ctx, "a job failed for good", "job", r.Kind, "id", r.ID, "error", failure)
			u.Set("ended_at = ?", now).Set("unique_key = NULL").Set("failed = ?", true).Set("last_error = ?", failure.Error())
		default:
			pause := min(time.Second<<r.Attempt, maxPause)
			slog.WarnContext(ctx, "a job failed and will run again", "job", r.Kind, "id", r.ID, "in", pause, "error", failure)
			u.Set("run_at = ?", now.Add(pause)).Set("last_error = ?", failure.Error())
		}
		_, err := u.Exec(ctx)
		return err
	})
}

func (q *Queue) forget(ctx context.Context) error {
	return q.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*row)(nil)).Where("ended_at < ? AND NOT failed", q.db.Now().Add(-kept)).Exec(ctx)
		return err
	})
}

// repair makes jobs run soon that were added, put back or leased while the clock was ahead.
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

// ErrUnknown is the error of Trigger for a name that is not on the timetable.
var ErrUnknown = errors.New("job: no such entry on the timetable")

// ErrClock is the fault of timed work that is asked for while the clocks disagree.
var ErrClock = fault.Unavailable("clocks_disagree",
	"服务器的时钟有误，涉及到期、扣费和删除的任务已暂停；请校正系统时间，若当前时间无误请重启服务",
	"The clocks disagree, so nothing is ended, billed or deleted; please set the server's clock right, or restart the server "+
		"if its present time is right").After(time.Minute)

// Trigger runs the entry called name now, beside its timetable.
func (q *Queue) Trigger(ctx context.Context, name string) error {
	if q.db.ClockProblem() != nil {
		return ErrClock
	}
	for _, t := range q.timed {
		if t.name == name {
			return q.runTimed(ctx, t)
		}
	}
	return ErrUnknown
}
