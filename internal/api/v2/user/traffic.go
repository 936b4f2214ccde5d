package user

import (
	"context"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

type timeAxisPoint struct {
	UserID             int64     `json:"user_id"`
	DataTimeRangeLower time.Time `json:"data_time_range_lower" doc:"When the hour or day began; days are those of the site's time zone"`
	SSTxSize           int64     `json:"ss_tx_size" doc:"Bytes up"`
	SSRxSize           int64     `json:"ss_rx_size" doc:"Bytes down"`
	TotalTraffic       int64     `json:"total_traffic" doc:"Bytes up and down"`
	EffectiveTraffic   int64     `json:"effective_traffic" doc:"Bytes as billed"`
	TrafficGB          float64   `json:"traffic_gb" doc:"total_traffic in units of 1024³ bytes, for drawing"`
	TimestampMS        int64     `json:"timestamp_ms" doc:"data_time_range_lower in Unix milliseconds"`
}

type trafficRecord struct {
	UserID           int64     `json:"user_id"`
	NodeID           int64     `json:"node_id"`
	NodeName         *string   `json:"node_name" doc:"null: the node was removed"`
	CreatedAt        time.Time `json:"created_at" doc:"When the hour began"`
	SSTxSize         int64     `json:"ss_tx_size" doc:"Bytes up"`
	SSRxSize         int64     `json:"ss_rx_size" doc:"Bytes down"`
	NodeRate         string    `json:"node_rate" doc:"Decimal" example:"1.50"`
	TotalTraffic     int64     `json:"total_traffic" doc:"Bytes up and down"`
	EffectiveTraffic int64     `json:"effective_traffic" doc:"Bytes as billed"`
}

type timeAxisQuery struct {
	Limit  int64     `query:"limit" default:"10000" minimum:"1" maximum:"10000" doc:"The newest so many points"`
	From   time.Time `query:"from" doc:"Not before; 30 days before to by default"`
	To     time.Time `query:"to" doc:"Before; now by default"`
	Bucket string    `query:"bucket" default:"hour" enum:"hour,day"`
}

// Traffic adds the traffic of a user as two charts and a table draw it.
func Traffic(t *traffic.Traffic, nodes *node.Nodes) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/area-time-axis").
			Named("traffic_time_axis", "Traffic over time; hours and days without any are left out"),
			func(ctx context.Context, who account.Identity, in *timeAxisQuery) ([]timeAxisPoint, error) {
				if in.To.IsZero() {
					in.To = t.Now()
				}
				if in.From.IsZero() {
					in.From = in.To.AddDate(0, 0, -30)
				}
				if in.To.Before(in.From) {
					return nil, fault.Invalid("to", "range", "结束时间不能早于开始时间",
						"The end must not come before the beginning")
				}
				read := t.Hours
				if in.Bucket == "day" {
					read = t.Days
				}
				points, err := read(ctx, who.UserID, in.From, in.To, in.Limit)
				return showPoints(who.UserID, points), err
			})
		v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/calendar-pie").
			Named("traffic_calendar", "Traffic of each day of a month"),
			func(ctx context.Context, who account.Identity, in *struct {
				YearMonth string `query:"year_month" pattern:"^[0-9]{4}-?(0[1-9]|1[0-2])$" doc:"A month of the site's calendar; the present one by default" example:"2026-01"`
			},
			) ([]timeAxisPoint, error) {
				month := t.Now()
				if text := strings.ReplaceAll(in.YearMonth, "-", ""); text != "" {
					number, err := strconv.Atoi(text)
					if err != nil {
						return nil, err
					}
					month = time.Date(number/100, time.Month(number%100), 1, 0, 0, 0, 0, time.UTC)
				}
				points, err := t.Month(ctx, who.UserID, month.Year(), month.Month())
				return showPoints(who.UserID, points), err
			})
		v2.Handle(r, v2.UserOp("GET /user/services/subscribe-log/detail-record").
			Named("traffic_detail", "Traffic by node and hour, the newest first"),
			func(ctx context.Context, who account.Identity, in *struct {
				Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
				Offset int64 `query:"offset" default:"0" minimum:"0"`
			},
			) ([]trafficRecord, error) {
				records, err := t.Records(ctx, who.UserID, in.Limit, in.Offset)
				if err != nil {
					return nil, err
				}
				all, err := nodes.List(ctx)
				names, lang := map[int64]*string{}, api.CallerOf(ctx).Lang
				for _, n := range all {
					names[n.ID] = new(n.Localized(lang).Name)
				}
				out := make([]trafficRecord, len(records))
				for i, rec := range records {
					out[i] = trafficRecord{
						who.UserID, rec.NodeID, names[rec.NodeID], rec.At, rec.Up, rec.Down,
						v2.RateText(rec.RatePermille), rec.Up + rec.Down, rec.Billed,
					}
				}
				return out, err
			})
	}
}

func showPoints(userID int64, points []traffic.Point) []timeAxisPoint {
	out := make([]timeAxisPoint, len(points))
	for i, p := range points {
		out[i] = timeAxisPoint{
			userID, p.At, p.Up, p.Down, p.Up + p.Down, p.Billed, float64(p.Up+p.Down) / (1 << 30),
			p.At.UnixMilli(),
		}
	}
	return out
}
