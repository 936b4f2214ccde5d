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

// ErrRunning is returned where the work is already running, here or in another process.
var ErrRunning = fault.Conflict("job_running", "该任务正在运行", "This job is running already")

// exclusiveLease is the time after which work that has not reported its end counts as dead.
const exclusiveLease = 10 * time.Minute

// Exclusive runs fn, or returns ErrRunning where work of this name is running in any process.
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
		free, cancel := detached.WithTimeout(ctx, recordTimeout)
		defer cancel()
		_ = q.db.Tx(free, func(ctx context.Context, tx bun.Tx) error { // where it fails, the lease ends by time
			_, err := tx.NewRaw(`UPDATE job_timetable SET next_at = last_at WHERE name = ? AND last_at = ?`, name,
				now).Exec(ctx)
			return err
		})
	}()
	ctx, cancel := context.WithTimeout(ctx, exclusiveLease-time.Minute)
	defer cancel()
	return recovered(func() error { return fn(ctx) })
}
