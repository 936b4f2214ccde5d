package storage_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/storage"
	"airstrip/internal/trafficlog"
)

const megabyte = 1 << 20

func TestGrowth_IsOfTheLastThirtyDays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		d.SetClock(func() time.Time { return now })
		s := storage.New(d, trafficlog.New(d).Size)
		growth := func() storage.Growth {
			t.Helper()
			g, err := s.Growth(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		next := 0
		measure := func() {
			t.Helper()
			if err := s.Measure(ctx); err != nil {
				t.Fatal(err)
			}
		}
		// fill adds packs of so many bytes, as the sealing of the log does.
		fill := func(bytes int) {
			t.Helper()
			if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				for range bytes / (megabyte / 4) {
					next++
					if _, err := tx.NewRaw(`INSERT INTO traffic_pack (id, n, up, down, billed, data)
						VALUES (?, 1, 1, 1, 1, ?)`, int64(next), make([]byte, megabyte/4)).Exec(ctx); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if g := growth(); g.Data != nil || g.LogBytes != 0 {
			t.Errorf("before the first measurement: %+v", g)
		}
		measure()
		fill(8 * megabyte) // it grew faster long ago
		now = now.AddDate(0, 0, 10)
		measure()
		if g := growth(); g.Data == nil || *g.Data < megabyte/2 || *g.Data > megabyte {
			t.Errorf("8 MB in 10 days: %v", g.Data)
		}
		now = now.AddDate(0, 0, 35)
		measure()
		if g := growth(); g.Data != nil || g.LogBytes < 8*megabyte || g.LogBytes > 9*megabyte {
			t.Errorf("with one measurement in 30 days: %+v", g)
		}
		fill(4 * megabyte)
		now = now.Add(11 * time.Hour)
		measure() // of the same UTC day: the former is replaced
		if g := growth(); g.Data != nil {
			t.Errorf("within half a day: %d", *g.Data)
		}
		now = now.AddDate(0, 0, 4)
		fill(4 * megabyte)
		measure()
		g := growth()
		for name, daily := range map[string]*int64{"data": g.Data, "log": g.Log} {
			if daily == nil || *daily < megabyte*9/10 || *daily > megabyte*12/10 {
				t.Errorf("4 MB in 4 days, %s: %v", name, daily)
			}
		}
	})
}

func TestDaysLeft(t *testing.T) {
	daily := func(n int64) storage.Growth { return storage.Growth{Data: &n} }
	for _, c := range []struct {
		growth storage.Growth
		room   int64
		want   int64 // -1: not known
	}{
		{storage.Growth{}, 100, -1},
		{daily(0), 100, -1},
		{daily(-5), 100, -1},
		{daily(30), 100, 3},
		{daily(30), 0, 0},
		{daily(1), 1 << 62, 3650},
	} {
		got := c.growth.DaysLeft(c.room)
		if (got == nil) != (c.want < 0) || got != nil && *got != c.want {
			t.Errorf("%+v with room for %d: %v, want %d", c.growth, c.room, got, c.want)
		}
	}
}
