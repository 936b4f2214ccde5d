package traffic

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/setting"
)

func TestGrowth_ComparesMonthsAndCarriesThePresentOneOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 4, 11, 0, 0, 0, 0, settings.Get().Zone()) // a third of the month
		d.SetClock(func() time.Time { return now })
		tr := New(d, settings, nil, nil)
		if months, err := tr.Growth(t.Context(), 12); err != nil || len(months) != 0 {
			t.Fatalf("without traffic: %v, %v", months, err)
		}
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for i, day := range []int64{20251231, 20260115, 20260131, 20260301, 20260401} {
				if _, err := tx.NewRaw(`INSERT INTO node_day (node_id, day, up, down, billed) VALUES (1, ?, ?, ?, 5)`, day, 10*i,
					90*i).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		show := func(months int) (text string) {
			all, err := tr.Growth(t.Context(), months)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				expected, change := "?", "?"
				if m.Expected != nil {
					expected = fmt.Sprint(*m.Expected)
				}
				if m.ChangePercent != nil {
					change = fmt.Sprint(*m.ChangePercent)
				}
				text += fmt.Sprintf("%s %d %s %s%%, ", m.Begins.In(settings.Get().Zone()).Format("2006-01"), m.Up+m.Down, expected,
					change)
			}
			return strings.TrimSuffix(text, ", ")
		}
		// Nothing was moved in December, and nothing in February, which nothing can be compared with.
		want := "2025-12 0 0 ?%, 2026-01 300 300 ?%, 2026-02 0 0 -100%, 2026-03 300 300 ?%, 2026-04 400 1200 300%"
		if got := show(12); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if got := show(2); got != "2026-03 300 300 ?%, 2026-04 400 1200 300%" {
			t.Errorf("two months: %s", got)
		}
		now = time.Date(2026, 4, 1, 12, 0, 0, 0, settings.Get().Zone())
		if got := show(1); got != "2026-04 400 ? ?%" {
			t.Errorf("in the first hours: %s", got)
		}
	})
}
