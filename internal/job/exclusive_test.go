package job_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
)

func TestExclusive_RunsOneAtATimeAndAgainAfterItsEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		q, other := job.New(d), job.New(d)
		runs := 0
		work := func(context.Context) error {
			runs++
			if err := other.Exclusive(t.Context(), "x",
				func(context.Context) error { runs++; return nil }); !errors.Is(err, job.ErrRunning) {
				t.Errorf("while it runs: %v", err)
			}
			return other.Exclusive(t.Context(), "y", func(context.Context) error { return nil })
		}
		for range 2 {
			if err := q.Exclusive(t.Context(), "x", work); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Exclusive(t.Context(), "x", func(context.Context) error { panic("x") }); err == nil {
			t.Error("a panic is no error")
		}
		if err := q.Exclusive(t.Context(), "x", work); err != nil || runs != 3 {
			t.Errorf("%d runs, %v", runs, err)
		}
	})
}
