package db_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestNumbersStandForATable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rows := db.NumbersOf(2, 1)
		for i := range int64(5000) {
			rows.Add(i, -i)
		}
		rows.Add(math.MaxInt64, math.MinInt64)
		var first, second []int64
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for part := range rows.Parts() {
				found, err := tx.QueryContext(ctx, `SELECT v.* FROM ? AS v WHERE v.column1 > ? ORDER BY v.column1`,
					part, 4997)
				if err != nil {
					return err
				}
				defer found.Close()
				for found.Next() {
					var a, b int64
					if err := found.Scan(&a, &b); err != nil {
						return err
					}
					first, second = append(first, a), append(second, b)
				}
				if err := found.Err(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || !slices.Equal(first, []int64{4998, 4999, math.MaxInt64}) ||
			!slices.Equal(second, []int64{-4998, -4999, math.MinInt64}) {
			t.Errorf("%v %v, %v", first, second, err)
		}
		for range db.NumbersOf(3, 0).Parts() {
			t.Error("a part without rows")
		}
	})
}
