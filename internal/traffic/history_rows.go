package traffic

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"airstrip/internal/trafficlog"
)

// most orders by bytes moved, the most first, and then by id.
func most(a, b Amount, idOfA, idOfB int64) int {
	return cmp.Or(cmp.Compare(saturate(b.Up, b.Down), saturate(a.Up, a.Down)), cmp.Compare(idOfA, idOfB))
}

// hours returns the filter of the log's own kind.
func (f LogFilter) hours() trafficlog.Filter {
	out := trafficlog.Filter{From: 0, To: math.MaxInt64, NodeID: f.NodeID}
	if !f.From.IsZero() {
		out.From = ceilHour(f.From)
	}
	if !f.To.IsZero() {
		out.To = ceilHour(f.To)
	}
	return out
}

// Page returns a page of the user's log with the totals of what the filter selects.
func (t *Traffic) Page(ctx context.Context, userID int64, q PageQuery) (LogPage, error) {
	query := trafficlog.PageQuery{Filter: q.hours(), Limit: q.Limit + 1, Offset: q.Offset}
	if q.After != "" {
		c, err := parseCursor(q.After)
		if err != nil {
			return LogPage{}, err
		}
		query.After = &Record{NodeID: c.node, At: time.Unix(c.hour*3600, 0), RatePermille: c.rate}
	}
	found, err := t.history.Page(ctx, userID, query)
	page := LogPage{Records: found.Records, Count: found.Count, Amount: found.Amount}
	if int64(len(page.Records)) > q.Limit {
		page.Records = page.Records[:q.Limit]
		if q.Limit > 0 {
			page.Next = cursorOf(page.Records[q.Limit-1]).String()
		}
	}
	return page, err
}

// Each calls fn for each row of the user's log that the filter selects, the newest first. It reads part by part, so
// that memory is constant; rows that are added meanwhile may be missing.
func (t *Traffic) Each(ctx context.Context, userID int64, f LogFilter, fn func(Record) error) error {
	return t.history.Each(ctx, userID, f.hours(), fn)
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

// SumByUser returns what each user moved on the days that begin from from on and before to, by the user's id. Bytes of
// closed accounts are those of user 0.
func (t *Traffic) SumByUser(ctx context.Context, from, to time.Time) (map[int64]Amount, error) {
	first, end := t.daysBetween(from, to)
	return t.history.SumByUser(ctx, first, end)
}

// ranking orders users by what they moved, the most first. Closed accounts, whose bytes are those of user 0, are not
// among them.
func ranking(sums map[int64]Amount) []UserAmount {
	users := make([]UserAmount, 0, len(sums))
	for id, a := range sums {
		if id != 0 {
			users = append(users, UserAmount{id, a})
		}
	}
	slices.SortFunc(users, func(a, b UserAmount) int { return most(a.Amount, b.Amount, a.UserID, b.UserID) })
	return users
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
	users = ranking(sums)
	total = int64(len(users))
	offset = min(max(0, offset), total)
	return users[offset:min(total, offset+max(0, limit))], total, nil
}

// Totals calls fn with what each user moved on each node in each hour from from on and before to, which are Unix times
// / 3600. The order is not promised. An hour that got late bytes has them in its totals; ChangedHours tells which did.
func (t *Traffic) Totals(ctx context.Context, from, to int64, fn func(HourTotal) error) error {
	return t.history.Totals(ctx, from, to, fn)
}

// Bounds returns the first and the last hour that the log may have as Unix times / 3600; ok is false where it is empty.
func (t *Traffic) Bounds(ctx context.Context) (first, last int64, ok bool, err error) {
	return t.history.Bounds(ctx)
}

// ChangedHours returns hours whose rows changed after a revision, in the order of the revisions, at most limit. Hours
// that were logged before the revisions of hours were kept are not among them; Bounds has those.
func (t *Traffic) ChangedHours(ctx context.Context, after, limit int64) (hours []ChangedHour, err error) {
	err = t.db.NewRaw(`SELECT hour, revision FROM traffic_hour_change WHERE revision > ? ORDER BY revision, hour LIMIT ?`,
		after, limit).Scan(ctx, &hours)
	return hours, err
}
