package trafficlog

import "context"

// Size returns what the log takes in the database, indexes and unused space in its pages included. On SQLite that
// reads the log's pages.
func (l *Log) Size(ctx context.Context) (bytes int64, err error) {
	text := `SELECT coalesce(CAST(sum(pg_total_relation_size(oid)) AS BIGINT), 0) FROM pg_class
		WHERE relname IN ('traffic_now', 'traffic_pack', 'traffic_day_chunk', 'traffic_month_chunk')
		AND relnamespace = current_schema()::regnamespace`
	if l.db.SQLite() {
		text = `SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE aggregate = TRUE
			AND name IN ('traffic_now', 'traffic_pack', 'traffic_day_chunk', 'traffic_month_chunk')`
	}
	return bytes, l.db.NewRaw(text).Scan(ctx, &bytes)
}
