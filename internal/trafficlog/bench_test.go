package trafficlog

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

var benchRows = flag.Int("rows", 1_000_000, "rows of the log that the benchmarks read, over 90 days")

// heaviest has rows on all nodes in all hours.
const heaviest = 1

// fill packs so many rows of 90 days, of users with 22 rows a day and of one with 4,800.
func fill(b *testing.B, l *Log, rows int) (users, days int64) {
	b.Helper()
	const perDay = 22
	users, days = 50_000, 90
	if most := int64(rows) / perDay / days; most < users {
		users = max(1, most)
	}
	random := rand.New(rand.NewPCG(1, 1))
	today := l.db.Now().Unix() / 86400
	amount := func() Amount {
		up, down := int64(random.ExpFloat64()*2e6), int64(random.ExpFloat64()*4e7)
		return Amount{up, down, up + down}
	}
	for day := today - days; day < today; day++ {
		for first := int64(1); first <= users; first += chunkUsers {
			add := map[int64][]slotAmount{}
			for user := first; user < min(first+chunkUsers, users+1); user++ {
				n, nodes := perDay, int64(6)
				if user == heaviest {
					n, nodes = 4800, 200
				}
				for i := range n {
					place := slot{int64(i) % 24, user%190 + random.Int64N(nodes) + 1, 1000}
					if user == heaviest {
						place.node = int64(i)/24 + 1
					}
					add[packID(day, user)] = append(add[packID(day, user)], slotAmount{place, amount()})
				}
			}
			if err := l.db.LongTx(b.Context(), func(ctx context.Context, tx bun.Tx) error {
				return addToPacks(ctx, tx, add)
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return users, days
}

// BenchmarkLog reads and writes a log of -rows rows.
func BenchmarkLog(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *db.DB{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			l := New(open(b))
			if err := l.Open(b.Context()); err != nil {
				b.Fatal(err)
			}
			users, days := fill(b, l, *benchRows)
			now := l.db.Now().Unix() / 3600
			all := Filter{From: now - days*24, To: math.MaxInt64}
			for who, user := range map[string]int64{"typical": users, "heaviest": heaviest} {
				b.Run("chart/"+who, func(b *testing.B) {
					for b.Loop() {
						if points, err := l.Hours(b.Context(), user, all); err != nil || len(points) == 0 {
							b.Fatal(points, err)
						}
					}
				})
				b.Run("page/"+who, func(b *testing.B) {
					for b.Loop() {
						p, err := l.Page(b.Context(), user, PageQuery{Filter: all, Limit: 50, Offset: 1000})
						if err != nil || len(p.Records) == 0 {
							b.Fatal(p, err)
						}
					}
				})
			}
			benchReport(b, l, now)
		})
	}
}

// benchReport measures a report of 10,000 users, of which each comes from another node, and the seal of what it wrote.
func benchReport(b *testing.B, l *Log, now int64) {
	report := func(b *testing.B, node int64) {
		of := map[int64]Amount{}
		for user := range int64(10_000) {
			of[user*5+1] = Amount{user, 40_000_000 + user, 40_000_000 + 2*user}
		}
		if err := l.locked(b.Context(), func(ctx context.Context, tx bun.Tx) error {
			return l.Add(ctx, tx, Addition{
				Hours: map[Slot]map[int64]Amount{{now, node, 1000}: of},
				Days:  map[int64]map[int64]Amount{20260101: of},
			})
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("report", func(b *testing.B) {
		for i := int64(0); b.Loop(); i++ {
			report(b, i%100+1)
		}
	})
	b.Run("bounds", func(b *testing.B) {
		for b.Loop() {
			if _, _, ok, err := l.Bounds(b.Context()); !ok || err != nil {
				b.Fatal(ok, err)
			}
		}
	})
	b.Run("seal", func(b *testing.B) {
		rows := 0
		for b.Loop() {
			b.StopTimer()
			for node := range int64(10) {
				report(b, node+1)
			}
			l.db.SetClock(func() time.Time { return time.Unix((now+3)*3600, 0) })
			rows += 100_000
			b.StartTimer()
			if err := l.Seal(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
	})
	b.Run("ranking", func(b *testing.B) {
		for b.Loop() {
			if sums, err := l.SumByUser(b.Context(), 0, NewestDay); err != nil || len(sums) == 0 {
				b.Fatal(fmt.Sprint(len(sums)), err)
			}
		}
	})
}
