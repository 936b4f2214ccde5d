package job

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
)

// State is what has become of a job.
type State string

// The states of jobs.
const (
	Waiting State = "waiting"
	Running State = "running"
	Failed  State = "failed" // for good
	Done    State = "done"
)

// Faults of looking at jobs.
var (
	ErrNoJob   = fault.NotFound("job_not_found", "没有这个任务", "There is no such job")
	ErrNoRetry = fault.Conflict("job_not_failed", "只有已失败的任务可以重试", "Only a job that has failed can be retried")
)

// Job is a job of the queue as staff sees it, without what it works on.
type Job struct {
	ID        int64
	Kind      string
	State     State
	RunAt     time.Time
	Attempt   int64
	LastError string
	CreatedAt time.Time
	EndedAt   *time.Time
}

// Timed is an entry of the timetable with what is known of its runs.
type Timed struct {
	Name        string
	Period      time.Duration
	NextAt      *time.Time // nil: it has not run yet
	LastAt      *time.Time
	FailedAt    *time.Time // the last failure; nil: none is known
	Error       string
	Failures    int64 // since the last success
	RecoveredAt *time.Time
}

const maxError = 2000 // bytes that are kept of an error

// noteRun keeps what went wrong with a run, and that one went well after it. A success after a success writes nothing.
func (q *Queue) noteRun(ctx context.Context, name string, failure error) error {
	if failure == nil {
		if wrong, known := q.wrong.Load(name); known && wrong == false {
			return nil
		}
	}
	ctx, cancel := detached.WithTimeout(ctx, recordTimeout)
	defer cancel()
	now := q.db.Now()
	err := q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if failure == nil {
			_, err := tx.NewRaw(`UPDATE job_failure SET recovered_at = ? WHERE name = ? AND recovered_at IS NULL`, now,
				name).Exec(ctx)
			return err
		}
		_, err := tx.NewRaw(`INSERT INTO job_failure (name, failed_at, error, failures) VALUES (?, ?, ?, 1)
			ON CONFLICT (name) DO UPDATE SET failed_at = EXCLUDED.failed_at, error = EXCLUDED.error, recovered_at = NULL,
			failures = CASE WHEN job_failure.recovered_at IS NULL THEN job_failure.failures + 1 ELSE 1 END`,
			name, now, short(failure.Error())).Exec(ctx)
		return err
	})
	if err == nil {
		q.wrong.Store(name, failure != nil)
	}
	return err
}

func short(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\ufffd")
	for len(text) > maxError {
		_, size := utf8.DecodeLastRuneInString(text[:maxError+1])
		text = text[:maxError+1-size]
	}
	return text
}

// Timed returns the entries that the queue runs, with what is known of their runs in any process.
func (q *Queue) Timed(ctx context.Context) ([]Timed, error) {
	var rows []struct {
		Name        string
		NextAt      time.Time
		LastAt      *time.Time
		FailedAt    *time.Time
		Error       *string
		Failures    *int64
		RecoveredAt *time.Time
	}
	err := q.db.NewRaw(`SELECT t.name, t.next_at, t.last_at, f.failed_at, f.error, f.failures, f.recovered_at
		FROM job_timetable AS t LEFT JOIN job_failure AS f ON f.name = t.name`).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	now := q.db.Now()
	var all []Timed
	for _, e := range q.entries {
		one := Timed{Name: e.name, Period: e.period(now)}
		for _, r := range rows {
			if r.Name != e.name {
				continue
			}
			one.NextAt, one.LastAt, one.FailedAt, one.RecoveredAt = &r.NextAt, r.LastAt, r.FailedAt, r.RecoveredAt
			if r.Error != nil {
				one.Error, one.Failures = *r.Error, *r.Failures
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// Hurry makes an entry due now, wherever it runs. record is part of the transaction.
func (q *Queue) Hurry(ctx context.Context, name string, record func(ctx context.Context, tx bun.Tx) error) error {
	if q.db.ClockProblem() != nil {
		return ErrClock
	}
	if !q.Has(name) {
		return ErrNoJob
	}
	return q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw(`UPDATE job_timetable SET next_at = ? WHERE name = ?`, q.db.Now(), name).
			Exec(ctx); err != nil {
			return err
		}
		return record(ctx, tx)
	})
}

// Find returns a page of the jobs in a state, those of all queues, and how many there are: of the waiting and the
// running the one that is due first, else the one that ended last.
func (q *Queue) Find(ctx context.Context, state State, kind string, limit, offset int64) (
	found []Job, total int64, err error,
) {
	now := q.db.Now()
	var rows []row
	sel := q.db.NewSelect().Model(&rows).ExcludeColumn("payload").Limit(limit).Offset(offset)
	switch state {
	case Waiting:
		sel.Where("ended_at IS NULL AND (lease_until IS NULL OR lease_until < ?)", now).OrderExpr("run_at, id")
	case Running:
		sel.Where("ended_at IS NULL AND lease_until >= ?", now).OrderExpr("run_at, id")
	case Failed:
		sel.Where("ended_at IS NOT NULL AND failed").OrderExpr("ended_at DESC, id DESC")
	default:
		sel.Where("ended_at IS NOT NULL AND NOT failed").OrderExpr("ended_at DESC, id DESC")
	}
	if kind != "" {
		sel.Where("kind = ?", kind)
	}
	total, err = sel.ScanAndCount(ctx)
	for _, r := range rows {
		found = append(found, Job{
			r.ID, r.Kind, r.stateAt(now), r.RunAt, r.Attempt, r.LastError, r.CreatedAt, r.EndedAt,
		})
	}
	return found, total, err
}

func (r *row) stateAt(now time.Time) State {
	switch {
	case r.Failed:
		return Failed
	case r.EndedAt != nil:
		return Done
	case r.LeaseUntil != nil && !r.LeaseUntil.Before(now):
		return Running
	}
	return Waiting
}

// Retry has a job that failed for good run again, with all its attempts. record is part of the transaction.
func (q *Queue) Retry(ctx context.Context, id int64, record func(ctx context.Context, tx bun.Tx) error) error {
	return q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("failed = ?", false).Set("ended_at = NULL").
			Set("attempt = 0").Set("run_at = ?", q.db.Now()).Where("id = ? AND failed", id).Exec(ctx))
		if err != nil {
			return err
		}
		if n == 0 {
			return noRetry(ctx, tx, id)
		}
		return record(ctx, tx)
	})
}

func noRetry(ctx context.Context, tx bun.Tx, id int64) error {
	err := tx.NewSelect().Model((*row)(nil)).Column("id").Where("id = ?", id).Scan(ctx, new(int64))
	if errors.Is(err, db.ErrNoRows) {
		return ErrNoJob
	}
	if err == nil {
		err = ErrNoRetry
	}
	return err
}
