package traffic

import (
	"context"
	"fmt"
	"slices"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/trafficlog"
)

// ErrCursor refuses a cursor that no page gave.
var ErrCursor = fault.Invalid("after", "format", "翻页位置有误，请从第一页重新开始",
	"This is not the cursor of a page; start again with the first page")

// Amount is what was moved, in bytes.
type Amount = trafficlog.Amount

// Step is the length of what one point of a chart covers.
type Step string

// The steps of a chart. Days and months are those of the site's time zone.
const (
	Hourly  Step = "hour"
	Daily   Step = "day"
	Monthly Step = "month"
)

// ChartQuery selects the points of a chart. Hours, days and months are included that begin from From on and before To.
type ChartQuery struct {
	From, To time.Time
	Step     Step  // empty: hours
	NodeID   int64 // 0: all nodes. Of one node the log has what the retention of hours has left
	Limit    int64 // the newest so many points; 0: all
}

// LogFilter selects rows of a user's log. Zero fields select everything.
type LogFilter struct {
	From, To time.Time // hours that begin from From on and before To
	NodeID   int64
}

// PageQuery selects a page of a user's log, the newest rows first.
type PageQuery struct {
	LogFilter
	Limit  int64
	Offset int64  // rows to skip, after those that After skips
	After  string // Next of the page before; empty: begin with the newest row
}

// LogPage is a page of a user's log.
type LogPage struct {
	Records []Record
	Next    string // continues after this page; empty: it was the last
	Count   int64  // rows that the filter selects, on all pages
	Amount         // sum of the rows that the filter selects
}

// NodeAmount is what was moved on a node.
type NodeAmount struct {
	NodeID int64
	Amount
}

// UserAmount is what a user moved.
type UserAmount struct {
	UserID int64
	Amount
}

// DayByNode is a user's day with what each node moved of it, the most first. The nodes are missing for days whose hours
// the retention has removed.
type DayByNode struct {
	Point
	Nodes []NodeAmount
}

// HourTotal is what a user moved on a node in an hour, at one rate.
type HourTotal = trafficlog.HourTotal

// ChangedHour is an hour of the log with the revision of the last change to any of its rows.
type ChangedHour struct {
	Hour     int64 // Unix time / 3600
	Revision int64 // grows in the order of commits
}

// cursor is the place of a row in a user's log.
type cursor struct{ hour, node, rate int64 }

func cursorOf(r Record) cursor { return cursor{r.At.Unix() / 3600, r.NodeID, r.RatePermille} }

func (c cursor) String() string { return fmt.Sprintf("%d.%d.%d", c.hour, c.node, c.rate) }

func parseCursor(text string) (c cursor, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text+" .", "%d.%d.%d %s", &c.hour, &c.node, &c.rate, &rest); n != 4 || rest != "." ||
		c.String() != text {
		return c, ErrCursor
	}
	return c, nil
}

// monthOf returns the month of a day, as 202601.
func monthOf(day int64) int64 { return day / 100 }

// startOf returns when a day of the site's calendar, written as 20260131, begins.
func (t *Traffic) startOf(day int64) time.Time {
	return time.Date(int(day/10_000), time.Month(day/100%100), int(day%100), 0, 0, 0, 0, t.settings.Get().Zone())
}

// daysBetween returns the first of the days that begin from from on, and the first of those that do not begin before
// to, written as 20260131.
func (t *Traffic) daysBetween(from, to time.Time) (first, end int64) {
	zone := t.settings.Get().Zone()
	return dayOf(startOfNext(from.In(zone))), dayOf(startOfNext(to.In(zone)))
}

// Chart returns what the user moved in each hour, day or month with traffic, the oldest first.
func (t *Traffic) Chart(ctx context.Context, userID int64, q ChartQuery) ([]Point, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = maxChart
	}
	if q.NodeID == 0 {
		switch q.Step {
		case Daily:
			return t.Days(ctx, userID, q.From, q.To, limit)
		case Monthly:
			return t.months(ctx, userID, q.From, q.To, limit)
		}
		return t.Hours(ctx, userID, q.From, q.To, limit)
	}
	from, to := q.From, q.To
	if q.Step != Daily && q.Step != Monthly {
		return t.hours(ctx, userID, LogFilter{From: from, To: to, NodeID: q.NodeID}, limit)
	}
	if q.Step == Monthly {
		from, to = t.startOfNextMonth(from), t.startOfNextMonth(to)
	} else {
		zone := t.settings.Get().Zone()
		from, to = startOfNext(from.In(zone)), startOfNext(to.In(zone))
	}
	var points []Point
	err := t.Each(ctx, userID, LogFilter{From: from, To: to, NodeID: q.NodeID}, func(r Record) error {
		at := t.beginning(r.At, q.Step)
		if n := len(points); n == 0 || !points[n-1].At.Equal(at) {
			points = append(points, Point{At: at})
		}
		p := &points[len(points)-1]
		p.Up, p.Down, p.Billed = saturate(p.Up, r.Up), saturate(p.Down, r.Down), saturate(p.Billed, r.Billed)
		return nil
	})
	slices.Reverse(points)
	return newest(points, limit), err
}

// maxChart bounds the points of a chart without a limit: more than four years of hours.
const maxChart = 40_000

// beginning returns when the hour, day or month of a moment began.
func (t *Traffic) beginning(at time.Time, step Step) time.Time {
	local := at.In(t.settings.Get().Zone())
	switch step {
	case Daily:
		return time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, local.Location()).UTC()
	case Monthly:
		return time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, local.Location()).UTC()
	}
	return at
}

func (t *Traffic) startOfNextMonth(at time.Time) time.Time {
	local := at.In(t.settings.Get().Zone())
	start := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, local.Location())
	if start.Before(at) {
		start = start.AddDate(0, 1, 0)
	}
	return start
}

// months returns the user's newest months with traffic that begin from from on and before to, the oldest first.
func (t *Traffic) months(ctx context.Context, userID int64, from, to time.Time, limit int64) ([]Point, error) {
	first, end := t.startOfNextMonth(from), t.startOfNextMonth(to)
	rows, err := t.history.Months(ctx, userID, monthOf(dayOf(first)), monthOf(dayOf(end)))
	points := make([]Point, len(rows))
	for i, r := range rows {
		points[i] = Point{t.startOf(r.Day*100 + 1).UTC(), r.Up, r.Down, r.Billed}
	}
	return newest(points, limit), err
}

// MonthByNode returns the user's days of a month of the site's calendar, with the nodes of each.
func (t *Traffic) MonthByNode(ctx context.Context, userID int64, year int, month time.Month) ([]DayByNode, error) {
	points, err := t.Month(ctx, userID, year, month)
	if err != nil || len(points) == 0 {
		return nil, err
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, t.settings.Get().Zone())
	of := map[time.Time]map[int64]*Amount{}
	err = t.Each(ctx, userID, LogFilter{From: first, To: first.AddDate(0, 1, 0)}, func(r Record) error {
		day := t.beginning(r.At, Daily)
		if of[day] == nil {
			of[day] = map[int64]*Amount{}
		}
		a := of[day][r.NodeID]
		if a == nil {
			a = new(Amount)
			of[day][r.NodeID] = a
		}
		a.Up, a.Down, a.Billed = saturate(a.Up, r.Up), saturate(a.Down, r.Down), saturate(a.Billed, r.Billed)
		return nil
	})
	days := make([]DayByNode, len(points))
	for i, p := range points {
		days[i].Point = p
		for id, a := range of[p.At] {
			days[i].Nodes = append(days[i].Nodes, NodeAmount{id, *a})
		}
		slices.SortFunc(days[i].Nodes, func(a, b NodeAmount) int {
			return most(a.Amount, b.Amount, a.NodeID, b.NodeID)
		})
	}
	return days, err
}
