package clickhouse_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clickhouse"
	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
	"airstrip/internal/trafficlog"
)

// storedLog is the log that the server keeps, without what pages read.
type storedLog struct {
	memoryLog
	log *trafficlog.Log
}

func (s *storedLog) Totals(ctx context.Context, from, to int64, fn func(traffic.HourTotal) error) error {
	return s.log.Totals(ctx, from, to, fn)
}

func (s *storedLog) Bounds(ctx context.Context) (first, last int64, ok bool, err error) {
	return s.log.Bounds(ctx)
}

// fill writes the days before noon as reports and the sealing of hours do: in each hour so many users on so many nodes.
func fill(tb testing.TB, d *db.DB, days, users, nodes int64) {
	tb.Helper()
	log := trafficlog.New(d)
	last := noon.Unix()/3600/24*24 - 1
	for hour := last - days*24 + 1; hour <= last; hour++ {
		a := trafficlog.Addition{
			Hours: map[trafficlog.Slot]map[int64]trafficlog.Amount{}, Days: map[int64]map[int64]trafficlog.Amount{},
		}
		for node := range nodes {
			of := make(map[int64]trafficlog.Amount, users)
			for user := range users {
				n := hour*31 + user*7 + node
				of[user+1] = trafficlog.Amount{Up: n % 1000, Down: n, Billed: n%1000 + n}
			}
			a.Hours[trafficlog.Slot{Hour: hour, NodeID: node + 1, RatePermille: 1000}] = of
		}
		if err := d.LongTx(tb.Context(), func(ctx context.Context, tx bun.Tx) error {
			if _, err := db.Bump(ctx, tx, trafficlog.Revision); err != nil {
				return err
			}
			return log.Add(ctx, tx, a)
		}); err != nil {
			tb.Fatal(err)
		}
		if hour%24 == 23 {
			d.SetClock(func() time.Time { return time.Unix((hour+4)*3600, 0) })
			if err := log.Seal(tb.Context()); err != nil {
				tb.Fatal(err)
			}
		}
	}
	d.SetClock(func() time.Time { return noon })
}

// importing returns a server of a site whose log is that of the database.
func importing(tb testing.TB, d *db.DB, address string) (*clickhouse.ClickHouse, *storedLog) {
	tb.Helper()
	settings, err := setting.New(tb.Context(), d)
	if err != nil {
		tb.Fatal(err)
	}
	log := &storedLog{log: trafficlog.New(d)}
	if err := log.log.Open(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	c, err := clickhouse.New(clickhouse.Config{URL: address, Password: chtest.Password}, clickhouse.Parts{
		DB: d, Settings: settings, Traffic: log,
		UserIDs:   func(context.Context, []string) (map[string]int64, error) { return nil, nil },
		NodeNames: func(context.Context) (map[int64]string, error) { return nil, nil },
		States:    func(context.Context, int64) ([]clickhouse.State, error) { return nil, nil },
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c, log
}

// BenchmarkImport sends a log of SQLite to an empty ClickHouse. At least 200,000 rows/s are wanted.
func BenchmarkImport(b *testing.B) {
	const days, users, nodes = 10, 5000, 2
	d := dbtest.SQLite(b)
	fill(b, d, days, users, nodes)
	for b.Loop() {
		b.StopTimer()
		c, _ := importing(b, d, chtest.New(b).URL)
		b.StartTimer()
		if done, err := c.ImportTraffic(b.Context()); err != nil || done.Rows != days*24*users*nodes {
			b.Fatal(done, err)
		}
	}
	b.ReportMetric(days*24*users*nodes*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
