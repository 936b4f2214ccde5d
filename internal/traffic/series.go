package traffic

import (
	"context"
	"time"

	"airstrip/internal/trafficlog"
)

// Point is what a user moved in one hour or day.
type Point struct {
	At     time.Time // when the hour or day began
	Up     int64
	Down   int64
	Billed int64
}

// Record is one row of the log: a user on a node in an hour, at one rate.
type Record = trafficlog.Record

// Hours returns the user's newest hours with traffic from from until before to, at most limit, the oldest first.
func (t *Traffic) Hours(ctx context.Context, userID int64, from, to time.Time, limit int64) ([]Point, error) {
	return t.hours(ctx, userID, LogFilter{From: from, To: to}, limit)
}

func (t *Traffic) hours(ctx context.Context, userID int64, f LogFilter, limit int64) ([]Point, error) {
	rows, err := t.history.Hours(ctx, userID, f.hours())
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{time.Unix(r.Hour*3600, 0).UTC(), r.Up, r.Down, r.Billed}
	}
	return newest(points, limit), err
}

// newest returns the last points, at most limit.
func newest(points []Point, limit int64) []Point {
	return points[max(0, int64(len(points))-limit):]
}

func ceilHour(t time.Time) int64 { return (t.Unix() + 3599) / 3600 }

// Days returns the user's newest days with traffic that begin from from until before to, at most limit, the oldest
// first. Days are those of the site's time zone.
func (t *Traffic) Days(ctx context.Context, userID int64, from, to time.Time, limit int64) ([]Point, error) {
	first, end := t.daysBetween(from, to)
	rows, err := t.history.Days(ctx, userID, first, end)
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{t.startOf(r.Day).UTC(), r.Up, r.Down, r.Billed}
	}
	return newest(points, limit), err
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
	today := dayOf(t.Now())
	days, err := t.history.Days(ctx, userID, today, today+1)
	if err != nil || len(days) == 0 {
		return 0, err
	}
	return days[0].Billed, nil
}

// Records returns rows of the user's log, the newest first.
func (t *Traffic) Records(ctx context.Context, userID int64, limit, offset int64) ([]Record, error) {
	page, err := t.Page(ctx, userID, PageQuery{Limit: limit, Offset: offset})
	return page.Records, err
}
