package traffic_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

// Within a cycle no counter that a user sees ever shrinks, whatever is reported at whatever rates, and whether packages
// come, are used up or expire; upload and download are what was used.
func TestShownCounters_NeverShrinkWithinACycle(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		rapid.Check(t, func(t *rapid.T) {
			u := s.open(t)
			quota := rapid.SampledFrom([]*int64{nil, ptr(int64(3000)), ptr(int64(100_000))}).Draw(t, "quota")
			s.start(t, service.Terms{UserID: u, QuotaBytes: quota, Reset: service.Anniversary, Months: 24})
			var nodes []node.Node
			for _, rate := range []int64{1000, 0, rapid.Int64Range(1, 3000).Draw(t, "rate")} {
				nodes = append(nodes, s.node(t, rate, 0, 0))
			}
			reports := 0
			var cycle int64
			var seen service.Usage
			t.Repeat(map[string]func(*rapid.T){
				"report": func(t *rapid.T) {
					row := traffic.Row{UserID: u, Up: rapid.Int64Range(0, 2000).Draw(t, "up"), Down: rapid.Int64Range(0,
						2000).Draw(t, "down")}
					reports++
					s.record(t, s.report(rapid.SampledFrom(nodes).Draw(t, "node"), fmt.Sprint(u, ":", reports), row))
				},
				"package": func(t *rapid.T) {
					terms := service.PackageTerms{UserID: u, Name: "p", Kind: service.Grant, Bytes: rapid.Int64Range(1,
						3000).Draw(t, "bytes")}
					if rapid.Bool().Draw(t, "expires") {
						terms.ExpiresAt = ptr(s.now.Add(2 * time.Hour))
					}
					s.do(t, func(ctx context.Context, tx bun.Tx) error {
						_, err := s.services.AddPackage(ctx, tx, terms)
						return err
					})
				},
				"time": func(t *rapid.T) {
					s.now = s.now.Add(time.Duration(rapid.IntRange(1, 72).Draw(t, "hours")) * time.Hour)
					if err := s.queue.Work(context.Background()); err != nil {
						t.Fatal(err)
					}
				},
				"": func(t *rapid.T) {
					a, err := s.services.Access(context.Background(), u)
					if err != nil {
						t.Fatal(err)
					}
					services, _, err := s.services.List(context.Background(), u)
					if err != nil {
						t.Fatal(err)
					}
					if a.UpBytes+a.DownBytes != a.UsedBytes {
						t.Fatalf("%d up and %d down are not %d", a.UpBytes, a.DownBytes, a.UsedBytes)
					}
					if v := services[0]; v.Cycle == cycle && (a.UpBytes < seen.UpBytes ||
						a.DownBytes < seen.DownBytes || a.UsedBytes < seen.UsedBytes) {
						t.Fatalf("after up %d, down %d, used %d came %d, %d, %d", seen.UpBytes, seen.DownBytes,
							seen.UsedBytes, a.UpBytes, a.DownBytes, a.UsedBytes)
					}
					cycle, seen = services[0].Cycle, a.Usage
				},
			})
		})
	})
}
