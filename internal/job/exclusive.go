package job

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
)

// ErrRunning is the fault of work that runs already, here or on another process.
var ErrRunning = fault.Conflict("job_running", "该任务正在运行", "This job is running already")

// exclusiveLease is when work counts as dead that did not say that it ended.
const exclusiveLease = 10 * time.Minute

// Exclusive runs fn, unless work of this name runs already on any process: then it answers ErrRunning.
func (q *Queue) Exclusive(ctx context.Context, name string, fn func(context.Context) error) error {
	name = "exclusive " + name
	now := q.db.Now()
	err := q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewRaw(`INSERT INTO job_timetable (name, next_at, last_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET next_at = EXCLUDED.next_at, last_at = EXCLUDED.last_at
			WHERE job_timetable.next_at <= EXCLUDED.last_at OR job_timetable.next_at > ?`,
			name, now.Add(exclusiveLease), now, now.Add(exclusiveLease+clock.Tolerance)).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrRunning
		}
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		free, cancel := detached.WithTimeout(ctx, noteWithin)
		defer cancel()
		_ = q.db.Tx(free, func(ctx context.Context, tx bun.Tx) error { // else the lease frees it
			_, err := tx.NewRaw(`UPDATE job_timetable SET next_at = last_at WHERE name = ? AND last_at = ?`, name, now).Exec(ctx)
			return err
		})
	}()
	ctx, cancel := context.WithTimeout(ctx, exclusiveLease-time.Minute)
	defer cancel()
	return guard(func() error { return fn(ctx) })
}
