package v2

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// TimeAxisPoint is what a user moved in one hour or day, as charts draw it.
type TimeAxisPoint struct {
	UserID             int64     `json:"user_id"`
	DataTimeRangeLower time.Time `json:"data_time_range_lower" doc:"When the hour or day began; days are those of the site's time zone"`
	SSTxSize           int64     `json:"ss_tx_size" doc:"Bytes up"`
	SSRxSize           int64     `json:"ss_rx_size" doc:"Bytes down"`
	TotalTraffic       int64     `json:"total_traffic" doc:"Bytes up and down"`
	EffectiveTraffic   int64     `json:"effective_traffic" doc:"Bytes as billed"`
	TrafficGB          float64   `json:"traffic_gb" doc:"total_traffic in units of 1024³ bytes, for drawing"`
	TimestampMS        int64     `json:"timestamp_ms" doc:"data_time_range_lower in Unix milliseconds"`
}

// TrafficRecord is one row of the log of a user.
type TrafficRecord struct {
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

// NewTimeAxis returns points as charts draw them.
func NewTimeAxis(userID int64, points []traffic.Point) []TimeAxisPoint {
	out := make([]TimeAxisPoint, len(points))
	for i, p := range points {
		out[i] = TimeAxisPoint{
			userID, p.At, p.Up, p.Down, p.Up + p.Down, p.Billed, float64(p.Up+p.Down) / (1 << 30),
			p.At.UnixMilli(),
		}
	}
	return out
}

// TrafficRecords returns rows of a user's log with the names of their nodes.
func TrafficRecords(ctx context.Context, nodes *node.Nodes, userID int64, records []traffic.Record) ([]TrafficRecord,
	error,
) {
	ids := make([]int64, len(records))
	for i, r := range records {
		ids[i] = r.NodeID
	}
	slices.Sort(ids)
	names, err := NodeNames(ctx, nodes, slices.Compact(ids))
	out := make([]TrafficRecord, len(records))
	for i, r := range records {
		out[i] = TrafficRecord{
			userID, r.NodeID, names[r.NodeID], r.At, r.Up, r.Down, RateText(r.RatePermille), r.Up + r.Down, r.Billed,
		}
	}
	return out, err
}

// NodeNames returns the names of the nodes that there are, in the caller's language; nil ids: of all.
func NodeNames(ctx context.Context, nodes *node.Nodes, ids []int64) (map[int64]*string, error) {
	all, err := nodes.NamesIn(ctx, api.CallerOf(ctx).Lang, ids)
	names := make(map[int64]*string, len(all))
	for id, name := range all {
		names[id] = &name
	}
	return names, err
}

// CheckOrder refuses an end before its beginning; field is the name of the end. A zero time is no bound.
func CheckOrder(field string, from, to time.Time) error {
	if !to.IsZero() && to.Before(from) {
		return fault.Invalid(field, "range", "结束时间不能早于开始时间", "The end must not come before the beginning")
	}
	return nil
}
