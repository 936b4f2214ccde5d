package job_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
)

// A year is further than any entry of the timetable lies ahead of the time at which it was written.
const year = 365 * 24 * time.Hour

func TestTimetable_AfterTheClockJumpedAheadAndCameBack_GoesOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
		now := start
		d.SetClock(func() time.Time { return now })
		q, runs := job.New(d), 0
		q.Schedule("tick", job.Interval(time.Minute), func(context.Context) error { runs++; return nil })
		for i, at := range []time.Duration{0, year, time.Minute, 2 * time.Minute} {
			now = start.Add(at)
			if err := q.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if runs != i+1 {
				t.Fatalf("the entry ran %d times after step %d, at %s; want %d", runs, i, now, i+1)
			}
		}
	})
}

func TestTimetable_ReplicaWhoseClockIsAMinuteBehind_RunsNothingTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		q, runs := job.New(d), 0
		q.Schedule("tick", job.Interval(15*time.Second), func(context.Context) error { runs++; return nil })
		if err := q.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-time.Minute)
		if err := q.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if runs != 1 {
			t.Fatalf("the entry ran %d times, want 1", runs)
		}
	})
}

func TestJobs_AddedRetriedOrLeasedWhileTheClockWasAhead_RunSoon(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
		now := start
		d.SetClock(func() time.Time { return now })
		q := job.New(d)
		ran := map[string]int{}
		job.Handle(q, "test", func(_ context.Context, payload string) error {
			ran[payload]++
			if payload == "retried" && ran[payload] == 1 {
				return errors.New("not yet")
			}
			return nil
		})
		add(t, d, "retried", job.Options{})
		now = start.Add(year)
		add(t, d, "added", job.Options{At: now.Add(time.Hour)})
		if err := q.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		add(t, d, "leased", job.Options{})
		lease(t, d, "leased", now.Add(time.Minute))

		now = start.Add(time.Minute)
		if err := q.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ran["retried"] != 2 || ran["added"] != 1 || ran["leased"] != 1 {
			t.Fatalf("the jobs ran %v; want retried:2 added:1 leased:1", ran)
		}
	})
}

// lease leaves the job of that payload as a process does that ended while it ran the job.
func lease(t *testing.T, d *db.DB, payload string, until time.Time) {
	t.Helper()
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewRaw(`UPDATE job SET attempt = 1, lease_until = ? WHERE payload = ?`,
			until, `"`+payload+`"`).Exec(ctx))
		if err == nil && n != 1 {
			t.Errorf("%d jobs were leased, want 1", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestExclusive_AfterTheClockJumpedAheadAndCameBack_RunsAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		q := job.New(d)
		now = now.Add(year)
		if err := q.Exclusive(t.Context(), "x", func(context.Context) error {
			now = now.Add(-year) // the clock is set right while the work runs
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-time.Minute)
		if err := q.Exclusive(t.Context(), "x", func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
}
