package db_test

import (
	"errors"
	"sync"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestAQueryThatRunsOftenGivesEachCallerItsOwnRow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		often := d.Often(`SELECT value * 2 FROM (SELECT CAST(? AS BIGINT) AS value) AS v WHERE value > ?`)
		var callers sync.WaitGroup
		for caller := range 16 {
			callers.Go(func() {
				for i := range 20 {
					want := int64(caller*1000 + i + 1)
					var got int64
					if err := often.Row(t.Context(), want, 0).Scan(&got); err != nil || got != want*2 {
						t.Errorf("%d, not %d: %v", got, want*2, err)
					}
				}
			})
		}
		callers.Wait()
		var none int64
		if err := often.Row(t.Context(), 1, 1).Scan(&none); !errors.Is(err, db.ErrNoRows) {
			t.Errorf("where no row is: %v", err)
		}
		if err := d.Often(`SELECT nothing FROM nowhere`).Row(t.Context()).Scan(&none); err == nil || errors.Is(err, db.ErrNoRows) {
			t.Errorf("of a table that is not there: %v", err)
		}
	})
}
