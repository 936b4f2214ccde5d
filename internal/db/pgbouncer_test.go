package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// poolers are ways in which PgBouncer is set up: as Debian has it, where it refuses the parameters of sessions, and as
// many have it, where it ignores them.
var poolers = map[string]string{
	"refusing parameters": "",
	"ignoring parameters": "ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout," +
		"idle_in_transaction_session_timeout,tcp_user_timeout,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count," +
		"search_path,default_transaction_read_only",
	"giving out sessions": "pool_mode = session\ndefault_pool_size = 60",
}

func eachPooler(t *testing.T, test func(t *testing.T, direct, pooled string)) {
	for name, settings := range poolers {
		t.Run("pgbouncer "+name, func(t *testing.T) {
			direct := dbtest.PostgresURL(t)
			test(t, direct, dbtest.PgBouncer(t, direct, settings))
		})
	}
}

func eachAndPgBouncer(t *testing.T, test func(t *testing.T, d *db.DB)) {
	dbtest.Each(t, test)
	eachPooler(t, func(t *testing.T, _, pooled string) { test(t, open(t, pooled)) })
}

func TestBehindPgBouncer_TransactionsHaveTheirLimits_AndWritesCount(t *testing.T) {
	eachPooler(t, func(t *testing.T, direct, pooled string) {
		if open(t, direct).Pooled() {
			t.Error("PostgreSQL itself is taken for a pooler")
		}
		d := open(t, pooled)
		if !d.Pooled() {
			t.Fatal("PgBouncer is taken for PostgreSQL")
		}
		if err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for range 30 {
			callers.Go(func() {
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					for setting, want := range map[string]string{
						"statement_timeout": "5s", "lock_timeout": "2s",
						"idle_in_transaction_session_timeout": "8s",
					} {
						var got string
						if err := tx.NewRaw(`SELECT current_setting(?)`, setting).Scan(ctx, &got); err != nil ||
							got != want {
							return fmt.Errorf("%s is %s, want %s: %w", setting, got, want, err)
						}
					}
					_, err := db.Bump(ctx, tx, "here")
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if err := d.LongTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return insert(ctx,
				tx)
		}); err != nil {
			t.Error(err)
		}
		if err := d.Snapshot(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			var bumps int64
			err := tx.QueryRowContext(ctx, `SELECT value FROM revision WHERE name = 'here'`).Scan(&bumps)
			if bumps != 30 {
				t.Errorf("%d of 30 writes count", bumps)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		wantWritable(t, d)
		var left string
		if err := open(t, direct).NewRaw(`SELECT current_setting('statement_timeout')`).
			Scan(t.Context(), &left); err != nil || left != "5s" {
			t.Errorf("a session of PostgreSQL itself has statement_timeout %s, %v", left, err)
		}
	})
}

func TestBehindPgBouncer_AnEmptyDatabaseIsMigratedByTwoAtOnce(t *testing.T) {
	pooled := dbtest.PgBouncer(t, dbtest.EmptyPostgresURL(t), "")
	var both sync.WaitGroup
	for range 2 {
		d := open(t, pooled)
		both.Go(func() {
			if err := d.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if done, err := open(t, pooled).Migrated(t.Context()); err != nil || !done {
		t.Errorf("migrated: %t, %v", done, err)
	}
}

func TestBehindPgBouncer_ReadOnlyIsKept_AndWhatNeedsASessionIsRefused(t *testing.T) {
	eachPooler(t, func(t *testing.T, direct, pooled string) {
		d, err := db.OpenReadOnly(t.Context(), pooled, "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for range 3 {
			if n, err := d.NewSelect().Table("revision").Count(t.Context()); err != nil || n != 0 {
				t.Fatalf("reading: %d, %v", n, err)
			}
			if _, err := d.ExecContext(t.Context(), `INSERT INTO revision (name, value) VALUES ('x', 1)`); err == nil {
				t.Fatal("it writes")
			}
		}
		if _, err := db.OpenSchema(t.Context(), pooled, "public"); !errors.Is(err, db.ErrPooler) {
			t.Errorf("another schema: %v, want ErrPooler", err)
		}
		if err := grow(t, open(t, pooled)); err != nil {
			t.Errorf("read-only has spread to others: %v", err)
		}
	})
}
