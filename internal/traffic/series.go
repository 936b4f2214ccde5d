package traffic

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// Point is what a user moved in one hour or day.
type Point struct {
	At     time.Time // when the hour or day began
	Up     int64
	Down   int64
	Billed int64
}

// Record is one row of the log: a user on a node in an hour, at one rate.
type Record struct {
	NodeID       int64
	At           time.Time // when the hour began
	RatePermille int64
	Up           int64
	Down         int64
	Billed       int64
}

// Hours returns the user's newest hours with traffic from from until before to, at most limit, the oldest first.
func (t *Traffic) Hours(ctx context.Context, userID int64, from, to time.Time, limit int64) ([]Point, error) {
	var rows []struct{ Hour, Up, Down, Billed int64 }
	err := t.db.NewSelect().TableExpr("traffic_hour").
		ColumnExpr("hour, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down, CAST(sum(billed) AS "+
			"BIGINT) AS billed").
		Where("user_id = ? AND hour >= ? AND hour < ?", userID, ceilHour(from), ceilHour(to)).
		GroupExpr("hour").OrderExpr("hour DESC").Limit(limit).Scan(ctx, &rows)
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{time.Unix(r.Hour*3600, 0).UTC(), r.Up, r.Down, r.Billed}
	}
	slices.Reverse(points)
	return points, err
}

func ceilHour(t time.Time) int64 { return (t.Unix() + 3599) / 3600 }

// Days returns the user's newest days with traffic that begin from from until before to, at most limit, the oldest
// first. Days are those of the site's time zone.
func (t *Traffic) Days(ctx context.Context, userID int64, from, to time.Time, limit int64) ([]Point, error) {
	zone := t.settings.Get().Zone()
	return t.days(ctx, "traffic_day", "user_id", userID, dayOf(startOfNext(from.In(zone))),
		dayOf(startOfNext(to.In(zone))), limit)
}

func (t *Traffic) days(ctx context.Context, table, key string, id, from, to, limit int64) ([]Point, error) {
	zone := t.settings.Get().Zone()
	var rows []struct{ Day, Up, Down, Billed int64 }
	err := t.db.NewSelect().TableExpr("?", bun.Ident(table)).ColumnExpr("day, up, down, billed").
		Where("? = ? AND day >= ? AND day < ?", bun.Ident(key), id, from, to).OrderExpr("day DESC").Limit(limit).
		Scan(ctx, &rows)
	points := make([]Point, len(rows))
	for i, r := range rows {
		at := time.Date(int(r.Day/10_000), time.Month(r.Day/100%100), int(r.Day%100), 0, 0, 0, 0, zone)
		points[i] = Point{at.UTC(), r.Up, r.Down, r.Billed}
	}
	slices.Reverse(points)
	return points, err
}

// startOfNext returns the beginning of the first day that does not begin before t.
func startOfNext(t time.Time) time.Time {
	start := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
	if start.Before(t) {
		start = start.AddDate(0, 0, 1)
	}
	return start
}

// Now returns the time by which traffic is counted, in the site's time zone.
func (t *Traffic) Now() time.Time { return t.db.Now().In(t.settings.Get().Zone()) }

// Month returns the user's days of a month of the site's calendar.
func (t *Traffic) Month(ctx context.Context, userID int64, year int, month time.Month) ([]Point, error) {
	first := time.Date(year, month, 1, 0, 0, 0, 0, t.settings.Get().Zone())
	return t.Days(ctx, userID, first, first.AddDate(0, 1, 0), 31)
}

// Today returns the bytes billed to the user since midnight of the site's time zone.
func (t *Traffic) Today(ctx context.Context, userID int64) (int64, error) {
	var billed []int64
	err := t.db.NewRaw(`SELECT billed FROM traffic_day WHERE user_id = ? AND day = ?`, userID, dayOf(t.Now())).
		Scan(ctx, &billed)
	if err != nil || len(billed) == 0 {
		return 0, err
	}
	return billed[0], nil
}

// Records returns rows of the user's log, the newest first.
func (t *Traffic) Records(ctx context.Context, userID int64, limit, offset int64) ([]Record, error) {
	var rows []struct{ NodeID, Hour, RatePermille, Up, Down, Billed int64 }
	err := t.db.NewSelect().TableExpr("traffic_hour").ColumnExpr("node_id, hour, rate_permille, up, down, billed").
		Where("user_id = ?", userID).
		OrderExpr("user_id DESC, hour DESC, node_id DESC, rate_permille DESC").Limit(limit).Offset(offset).
		Scan(ctx, &rows)
	records := make([]Record, len(rows))
	for i, r := range rows {
		records[i] = Record{r.NodeID, time.Unix(r.Hour*3600, 0).UTC(), r.RatePermille, r.Up, r.Down, r.Billed}
	}
	return records, err
}
