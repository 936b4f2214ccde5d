package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestAStatementReadsOneRowOrSaysThatThereIsNone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := db.Bump(ctx, tx, "here")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s := d.Statement(`SELECT name, value FROM revision WHERE name = ? AND value >= ?`)
		for range 2 { // made, and met again
			var name string
			var value int64
			if err := s.Row(t.Context(), []any{"here", 1}, &name, &value); err != nil || name != "here" || value != 1 {
				t.Errorf("%q %d, %v", name, value, err)
			}
		}
		var name string
		var value int64
		if err := s.Row(t.Context(), []any{"here", 2}, &name, &value); !errors.Is(err, db.ErrNoRows) {
			t.Errorf("of no row: %v", err)
		}
		if err := s.Row(t.Context(), []any{"' OR 1 = 1 --", 0}, &name, &value); !errors.Is(err, db.ErrNoRows) {
			t.Errorf("of a value that looks like SQL: %v", err)
		}
	})
}
