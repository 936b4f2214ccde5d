package job_test

import (
	"context"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
)

func TestTimetable_EachRun_HasADeadline(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		for _, c := range []struct {
			name        string
			every, most time.Duration
		}{
			{"each 15 seconds", 15 * time.Second, 5 * time.Minute},
			{"each 10 minutes", 10 * time.Minute, 10 * time.Minute},
			{"each day", 24 * time.Hour, 35 * time.Minute},
		} {
			q := job.New(d)
			var limits []time.Duration
			q.Schedule(c.name, job.Interval(c.every), func(ctx context.Context) error {
				deadline, bounded := ctx.Deadline()
				if !bounded {
					t.Errorf("%s: a run has no deadline", c.name)
				}
				limits = append(limits, time.Until(deadline).Round(time.Minute))
				return nil
			})
			if err := q.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := q.Trigger(t.Context(), c.name); err != nil {
				t.Fatal(err)
			}
			if len(limits) != 2 || limits[0] != c.most || limits[1] != c.most {
				t.Errorf("%s: runs may take %v, want twice %s", c.name, limits, c.most)
			}
		}
	})
}
