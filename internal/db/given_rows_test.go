package db_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestNumbersEach_StandForATable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		// A file that was just migrated is written anew, which removes what is temporary.
		if err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		const rows = 4500
		n := db.NumbersOf(2, rows)
		for i := range int64(rows) {
			n.Add(i, -i*i)
		}
		var count, sum int64
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			count, sum = 0, 0
			if err := db.NumbersOf(3, 0).Each(tx, func(any) error {
				t.Error("a statement ran without rows")
				return nil
			}); err != nil {
				return err
			}
			return n.Each(tx, func(part any) error {
				var found struct{ Count, Sum int64 }
				err := tx.NewRaw(`SELECT count(*) AS count, CAST(sum(a.column2) AS BIGINT) AS sum FROM ?0 AS a
					JOIN ?0 AS b ON b.column1 = a.column1`, part).Scan(ctx, &found)
				count, sum = count+found.Count, sum+found.Sum
				return err
			})
		}); err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for i := range int64(rows) {
			want -= i * i
		}
		if count != rows || sum != want {
			t.Errorf("%d rows add up to %d, want %d and %d", count, sum, rows, want)
		}
	})
}
