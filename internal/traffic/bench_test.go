package traffic_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// BenchmarkReport counts one report of so many users, fsync included.
func BenchmarkReport(b *testing.B) {
	for _, users := range []int{1000, 10_000, 20_000} {
		for name, open := range map[string]func(testing.TB) *db.DB{
			"sqlite":   dbtest.SQLite,
			"postgres": dbtest.Postgres,
		} {
			b.Run(fmt.Sprintf("%s-%d", name, users), func(b *testing.B) {
				d := open(b)
				settings, err := setting.New(b.Context(), d)
				if err != nil {
					b.Fatal(err)
				}
				services := service.New(d, seal.Key{1}, settings)
				nodes := node.New(d, seal.Key{}, settings, services)
				n := node.Draft("n", node.Shadowsocks, "n.example", 443)
				n.Settings.Method = "aes-128-gcm"
				n, _, err = nodes.Add(b.Context(), n)
				if err != nil {
					b.Fatal(err)
				}
				startServices(b, d, services, int64(users))
				t := traffic.New(d, settings, services, nodes)
				r := traffic.Report{Node: n, From: time.Now().Add(-time.Minute), To: time.Now()}
				for id := range int64(users) {
					r.Rows = append(r.Rows, traffic.Row{UserID: id + 1, Up: 1000 + id, Down: 123456 + id})
				}
				for b.Loop() {
					rand.Read(r.Hash[:])
					r.ID = fmt.Sprintf("%x", r.Hash)
					receipt, err := t.Record(b.Context(), r)
					if err != nil || len(receipt.Refused) > 0 {
						b.Fatal(receipt, err)
					}
				}
			})
		}
	}
}

// startServices gives so many users a running service each.
func startServices(b *testing.B, d *db.DB, services *service.Services, users int64) {
	b.Helper()
	quota := int64(1 << 50)
	const atOnce = 1000
	for first := int64(1); first <= users; first += atOnce {
		if err := d.LongTx(b.Context(), func(ctx context.Context, tx bun.Tx) error {
			for id := first; id < min(first+atOnce, users+1); id++ {
				if err := services.Open(ctx, tx, id); err != nil {
					return err
				}
				if _, err := services.Start(ctx, tx, service.Terms{
					UserID: id, PlanID: 1, Name: "p", QuotaBytes: &quota, Reset: service.CalendarMonth, Months: 1,
				}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
