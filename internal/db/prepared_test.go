package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestPrepared_ReadsOneRowOrSaysThatThereIsNone(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := db.Bump(ctx, tx, "here")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		p := d.Prepared(`SELECT name, value FROM revision WHERE name = ? AND value >= ?`)
		for range 2 { // made, and met again
			var name string
			var value int64
			if err := p.Row(t.Context(), []any{"here", 1}, &name, &value); err != nil || name != "here" || value != 1 {
				t.Errorf("%q %d, %v", name, value, err)
			}
		}
		var name string
		var value int64
		if err := p.Row(t.Context(), []any{"here", 2}, &name, &value); !errors.Is(err, db.ErrNoRows) {
			t.Errorf("of no row: %v", err)
		}
		if err := p.Row(t.Context(), []any{"' OR 1 = 1 --", 0}, &name, &value); !errors.Is(err, db.ErrNoRows) {
			t.Errorf("of a value that looks like SQL: %v", err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := p.Row(ended, []any{"here", 1}, &name, &value); !errors.Is(err, context.Canceled) {
			t.Errorf("of a caller that is gone: %v", err)
		}
	})
}

func TestPrepared_GivesEachOfManyCallersItsOwnRow(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		p := d.Prepared(`SELECT value * 2 FROM (SELECT CAST(? AS BIGINT) AS value) AS v
			WHERE value > CAST(? AS BIGINT)`)
		var callers sync.WaitGroup
		for caller := range 16 {
			callers.Go(func() {
				for i := range 20 {
					want := int64(caller*1000 + i + 1)
					var got int64
					if err := p.Row(t.Context(), []any{want, 0}, &got); err != nil || got != want*2 {
						t.Errorf("%d, want %d: %v", got, want*2, err)
					}
				}
			})
		}
		callers.Wait()
		var none int64
		if err := p.Row(t.Context(), []any{1, 1}, &none); !errors.Is(err, db.ErrNoRows) {
			t.Errorf("where no row is: %v", err)
		}
		if err := d.Prepared(`SELECT nothing FROM nowhere`).Row(t.Context(), nil, &none); err == nil ||
			errors.Is(err, db.ErrNoRows) {
			t.Errorf("of a table that is not there: %v", err)
		}
	})
}

// PostgreSQL ends all sessions when it restarts, and an operator or a failover may end them. Callers do not notice.
func TestPool_AfterItsSessionsWereEnded_ReadsOnNewOnes(t *testing.T) {
	url := dbtest.PostgresURL(t)
	d, other := open(t, url), open(t, url)
	p := d.Prepared(`SELECT CAST(? AS BIGINT)`)
	readAtOnce := func() {
		t.Helper()
		const readers = 16
		var all sync.WaitGroup
		barrier := make(chan struct{})
		for reader := range readers {
			all.Go(func() {
				<-barrier
				var got int64
				err := p.Row(t.Context(), []any{reader}, &got)
				if err == nil && reader%2 == 0 {
					err = d.NewRaw(`SELECT ? FROM pg_sleep(0.05)`, reader).Scan(t.Context(), &got)
				}
				if err != nil || got != int64(reader) {
					t.Errorf("reader %d: %d, %v", reader, got, err)
				}
			})
		}
		close(barrier)
		all.Wait()
	}
	for range 5 {
		readAtOnce()
		endOthers(t, other)
		eventually(t, "the sessions are gone", func() bool {
			var rest int
			err := other.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
				AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(t.Context(), &rest)
			return err == nil && rest == 0
		})
	}
}
