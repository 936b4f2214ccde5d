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
		var count, again, sum int64
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			count, again, sum = 0, 0, 0
			if err := db.NumbersOf(3, 0).Each(tx, func(any) error {
				t.Error("a statement ran without rows")
				return nil
			}); err != nil {
				return err
			}
			return n.Each(tx, func(part any) error {
				var found struct{ Count, Sum, Again int64 }
				err := tx.NewRaw(`SELECT count(*) AS count, CAST(sum(a.column2) AS BIGINT) AS sum,
					(SELECT count(*) FROM ?0 AS b) AS again FROM ?0 AS a`, part).Scan(ctx, &found)
				count, again, sum = count+found.Count, again+found.Again, sum+found.Sum
				return err
			})
		}); err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for i := range int64(rows) {
			want -= i * i
		}
		if count != rows || again != rows || sum != want {
			t.Errorf("%d and %d rows add up to %d, want %d and %d", count, again, sum, rows, want)
		}
	})
}
