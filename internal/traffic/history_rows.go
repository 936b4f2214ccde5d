package traffic

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// most orders by bytes moved, the most first, and then by id.
func most(a, b Amount, idOfA, idOfB int64) int {
	return cmp.Or(cmp.Compare(saturate(b.Up, b.Down), saturate(a.Up, a.Down)), cmp.Compare(idOfA, idOfB))
}

// hours returns the hours that begin from f.From on and before f.To.
func (f LogFilter) hours() (from, to int64) {
	from, to = 0, math.MaxInt64
	if !f.From.IsZero() {
		from = ceilHour(f.From)
	}
	if !f.To.IsZero() {
		to = ceilHour(f.To)
	}
	return from, to
}

// Page returns a page of the user's log with the totals of what the filter selects.
func (t *Traffic) Page(ctx context.Context, userID int64, q PageQuery) (LogPage, error) {
	page := LogPage{Records: []Record{}}
	var total struct{ N, Up, Down, Billed int64 }
	err := t.selected(userID, q.LogFilter).ColumnExpr(`count(*) AS n, CAST(coalesce(sum(up), 0) AS BIGINT) AS up,
		CAST(coalesce(sum(down), 0) AS BIGINT) AS down, CAST(coalesce(sum(billed), 0) AS BIGINT) AS billed`).
		Scan(ctx, &total)
	if err != nil {
		return page, err
	}
	page.Count, page.Amount = total.N, Amount{total.Up, total.Down, total.Billed}
	if page.Records, err = t.rows(ctx, userID, q, q.Limit+1); err != nil {
		return page, err
	}
	if int64(len(page.Records)) > q.Limit {
		page.Records = page.Records[:q.Limit]
		if q.Limit > 0 {
			page.Next = cursorOf(page.Records[q.Limit-1]).String()
		}
	}
	return page, nil
}

// Each calls fn for each row of the user's log that the filter selects, the newest first. It reads part by part, so
// that memory is constant; rows that are added meanwhile may be missing.
func (t *Traffic) Each(ctx context.Context, userID int64, f LogFilter, fn func(Record) error) error {
	const part = 5000
	q := PageQuery{LogFilter: f}
	for {
		records, err := t.rows(ctx, userID, q, part)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := fn(r); err != nil {
				return err
			}
		}
		if len(records) < part {
			return nil
		}
		q.After = cursorOf(records[part-1]).String()
	}
}

func (t *Traffic) selected(userID int64, f LogFilter) *bun.SelectQuery {
	from, to := f.hours()
	q := t.db.NewSelect().TableExpr("traffic_hour").Where("user_id = ? AND hour >= ? AND hour < ?", userID, from, to)
	if f.NodeID != 0 {
		q.Where("node_id = ?", f.NodeID)
	}
	return q
}

func (t *Traffic) rows(ctx context.Context, userID int64, p PageQuery, limit int64) ([]Record, error) {
	q := t.selected(userID, p.LogFilter)
	if p.After != "" {
		c, err := parseCursor(p.After)
		if err != nil {
			return nil, err
		}
		q.Where("(hour, node_id, rate_permille) < (?, ?, ?)", c.hour, c.node, c.rate)
	}
	var rows []struct{ NodeID, Hour, RatePermille, Up, Down, Billed int64 }
	err := q.ColumnExpr("node_id, hour, rate_permille, up, down, billed").
		OrderExpr("user_id DESC, hour DESC, node_id DESC, rate_permille DESC").Limit(limit).Offset(p.Offset).
		Scan(ctx, &rows)
	records := make([]Record, len(rows))
	for i, r := range rows {
		records[i] = Record{r.NodeID, time.Unix(r.Hour*3600, 0).UTC(), r.RatePermille, r.Up, r.Down, r.Billed}
	}
	return records, err
}

// SumByNode returns what each node moved on the days that begin from from on and before to, the most first.
func (t *Traffic) SumByNode(ctx context.Context, from, to time.Time) ([]NodeAmount, error) {
	first, end := t.daysBetween(from, to)
	var sums []NodeAmount
	err := t.db.NewRaw(`SELECT node_id, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down,
		CAST(sum(billed) AS BIGINT) AS billed FROM node_day WHERE day >= ? AND day < ? GROUP BY node_id`, first, end).
		Scan(ctx, &sums)
	slices.SortFunc(sums, func(a, b NodeAmount) int { return most(a.Amount, b.Amount, a.NodeID, b.NodeID) })
	return sums, err
}

// SumByDay returns what the site moved on each day with traffic that begins from from on and before to, the oldest
// first.
func (t *Traffic) SumByDay(ctx context.Context, from, to time.Time) ([]Point, error) {
	first, end := t.daysBetween(from, to)
	var rows []struct{ Day, Up, Down, Billed int64 }
	err := t.db.NewRaw(`SELECT day, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down,
		CAST(sum(billed) AS BIGINT) AS billed FROM node_day WHERE day >= ? AND day < ? GROUP BY day ORDER BY day`,
		first, end).Scan(ctx, &rows)
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{t.startOf(r.Day).UTC(), r.Up, r.Down, r.Billed}
	}
	return points, err
}

// SumByNodeAndDay calls fn for each day of each node that begins from from on and before to, by node and day.
func (t *Traffic) SumByNodeAndDay(
	ctx context.Context, from, to time.Time, fn func(nodeID int64, p Point) error,
) error {
	first, end := t.daysBetween(from, to)
	var rows []struct{ NodeID, Day, Up, Down, Billed int64 }
	err := t.db.NewRaw(`SELECT node_id, day, up, down, billed FROM node_day WHERE day >= ? AND day < ?
		ORDER BY node_id, day`, first, end).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := fn(r.NodeID, Point{t.startOf(r.Day).UTC(), r.Up, r.Down, r.Billed}); err != nil {
			return err
		}
	}
	return nil
}

// SumByUser returns what each user moved on the days that begin from from on and before to, by the user's id.
func (t *Traffic) SumByUser(ctx context.Context, from, to time.Time) (map[int64]Amount, error) {
	first, end := t.daysBetween(from, to)
	var rows []UserAmount
	err := t.db.NewRaw(`SELECT user_id, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down,
		CAST(sum(billed) AS BIGINT) AS billed FROM traffic_day WHERE day >= ? AND day < ? GROUP BY user_id`,
		first, end).Scan(ctx, &rows)
	sums := make(map[int64]Amount, len(rows))
	for _, r := range rows {
		sums[r.UserID] = r.Amount
	}
	return sums, err
}

// Ranking returns the users who moved most on the days that begin from from on and before to, at most limit after
// offset, the most first, and how many users moved anything.
func (t *Traffic) Ranking(
	ctx context.Context, from, to time.Time, limit, offset int64,
) (users []UserAmount, total int64, err error) {
	sums, err := t.SumByUser(ctx, from, to)
	if err != nil {
		return nil, 0, err
	}
	users = make([]UserAmount, 0, len(sums))
	for id, a := range sums {
		users = append(users, UserAmount{id, a})
	}
	slices.SortFunc(users, func(a, b UserAmount) int { return most(a.Amount, b.Amount, a.UserID, b.UserID) })
	total = int64(len(users))
	offset = min(max(0, offset), total)
	return users[offset:min(total, offset+max(0, limit))], total, nil
}

// Totals calls fn with what each user moved on each node in each hour from from on and before to, which are Unix times
// / 3600. The order is not promised. An hour that got late bytes has them in its totals; ChangedHours tells which did.
func (t *Traffic) Totals(ctx context.Context, from, to int64, fn func(HourTotal) error) error {
	var rows []HourTotal
	err := t.db.NewRaw(`SELECT hour, user_id, node_id, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down,
		CAST(sum(billed) AS BIGINT) AS billed FROM traffic_hour WHERE hour >= ? AND hour < ?
		GROUP BY hour, user_id, node_id`, from, to).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// Bounds returns the first and the last hour of the log as Unix times / 3600; ok is false where it is empty.
func (t *Traffic) Bounds(ctx context.Context) (first, last int64, ok bool, err error) {
	var bounds []struct{ First, Last int64 }
	err = t.db.NewRaw(`SELECT first, last FROM (SELECT min(hour) AS first, max(hour) AS last FROM traffic_hour) AS b
		WHERE first IS NOT NULL`).Scan(ctx, &bounds)
	if err != nil || len(bounds) == 0 {
		return 0, 0, false, err
	}
	return bounds[0].First, bounds[0].Last, true, nil
}

// ChangedHours returns hours whose rows changed after a revision, in the order of the revisions, at most limit. Hours
// that were logged before the revisions of hours were kept are not among them; Bounds has those.
func (t *Traffic) ChangedHours(ctx context.Context, after, limit int64) (hours []ChangedHour, err error) {
	err = t.db.NewRaw(`SELECT hour, revision FROM traffic_hour_change WHERE revision > ? ORDER BY revision, hour LIMIT ?`,
		after, limit).Scan(ctx, &hours)
	return hours, err
}
