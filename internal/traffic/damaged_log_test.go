package traffic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

// logRow is a row of a table of the traffic log.
type logRow struct {
	ID   int64
	Data []byte
}

// damagesOf returns what may become of a row's bytes. Those at the places hours, which say in which hour of the day the
// bytes were moved, are left out: no sum depends on them.
func damagesOf(r logRow, hours ...int) map[string][]byte {
	out := map[string][]byte{
		"emptied": {}, "cut by a byte": r.Data[:len(r.Data)-1], "longer": append(bytes.Clone(r.Data), 1),
	}
	for i := range r.Data {
		if slices.Contains(hours, i) {
			continue
		}
		for _, bit := range []byte{1, 16} {
			changed := bytes.Clone(r.Data)
			changed[i] ^= bit
			out[fmt.Sprintf("with byte %d changed by %d", i, bit)] = changed
		}
	}
	return out
}

func TestCheck_DamagedPacksAndMonths_AreNamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.traffic.Register(s.queue)
		if err := s.settings.Set(t.Context(), map[string]json.RawMessage{
			"traffic_log_days": json.RawMessage("20"), "traffic_daily_days": json.RawMessage("31"),
		}); err != nil {
			t.Fatal(err)
		}
		n, users := s.node(t, 1500, 0, 0), []int64{s.open(t), s.open(t)}
		for _, u := range users {
			s.start(t, service.Terms{UserID: u, Months: 12})
		}
		for i, days := range []int{20, 20, 20, 20, 1, 1, 1} { // months that are over, and three days of the present one
			var rows []traffic.Row
			for _, u := range users {
				rows = append(rows, traffic.Row{UserID: u, Up: 100 + u + int64(i), Down: 3000 + u*int64(i)})
			}
			s.record(t, s.report(n, strconv.Itoa(i), rows...))
			s.now = s.now.AddDate(0, 0, days)
			if err := s.queue.Trigger(t.Context(), "traffic.forget"); err != nil {
				t.Fatal(err)
			}
		}
		sound := func(when string) {
			t.Helper()
			if broken, err := traffic.Check(t.Context(), d, s.settings); err != nil || len(broken) > 0 {
				t.Fatalf("%s: %v, %v", when, broken, err)
			}
		}
		do := func(query string, values ...any) {
			t.Helper()
			s.do(t, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(query, values...).Exec(ctx)
				return err
			})
		}
		named := func(what string) {
			t.Helper()
			broken, err := traffic.Check(t.Context(), d, s.settings)
			if err != nil || len(broken) == 0 || !strings.HasPrefix(broken[0].Rule, "I14: ") || broken[0].What == "" {
				t.Errorf("%s: %v, %v; want a violation of I14", what, broken, err)
			}
		}
		sound("before any damage")
		for table, hours := range map[string][]int{"traffic_pack": {1}, "traffic_month_chunk": nil} {
			var rows []logRow
			if err := d.NewRaw(`SELECT id, data FROM ? ORDER BY id DESC LIMIT 4`, bun.Ident(table)).
				Scan(t.Context(), &rows); err != nil || len(rows) < 2 {
				t.Fatalf("%s has the rows %v, %v", table, rows, err)
			}
			for _, r := range rows {
				for what, data := range damagesOf(r, hours...) {
					do(`UPDATE ? SET data = ? WHERE id = ?`, bun.Ident(table), data, r.ID)
					named(fmt.Sprintf("%s, row %d of %x %s", table, r.ID, r.Data, what))
				}
				do(`UPDATE ? SET data = ? WHERE id = ?`, bun.Ident(table), r.Data, r.ID)
				sound(table + " is as before")
				do(`CREATE TABLE removed AS SELECT * FROM ? WHERE id = ?`, bun.Ident(table), r.ID)
				do(`DELETE FROM ? WHERE id = ?`, bun.Ident(table), r.ID)
				named(fmt.Sprintf("%s, row %d removed", table, r.ID))
				do(`INSERT INTO ? SELECT * FROM removed`, bun.Ident(table))
				do(`DROP TABLE removed`)
				sound(table + " is complete again")
			}
		}
		for _, column := range []string{"n", "up", "down", "billed"} {
			do(`UPDATE traffic_pack SET ?0 = ?0 + 1`, bun.Ident(column))
			named("the column " + column + " of the packs")
			do(`UPDATE traffic_pack SET ?0 = ?0 - 1`, bun.Ident(column))
		}
		sound("at the end")
	})
}
