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

// A transaction that runs a text first runs it without a prepared statement, those after it with one.
func TestScanPrepared_ReadsTheSameTheFirstTimeAndLater(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		for range 3 {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				if _, err := db.Bump(ctx, tx, "here"); err != nil {
					return err
				}
				var row struct {
					Name  string
					Value int64
				}
				const one = `SELECT name, value FROM revision WHERE name = ? AND value > ?`
				if err := db.ScanPrepared(ctx, tx, &row, one, "here", 0); err != nil || row.Name != "here" {
					t.Errorf("a row: %v, %v", row, err)
				}
				var values []int64
				const many = `SELECT value FROM revision WHERE name <= ? ORDER BY value`
				if err := db.ScanPrepared(ctx, tx, &values, many, "here"); err != nil || len(values) != 1 ||
					values[0] != row.Value {
					t.Errorf("rows: %v, %v", values, err)
				}
				if err := db.ScanPrepared(ctx, tx, &values, many, ""); err != nil || len(values) != 0 {
					t.Errorf("no rows: %v, %v", values, err)
				}
				if err := db.ScanPrepared(ctx, tx, &row, one, "' OR 1 = 1 --", 0); !errors.Is(err, db.ErrNoRows) {
					t.Errorf("of a value that looks like SQL: %v", err)
				}
				return db.ExecPrepared(ctx, tx, `DELETE FROM revision WHERE name = ?`, "here")
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if left, err := db.Revision(t.Context(), d, "here"); err != nil || left != 0 {
			t.Errorf("%d left, %v", left, err)
		}
	})
}

func TestScanPrepared_InATransactionOfAnotherPool_IsSentAsText(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		var answer int64
		ask := func(ctx context.Context, tx bun.Tx) error {
			return db.ScanPrepared(ctx, tx, &answer, `SELECT 2 * CAST(? AS BIGINT)`, 21)
		}
		for range 3 {
			if err := d.Tx(t.Context(), ask); err != nil || answer != 42 {
				t.Errorf("%d, %v", answer, err)
			}
		}
		for name, run := range map[string]func(context.Context, func(context.Context, bun.Tx) error) error{
			"to read": d.ReadTx, "to read for long": d.LongReadTx, "for long": d.LongTx,
			"to read within one that writes": func(ctx context.Context, ask func(context.Context, bun.Tx) error) error {
				return d.Tx(ctx, func(ctx context.Context, _ bun.Tx) error { return d.ReadTx(ctx, ask) })
			},
		} {
			answer = 0
			if err := run(t.Context(), ask); err != nil || answer != 42 {
				t.Errorf("in a transaction %s: %d, %v", name, answer, err)
			}
		}
	})
}

func TestScanPrepared_IsPreparedOnceForEachConnection(t *testing.T) {
	d := dbtest.Postgres(t)
	count := func() (prepared int64) {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			var name string
			if err := db.ScanPrepared(ctx, tx, &name, `SELECT CAST(? AS TEXT)`, "x"); err != nil {
				return err
			}
			return tx.NewRaw(`SELECT count(*) FROM pg_prepared_statements`).Scan(ctx, &prepared)
		}); err != nil {
			t.Fatal(err)
		}
		return prepared
	}
	if first := count(); first != 0 {
		t.Errorf("%d statements are prepared before the first transaction ends", first)
	}
	for range 5 {
		if later := count(); later != 1 {
			t.Errorf("%d statements are prepared", later)
		}
	}
}

func TestScanPrepared_ErrorsEndTheTransactionAsOfAnyText(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		for range 3 {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				const insert = `INSERT INTO revision (name, value) VALUES (?, ?)`
				if err := db.ExecPrepared(ctx, tx, insert, "twice", 1); err != nil {
					t.Error(err)
				}
				return db.Error(db.ExecPrepared(ctx, tx, insert, "twice", 1))
			})
			if !errors.Is(err, db.ErrUnique) {
				t.Errorf("a second row with a key: %v", err)
			}
			err = d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return db.ExecPrepared(ctx, tx, `DELETE FROM nowhere WHERE nothing = ?`, 1)
			})
			if err == nil {
				t.Error("a table that is not there was found")
			}
			ended, end := context.WithCancel(t.Context())
			err = d.Tx(ended, func(ctx context.Context, tx bun.Tx) error {
				end()
				return db.ExecPrepared(ctx, tx, `DELETE FROM revision WHERE name = ?`, "twice")
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("of a caller that is gone: %v", err)
			}
		}
		if left, err := db.Revision(t.Context(), d, "twice"); err != nil || left != 0 {
			t.Errorf("%d left, %v", left, err)
		}
	})
}

func TestScanPrepared_GivesEachOfManyCallersItsOwnRow(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		var callers sync.WaitGroup
		for caller := range 12 {
			callers.Go(func() {
				for i := range 10 {
					want := int64(caller*1000 + i + 1)
					var got int64
					err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
						return db.ScanPrepared(ctx, tx, &got, `SELECT 2 * CAST(? AS BIGINT)`, want)
					})
					if err != nil || got != want*2 {
						t.Errorf("%d, want %d: %v", got, want*2, err)
					}
				}
			})
		}
		callers.Wait()
	})
}

type insertedRow struct {
	bun.BaseModel `bun:"table:inserted_row"`
	ID            int64 `bun:",pk,autoincrement"`
	Name          string
	Tags          []string `bun:"type:jsonb"`
	Limit         *int64   `bun:"most"`
	At            time.Time
	EndedAt       *time.Time
	Seen          int64 `bun:",scanonly"`
}

func TestInsertPrepared_StoresWhatBunStores(t *testing.T) {
	eachAndPgBouncer(t, func(t *testing.T, d *db.DB) {
		key, tags, at := "INTEGER PRIMARY KEY", "TEXT", "TEXT"
		if !d.SQLite() {
			key, tags, at = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "JSONB", "TIMESTAMPTZ"
		}
		now := time.Date(2026, 11, 30, 1, 2, 3, 456_000_000, time.FixedZone("", 8*3600))
		most := int64(7)
		for round, row := range []insertedRow{
			{Name: "a 'name'?", Tags: []string{`"`, "二"}, Limit: &most, At: now, EndedAt: &now},
			{Name: "", Tags: []string{}, At: now},
		} {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				if round == 0 {
					if _, err := tx.NewRaw(`CREATE TABLE inserted_row (id ` + key + `, name TEXT NOT NULL, tags ` + tags +
						` NOT NULL, most BIGINT, at ` + at + ` NOT NULL, ended_at ` + at + `)`).Exec(ctx); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				first, second := row, row
				if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					if _, err := tx.NewInsert().Model(&first).Exec(ctx); err != nil {
						return err
					}
					return db.InsertPrepared(ctx, tx, &second)
				}); err != nil {
					t.Fatal(err)
				}
				if second.ID != first.ID+1 {
					t.Errorf("the key of the row after %d is %d", first.ID, second.ID)
				}
				var same int64
				if err := d.NewRaw(`SELECT count(*) FROM inserted_row a JOIN inserted_row b ON a.name = b.name AND a.tags = b.tags
					AND a.most IS NOT DISTINCT FROM b.most AND a.at = b.at AND a.ended_at IS NOT DISTINCT FROM b.ended_at
					WHERE a.id = ? AND b.id = ?`, first.ID, second.ID).Scan(t.Context(), &same); err != nil || same != 1 {
					t.Errorf("the row is not as bun stores it: %v", err)
				}
			}
		}
	})
}
