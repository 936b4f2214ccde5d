package v2

import (
	"context"
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

// NewTrafficRecord returns a row of the log; name is nil where the node was removed.
func NewTrafficRecord(userID int64, r traffic.Record, name *string) TrafficRecord {
	return TrafficRecord{
		userID, r.NodeID, name, r.At, r.Up, r.Down, RateText(r.RatePermille), r.Up + r.Down, r.Billed,
	}
}

// NodeNames returns the names of the nodes that there are, in the caller's language.
func NodeNames(ctx context.Context, nodes *node.Nodes) (map[int64]*string, error) {
	all, err := nodes.List(ctx)
	names, lang := map[int64]*string{}, api.CallerOf(ctx).Lang
	for _, n := range all {
		names[n.ID] = new(n.Localized(lang).Name)
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
