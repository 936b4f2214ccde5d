package user

import (
	"context"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// TimeAxisQuery is which points of the chart are asked for; exported because it is embedded.
type TimeAxisQuery struct {
	Limit  int64     `query:"limit" default:"10000" minimum:"1" maximum:"10000" doc:"The newest so many points"`
	From   time.Time `query:"from" doc:"Hours, days or months that begin then or later; 30 days before to by default"`
	To     time.Time `query:"to" doc:"Hours, days or months that begin before; now by default"`
	Bucket string    `query:"bucket" default:"hour" enum:"hour,day,month"`
	NodeID int64     `query:"node_id" minimum:"1" doc:"Of this node alone, as long as hours are kept"`
}

// MonthQuery is which month of the calendar is asked for; exported because it is embedded.
type MonthQuery struct {
	YearMonth string `query:"year_month" pattern:"^(19|[2-9][0-9])[0-9]{2}-?(0[1-9]|1[0-2])$" doc:"A month of the site's calendar; the present one by default" example:"2026-01"`
}

// LogQuery is which rows of the log are asked for; exported because it is embedded.
type LogQuery struct {
	From   time.Time `query:"from" doc:"Hours that begin then or later"`
	To     time.Time `query:"to" doc:"Hours that begin before"`
	NodeID int64     `query:"node_id" minimum:"1" doc:"Of this node alone"`
}

func (q *LogQuery) filter() (traffic.LogFilter, error) {
	return traffic.LogFilter{From: q.From, To: q.To, NodeID: q.NodeID}, v2.CheckOrder("to", q.From, q.To)
}

// TrafficSum is what bytes add up to; exported because it is embedded.
type TrafficSum struct {
	SSTxSize         int64 `json:"ss_tx_size" doc:"Bytes up"`
	SSRxSize         int64 `json:"ss_rx_size" doc:"Bytes down"`
	TotalTraffic     int64 `json:"total_traffic" doc:"Bytes up and down"`
	EffectiveTraffic int64 `json:"effective_traffic" doc:"Bytes as billed"`
}

func newTrafficSum(a traffic.Amount) TrafficSum {
	return TrafficSum{a.Up, a.Down, a.Up + a.Down, a.Billed}
}

type trafficPage struct {
	Records    []v2.TrafficRecord `json:"records" doc:"The newest first"`
	TotalCount int64              `json:"total_count" doc:"Of all rows that are asked for, on all pages"`
	Sum        TrafficSum         `json:"sum" doc:"Of all rows that are asked for, on all pages"`
	NextAfter  *string            `json:"next_after" nullable:"true" doc:"For after, to get the rows after these; null: there are none"`
}

type nodeTraffic struct {
	NodeID   int64   `json:"node_id"`
	NodeName *string `json:"node_name" nullable:"true" doc:"null: the node was removed"`
	TrafficSum
}

// trafficLog answers what is asked of users' traffic.
type trafficLog struct {
	traffic *traffic.Traffic
	nodes   *node.Nodes
}

// Traffic adds the traffic of a user as two charts and a table draw it, and the same as files.
func Traffic(t *traffic.Traffic, nodes *node.Nodes) v2.Resource {
	l := trafficLog{t, nodes}
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/area-time-axis").OpenToVisits().
			Named("traffic_time_axis", "Traffic over time; hours and days without any are left out"),
			func(ctx context.Context, who account.Identity, in *TimeAxisQuery) ([]v2.TimeAxisPoint, error) {
				points, err := l.axis(ctx, who.UserID, in)
				return v2.NewTimeAxis(who.UserID, points), err
			})
		v2.HandleCSVStream(r, v2.UserOp("GET /user/services/subscribe-log/area-time-axis/csv").OpenToVisits().
			Named("traffic_time_axis_csv", "Traffic over time as a file"),
			func(ctx context.Context, who account.Identity, in *TimeAxisQuery) (v2.Rows, error) {
				points, err := l.axis(ctx, who.UserID, in)
				return l.pointRows(points), err
			})
		v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/calendar-pie").OpenToVisits().
			Named("traffic_calendar", "Traffic of each day of a month"),
			func(ctx context.Context, who account.Identity, in *MonthQuery) ([]v2.TimeAxisPoint, error) {
				points, err := l.month(ctx, who.UserID, in)
				return v2.NewTimeAxis(who.UserID, points), err
			})
		v2.HandleCSVStream(r, v2.UserOp("GET /user/services/subscribe-log/calendar-pie/csv").OpenToVisits().
			Named("traffic_calendar_csv", "Traffic of each day of a month as a file"),
			func(ctx context.Context, who account.Identity, in *MonthQuery) (v2.Rows, error) {
				points, err := l.month(ctx, who.UserID, in)
				return l.pointRows(points), err
			})
		l.addDetail(r)
	}
}

// addDetail adds the rows of the log: a page of them, what nodes moved of them, and all of them as a file.
func (l trafficLog) addDetail(r *v2.Router) {
	type listQuery struct {
		LogQuery
		Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
		Offset int64 `query:"offset" default:"0" minimum:"0"`
	}
	v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/detail-record").OpenToVisits().
		Named("traffic_detail", "Traffic by node and hour, the newest first"),
		func(ctx context.Context, who account.Identity, in *listQuery) ([]v2.TrafficRecord, error) {
			f, err := in.filter()
			if err != nil {
				return nil, err
			}
			page, err := l.page(ctx, who.UserID, traffic.PageQuery{LogFilter: f, Limit: in.Limit, Offset: in.Offset})
			return page.Records, err
		})
	type pageQuery struct {
		LogQuery
		Limit int64  `query:"limit" default:"50" minimum:"1" maximum:"500"`
		After string `query:"after" maxLength:"64" doc:"The next_after of the page before: as quick on the last page as on the first, whatever is counted meanwhile"`
	}
	v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/pages").OpenToVisits().
		Named("traffic_pages", "The same page by page, with what all of it adds up to"),
		func(ctx context.Context, who account.Identity, in *pageQuery) (trafficPage, error) {
			f, err := in.filter()
			if err != nil {
				return trafficPage{}, err
			}
			return l.page(ctx, who.UserID, traffic.PageQuery{LogFilter: f, Limit: in.Limit, After: in.After})
		})
	v2.HandleList(r, v2.UserOp("GET /user/services/subscribe-log/nodes").OpenToVisits().
		Named("traffic_nodes", "Traffic by node, the most first"),
		func(ctx context.Context, who account.Identity, in *LogQuery) ([]nodeTraffic, error) {
			f, err := in.filter()
			if err != nil {
				return nil, err
			}
			amounts, err := l.traffic.AmountByNode(ctx, who.UserID, f)
			if err != nil {
				return nil, err
			}
			names, err := v2.NodeNames(ctx, l.nodes, nil)
			out := make([]nodeTraffic, len(amounts))
			for i, n := range amounts {
				out[i] = nodeTraffic{n.NodeID, names[n.NodeID], newTrafficSum(n.Amount)}
			}
			return out, err
		})
	v2.HandleCSVStream(r, v2.UserOp("GET /user/services/subscribe-log/detail-record/csv").OpenToVisits().
		Named("traffic_detail_csv", "All rows of the log as a file, however many"),
		func(ctx context.Context, who account.Identity, in *LogQuery) (v2.Rows, error) {
			f, err := in.filter()
			if err != nil {
				return nil, err
			}
			return l.recordRows(ctx, who.UserID, f)
		})
}

func (l trafficLog) axis(ctx context.Context, userID int64, in *TimeAxisQuery) ([]traffic.Point, error) {
	to := in.To
	if to.IsZero() {
		to = l.traffic.Now()
	}
	from := in.From
	if from.IsZero() {
		from = to.AddDate(0, 0, -30)
	}
	if err := v2.CheckOrder("to", from, to); err != nil {
		return nil, err
	}
	q := traffic.ChartQuery{From: from, To: to, Step: traffic.Step(in.Bucket), NodeID: in.NodeID, Limit: in.Limit}
	return l.traffic.Chart(ctx, userID, q)
}

func (l trafficLog) month(ctx context.Context, userID int64, in *MonthQuery) ([]traffic.Point, error) {
	month := l.traffic.Now()
	if text := strings.ReplaceAll(in.YearMonth, "-", ""); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		month = time.Date(number/100, time.Month(number%100), 1, 0, 0, 0, 0, time.UTC)
	}
	return l.traffic.Month(ctx, userID, month.Year(), month.Month())
}

func (l trafficLog) page(ctx context.Context, userID int64, q traffic.PageQuery) (trafficPage, error) {
	found, err := l.traffic.Page(ctx, userID, q)
	if err != nil {
		return trafficPage{}, err
	}
	records, err := v2.TrafficRecords(ctx, l.nodes, userID, found.Records)
	out := trafficPage{Records: records, TotalCount: found.Count, Sum: newTrafficSum(found.Amount)}
	if found.Next != "" {
		out.NextAfter = &found.Next
	}
	return out, err
}

// pointRows gives points as a file, with times in the site's zone.
func (l trafficLog) pointRows(points []traffic.Point) v2.Rows {
	zone := l.traffic.Now().Location()
	return func(row func(...string) error) error {
		if err := row("begins_at", "up_bytes", "down_bytes", "total_bytes", "billed_bytes"); err != nil {
			return err
		}
		for _, p := range points {
			err := row(p.At.In(zone).Format(time.RFC3339), decimal(p.Up), decimal(p.Down), decimal(p.Up+p.Down),
				decimal(p.Billed))
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// recordRows gives the rows of the log as a file, with times in the site's zone.
func (l trafficLog) recordRows(ctx context.Context, userID int64, f traffic.LogFilter) (v2.Rows, error) {
	names, err := v2.NodeNames(ctx, l.nodes, nil)
	if err != nil {
		return nil, err
	}
	zone := l.traffic.Now().Location()
	return func(row func(...string) error) error {
		err := row("hour_begins_at", "node_id", "node", "up_bytes", "down_bytes", "total_bytes", "rate", "billed_bytes")
		if err != nil {
			return err
		}
		return l.traffic.Each(ctx, userID, f, func(rec traffic.Record) error {
			name := ""
			if known := names[rec.NodeID]; known != nil {
				name = *known
			}
			return row(rec.At.In(zone).Format(time.RFC3339), decimal(rec.NodeID), name, decimal(rec.Up),
				decimal(rec.Down), decimal(rec.Up+rec.Down), v2.RateText(rec.RatePermille), decimal(rec.Billed))
		})
	}, nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
