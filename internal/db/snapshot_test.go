package db_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// follow runs Follow of the database and of the snapshot until the test ends.
func follow[T any](t *testing.T, d *db.DB, s *db.Snapshot[T]) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { d.Follow(ctx) })
	changes, stop := d.Watch("n")
	bumpN(t, d)
	<-changes // what Follow of the snapshot is not notified of
	stop()
	running.Go(func() { s.Follow(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

func bumpN(t *testing.T, d *db.DB) {
	t.Helper()
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := db.Bump(ctx, tx, "n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, s *db.Snapshot[int64], want int64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); s.Get() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it holds %d, the database %d", s.Get(), want)
		}
	}
}

func TestSnapshot_FollowsWhatChangedBeforeAndAfter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := db.NewSnapshot(d, "n", "numbers", func(ctx context.Context) (int64, error) { return db.Revision(ctx, d, "n") })
		if s.Get() != 0 {
			t.Fatalf("it holds %d before it was loaded", s.Get())
		}
		changes, stop := s.Watch()
		defer stop()
		follow(t, d, s)
		holds(t, s, 1)
		<-changes
		bumpN(t, d)
		holds(t, s, 2)
		<-changes
	})
}

func TestSnapshot_LoadThatFails_IsRepeated(t *testing.T) {
	d := dbtest.SQLite(t)
	var tries atomic.Int64
	s := db.NewSnapshot(d, "n", "numbers", func(ctx context.Context) (int64, error) {
		if tries.Add(1) == 1 {
			return 0, errors.New("the database is away")
		}
		return db.Revision(ctx, d, "n")
	})
	follow(t, d, s)
	holds(t, s, 1)
}

// Of two loads the one that read first could store last, and nothing would load again until the next change.
func TestSnapshot_LoadsAtOnce_EndWithTheNewest(t *testing.T) {
	var current atomic.Int64
	s := db.NewSnapshot(nil, "n", "numbers", func(context.Context) (int64, error) {
		value := current.Load()
		runtime.Gosched()
		return value, nil
	})
	for range 200 {
		var loads sync.WaitGroup
		for range 8 {
			loads.Go(func() {
				current.Add(1)
				if err := s.Load(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		loads.Wait()
		if s.Get() != current.Load() {
			t.Fatalf("it holds %d, the newest is %d", s.Get(), current.Load())
		}
	}
}
