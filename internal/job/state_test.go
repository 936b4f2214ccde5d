package job

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func nothing(context.Context, bun.Tx) error { return nil }

// What failed is known with its error until it succeeds, and a failed job can be retried once.
func TestLook_FailuresAndRetry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		q := &Queue{db: d}
		failure := errors.New("no room\x00left")
		runs := 0
		q.Schedule("service.expire", Interval(time.Hour), func(context.Context) error { runs++; return failure })
		look := func() Timed {
			t.Helper()
			all, err := q.Timed(ctx)
			if err != nil || len(all) != 1 {
				t.Fatalf("%v, %v", all, err)
			}
			return all[0]
		}
		if one := look(); one.NextAt != nil || one.FailedAt != nil {
			t.Errorf("before the first run: %+v", one)
		}
		for range 2 {
			if err := q.runDue(ctx, q.entries); err != nil {
				t.Fatal(err)
			}
			if err := q.Hurry(ctx, "service.expire", nothing); err != nil {
				t.Fatal(err)
			}
		}
		if one := look(); runs != 2 || one.Failures != 2 || one.Error != "no roomleft" || one.RecoveredAt != nil {
			t.Errorf("after %d failures: %+v", runs, one)
		}
		failure = nil
		if err := q.runDue(ctx, q.entries); err != nil {
			t.Fatal(err)
		}
		if one := look(); one.RecoveredAt == nil || one.LastAt == nil {
			t.Errorf("after a success: %+v", one)
		}
		if err := q.Hurry(ctx, "no.such", nothing); !errors.Is(err, ErrNoJob) {
			t.Errorf("an unknown entry: %v", err)
		}

		if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			if err := Add(ctx, tx, d.Now(), "work", 1, Options{}); err != nil {
				return err
			}
			return Add(ctx, tx, d.Now(), "other", 1, Options{})
		}); err != nil {
			t.Fatal(err)
		}
		found, total, err := q.Find(ctx, Waiting, "work", 10, 0)
		if err != nil || total != 1 || found[0].State != Waiting {
			t.Fatalf("waiting: %+v, %v", found, err)
		}
		id := found[0].ID
		if err := q.Retry(ctx, id, nothing); !errors.Is(err, ErrNoRetry) {
			t.Errorf("a retry of a waiting job: %v", err)
		}
		if err := q.finish(ctx, &row{ID: id, Kind: "work", Attempt: 0}, nil); err != nil {
			t.Fatal(err)
		}
		if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE job SET failed = ? WHERE id = ?`, true, id).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if found, _, err := q.Find(ctx, Failed, "", 10, 0); err != nil || len(found) != 1 || found[0].ID != id {
			t.Errorf("failed: %+v, %v", found, err)
		}
		if err := q.Retry(ctx, id, nothing); err != nil {
			t.Fatal(err)
		}
		if found, total, err := q.Find(ctx, Waiting, "", 10, 0); err != nil || total != 2 || found[0].Attempt != 0 {
			t.Errorf("waiting again: %+v, %v", found, err)
		}
		if err := q.Retry(ctx, 1_000_000, nothing); !errors.Is(err, ErrNoJob) {
			t.Errorf("an unknown job: %v", err)
		}
	})
}
