package job_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
)

func add(t *testing.T, d *db.DB, payload string, o job.Options) {
	t.Helper()
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return job.Add(ctx, tx, d.Now(), "test", payload, o)
	}); err != nil {
		t.Fatal(err)
	}
}

func TestJob_SeveralProcessesWork_RunsOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var ran sync.Map
		var runs atomic.Int64
		for i := range 20 {
			add(t, d, string(rune('a'+i)), job.Options{})
		}
		var wg sync.WaitGroup
		for range 4 {
			q := job.New(d)
			job.Handle(q, "test", func(_ context.Context, payload string) error {
				runs.Add(1)
				ran.Store(payload, true)
				return nil
			})
			wg.Go(func() {
				if err := q.Work(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		n := 0
		ran.Range(func(any, any) bool { n++; return true })
		if n != 20 || runs.Load() != 20 {
			t.Fatalf("%d jobs ran %d times", n, runs.Load())
		}
	})
}

func TestJob_FailsOrPanics_IsRetriedLater(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		q, runs := job.New(d), 0
		job.Handle(q, "test", func(context.Context, string) error {
			runs++
			switch runs {
			case 1:
				return errors.New("not yet")
			case 2:
				panic("worse")
			}
			return nil
		})
		add(t, d, "x", job.Options{})
		for i, want := range []int{1, 1, 2, 3, 3} {
			if err := q.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if runs != want {
				t.Fatalf("after step %d: %d runs, want %d", i, runs, want)
			}
			if i > 0 {
				now = now.Add(10 * time.Second)
			}
		}
	})
}

func TestJob_WithAKey_WaitsOnceAndUntilItsTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Now()
		d.SetClock(func() time.Time { return now })
		q, runs := job.New(d), 0
		job.Handle(q, "test", func(context.Context, string) error { runs++; return nil })
		for range 3 {
			add(t, d, "x", job.Options{Key: "same", At: now.Add(time.Minute)})
		}
		for _, want := range []int{0, 1, 1} {
			if err := q.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if runs != want {
				t.Fatalf("%d runs, want %d", runs, want)
			}
			now = now.Add(2 * time.Minute)
		}
		add(t, d, "x", job.Options{Key: "same"})
		if err := q.Work(t.Context()); err != nil || runs != 2 {
			t.Fatalf("the key is not free after the job ended: %d runs, %v", runs, err)
		}
	})
}

func TestTimetable_SeveralProcesses_RunAnEntryOncePerPeriod(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		var runs atomic.Int64
		queues := make([]*job.Queue, 3)
		for i := range queues {
			queues[i] = job.New(d)
			queues[i].Schedule("tick", job.Interval(time.Minute),
				func(context.Context) error { runs.Add(1); return nil })
		}
		for period := range 3 {
			var wg sync.WaitGroup
			for _, q := range queues {
				wg.Go(func() {
					if err := q.Work(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if runs.Load() != int64(period+1) {
				t.Fatalf("period %d: %d runs", period, runs.Load())
			}
			now = now.Add(time.Minute)
		}
	})
}

func TestQueue_JobWithoutHandler_IsLeftToOtherQueues(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		add(t, d, "x", job.Options{})
		other, runs := job.New(d), 0
		job.Handle(other, "other", func(context.Context, string) error { return errors.New("not mine") })
		q := job.New(d)
		job.Handle(q, "test", func(context.Context, string) error { runs++; return nil })
		for i, works := range []*job.Queue{job.New(d), other, q} {
			if err := works.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if runs != i/2 {
				t.Fatalf("after queue %d: %d runs", i, runs)
			}
		}
	})
}
