package clickhouse

import (
	"context"
	"errors"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"airstrip/internal/traffic"
)

// Source says where an answer comes from.
type Source string

// The sources. The database answers where ClickHouse is away.
const (
	FromClickHouse Source = "clickhouse"
	FromDatabase   Source = "database"
)

// Query selects hours of a user that begin from From on and before To.
type Query struct {
	UserID        int64
	From, To      time.Time
	Limit, Offset int64
}

// Records returns rows of the user's log, the newest first.
func (c *ClickHouse) Records(ctx context.Context, q Query) (records []traffic.Record, source Source, err error) {
	err = c.ask(ctx, `SELECT at, toInt64(node_id), toInt64(rate_permille), toInt64(up), toInt64(down), toInt64(billed)
		FROM traffic FINAL WHERE user_id = ? AND at >= ? AND at < ?
		ORDER BY at DESC, node_id DESC, rate_permille DESC LIMIT ?, ?`, q, func(rows driver.Rows) error {
		var r traffic.Record
		err := rows.Scan(&r.At, &r.NodeID, &r.RatePermille, &r.Up, &r.Down, &r.Billed)
		r.At = r.At.UTC()
		records = append(records, r)
		return err
	})
	if !answered(err) {
		page, err := c.Traffic.Page(ctx, q.UserID, traffic.PageQuery{
			LogFilter: traffic.LogFilter{From: q.From, To: q.To}, Limit: q.Limit, Offset: q.Offset,
		})
		return page.Records, FromDatabase, err
	}
	return records, FromClickHouse, err
}

// answered reports whether ClickHouse answered, were it that there is none.
func answered(err error) bool {
	return !errors.Is(err, ErrAway) && !errors.Is(err, ErrRefused)
}

// ask runs a query within the bounds of those that a page waits for, and calls fn for each row of the answer. After one
// that was not answered ClickHouse is left alone for awayPause.
func (c *ClickHouse) ask(ctx context.Context, query string, q Query, fn func(driver.Rows) error) error {
	if !c.On() {
		return ErrOff
	}
	c.mu.Lock()
	away := time.Now().Before(c.awayTil)
	c.mu.Unlock()
	if away {
		return ErrAway
	}
	err := c.scan(ctx, query, q, fn)
	if err != nil && ctx.Err() == nil {
		err = faultOf(err)
		if errors.Is(err, ErrAway) {
			c.mu.Lock()
			c.awayTil = time.Now().Add(awayPause)
			c.mu.Unlock()
		}
	}
	return err
}

func (c *ClickHouse) scan(ctx context.Context, query string, q Query, fn func(driver.Rows) error) error {
	ctx, cancel := bounded(ctx, queryTimeout, queryMemory)
	defer cancel()
	rows, err := c.conn.Query(ctx, query, uint64(q.UserID), clamp(q.From), clamp(q.To), q.Offset, q.Limit)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// clamp returns the nearest time that ClickHouse's DateTime holds. An hour belongs to a time when it begins then or
// later.
func clamp(t time.Time) time.Time {
	first, last := time.Unix(0, 0), time.Unix(1<<32-1, 0)
	if t.Before(first) {
		return first.UTC()
	}
	if t.After(last) {
		return last.UTC()
	}
	if whole := t.Truncate(time.Second); whole.Before(t) {
		t = whole.Add(time.Second)
	}
	return t.UTC()
}
