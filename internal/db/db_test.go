package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

type jobRow struct {
	bun.BaseModel `bun:"table:job"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          string
	Payload       map[string]string
	UniqueKey     *string
	RunAt         time.Time
	Attempt       int64
	LeaseUntil    *time.Time
	LastError     string
	CreatedAt     time.Time
	EndedAt       *time.Time
	Failed        bool
}

func TestTimesSortAndComeBackAsTheyWere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		base := time.Date(2026, 3, 1, 0, 0, 0, 0, time.FixedZone("", 8*3600))
		for _, offset := range []time.Duration{time.Second, 0, 120 * time.Millisecond, 12 * time.Millisecond} {
			row := jobRow{
				Kind: "k", RunAt: base.Add(offset), CreatedAt: d.Now(),
				Payload: map[string]string{"a": "b"}, Failed: true,
			}
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewInsert().Model(&row).Exec(ctx)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		var rows []jobRow
		if err := d.NewSelect().Model(&rows).Where("run_at >= ?", base).Order("run_at").Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(rows) != 4 || rows[0].Payload["a"] != "b" || !rows[0].Failed {
			t.Fatalf("read %+v", rows)
		}
		for i, offset := range []time.Duration{0, 12 * time.Millisecond, 120 * time.Millisecond, time.Second} {
			if !rows[i].RunAt.Equal(base.Add(offset)) {
				t.Errorf("row %d is at %s, want %s", i, rows[i].RunAt, base.Add(offset))
			}
		}
	})
}

func TestBrokenRulesAreSentinels(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		insert := func(value int64) error {
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`INSERT INTO revision (name, value) VALUES ('x', ?)`, value).Exec(ctx)
				return err
			})
		}
		if err := insert(-1); !errors.Is(err, db.ErrCheck) {
			t.Errorf("a negative value: %v", err)
		}
		if err := insert(1); err != nil {
			t.Fatal(err)
		}
		if err := insert(2); !errors.Is(err, db.ErrUnique) {
			t.Errorf("a second row: %v", err)
		}
	})
}

func TestConcurrentWritersAllSucceed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					if _, err := db.Revision(ctx, tx, "n"); err != nil {
						return err
					}
					_, err := db.Bump(ctx, tx, "n")
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n, err := db.Revision(t.Context(), d, "n"); n != 100 || err != nil {
			t.Fatalf("the revision is %d, %v", n, err)
		}
	})
}

func TestWatchersHearOfCommitsOnly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); d.Follow(ctx) }()
		defer func() { cancel(); <-done }()
		changes, stop := d.Watch("n")
		defer stop()
		failed := errors.New("no")
		if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			if _, err := db.Bump(ctx, tx, "n"); err != nil {
				return err
			}
			return failed
		}); !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := db.Bump(ctx, tx, "n")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		select {
		case v := <-changes:
			if v != 1 {
				t.Fatalf("heard of revision %d", v)
			}
		case <-time.After(time.Minute):
			t.Fatal("heard nothing")
		}
	})
}

func TestReadersCannotWriteOnSQLite(t *testing.T) {
	d := dbtest.SQLite(t)
	if _, err := d.ExecContext(t.Context(), `INSERT INTO revision (name, value) VALUES ('x', 1)`); err == nil {
		t.Fatal("a write went past Tx")
	}
}
