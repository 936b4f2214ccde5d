package trafficlog_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/trafficlog"
)

// Old hours are removed in steps of a bounded size, each a transaction of its own, so that no other write waits for all
// of them: what steps before a failing one removed stays removed, and the next run goes on there.
func TestDropHours_GoesInBoundedSteps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const packs, step, stuck = 4500, 2000, 4200
		const day = int64(20_000) // in days since 1970, as packs are numbered
		write := func(text string, values ...any) {
			t.Helper()
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(text, values...).Exec(ctx)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		left := func() (n int64) {
			t.Helper()
			if err := d.NewRaw(`SELECT COUNT(*) FROM traffic_pack`).Scan(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		write(`INSERT INTO traffic_pack (id, n, up, down, billed, data)
			WITH RECURSIVE user_id (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM user_id WHERE i < ?)
			SELECT ? + i, 1, 1, 1, 1, ? FROM user_id`, packs, day<<32, []byte{0})
		write(`CREATE TABLE holds_on (pack BIGINT REFERENCES traffic_pack (id))`)
		write(`INSERT INTO holds_on (pack) VALUES (?)`, day<<32+stuck)
		log := trafficlog.New(d)
		if err := log.DropHours(t.Context(), (day+1)*24); err == nil {
			t.Fatal("a pack was removed that something refers to")
		}
		if n := left(); n != packs-2*step {
			t.Errorf("%d packs are left, want those of the step that failed, %d", n, packs-2*step)
		}
		write(`DELETE FROM holds_on`)
		if err := log.DropHours(t.Context(), (day+1)*24); err != nil || left() != 0 {
			t.Errorf("%d packs are left: %v", left(), err)
		}
	})
}
