package clickhouse

import (
	"context"

	"airstrip/internal/db"
)

// Check returns the days that differ in ClickHouse although they were sent again.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	return db.Check(ctx, d, db.Rule{
		Name: "clickhouse", Says: "ClickHouse has of each day what the database has", Query: `
		SELECT 'day ' || day || ' of Unix time: ' || difference AS what FROM clickhouse_day WHERE difference <> ''`,
	})
}
