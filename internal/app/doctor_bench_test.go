package app

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// BenchmarkDoctor checks all rules of a site with 100,000 services, each in its third cycle, and 1,000,000 hours of
// traffic: ten of each user on ten nodes, all within a few days.
func BenchmarkDoctor(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *db.DB{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := open(b)
			sealed := `x'00'` // not opened without the key
			if !d.SQLite() {
				sealed = `'\x00'`
			}
			// Hours of one day of the site's, so recent that they are compared.
			midnight := time.Now().In(time.FixedZone("", 8*3600)).AddDate(0, 0, -3).Truncate(24 * time.Hour).
				Add(-8 * time.Hour)
			hour, day := strconv.FormatInt(midnight.Unix()/3600, 10), midnight.In(time.FixedZone("", 8*3600)).
				Format("20060102")
			const (
				users = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) `
				began = `'2026-10-01 00:00:00+00:00'`
				ends  = `'2099-01-01 00:00:00+00:00'`
			)
			err := d.LongTx(b.Context(), func(ctx context.Context, tx bun.Tx) error {
				for _, statement := range []string{
					`UPDATE traffic_move SET next_user = 0, next_day = 0`,
					`INSERT INTO access (user_id, credentials, banned, state, allowed, class, groups, sources, was_class, was_groups, revision) ` +
						users + `SELECT i, ` + sealed + `, false, 'active', true, 0, '[]', '', 0, '[]', i FROM n`,
					`INSERT INTO service (user_id, plan_id, name, class, groups, quota_bytes, term_bytes, reset, cycle, started_at, ends_at, auto_renew) ` +
						users + `SELECT i, 1, 'P', 0, '[]', 1000000000, 1000000000, 'anniversary', 3, ` + began + `, ` +
						ends + `, false FROM n`,
					`INSERT INTO service_period (service_id, starts_at, ends_at, quota_bytes, created_at)
						SELECT id, started_at, ends_at, quota_bytes, started_at FROM service`,
					`INSERT INTO service_cycle (service_id, cycle, started_at, ended_at, up, down, billed, billed_up)
						SELECT s.id, c.column1, s.started_at, CASE WHEN c.column1 < 3 THEN s.started_at END,
							CASE WHEN c.column1 = 3 THEN 10 ELSE 0 END, CASE WHEN c.column1 = 3 THEN 20 ELSE 0 END,
							CASE WHEN c.column1 = 3 THEN 30 ELSE 0 END, CASE WHEN c.column1 = 3 THEN 10 ELSE 0 END
						FROM service AS s, (VALUES (1), (2), (3)) AS c`,
					`INSERT INTO traffic_hour_row (node_id, hour, user_id, rate_permille, up, down, billed) ` + users +
						`SELECT h.column1, ` + hour + ` + h.column1, i, 1000, 1, 2, 3 FROM n,
							(VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)) AS h`,
					`INSERT INTO traffic_day_row (day, user_id, up, down, billed)
						SELECT ` + day + `, user_id, sum(up), sum(down), sum(billed) FROM traffic_hour_row
							GROUP BY user_id`,
					`INSERT INTO node_day (node_id, day, up, down, billed)
						SELECT node_id, ` + day + `, sum(up), sum(down), sum(billed) FROM traffic_hour_row
							GROUP BY node_id`,
				} {
					if _, err := tx.ExecContext(ctx, statement); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if broken, err := Check(b.Context(), d); err != nil || len(broken) > 0 {
					b.Fatal(broken, err)
				}
			}
		})
	}
}
