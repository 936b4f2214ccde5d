package v1

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/text"
	"airstrip/internal/traffic"
)

// maxTotals is how many days one request may ask for.
const maxTotals = 1000

// maxPoints is how many hours one request may ask for.
const maxPoints = 10_000

// Totals adds the traffic of nodes and users by day for staff, and a user's own for whoever has an API token of theirs.
func (r *Router) Totals(a *account.Accounts, t *traffic.Traffic) {
	for _, of := range []struct {
		path, name string
		read       func(req *http.Request, id int64, at []time.Time) ([]traffic.Total, error)
	}{
		{"node/{node_id}", "node_id", func(req *http.Request, id int64, at []time.Time) ([]traffic.Total, error) {
			return t.NodeTotals(req.Context(), id, at)
		}},
		{"user/{user_id}", "user_id", func(req *http.Request, id int64, at []time.Time) ([]traffic.Total, error) {
			return t.UserTotals(req.Context(), id, at)
		}},
	} {
		ps := params{need(of.name).as(integer), {name: "data_start_ats", kind: instant, required: true, many: true}}
		r.staff("POST /v1/total/traffic/"+of.path, needs(permission.TrafficRead), ps,
			func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
				id, at := in.Int(of.name), in.Times("data_start_ats")
				if len(at) > maxTotals {
					return Answer{}, fault.Invalid("data_start_ats", "length", "请提供 1 到 1000 个时间",
						"Please give 1 to 1000 times")
				}
				totals, err := of.read(req, id, at)
				rows := make([]map[string]any, len(totals))
				for i, d := range totals {
					rows[i] = map[string]any{
						of.name: id, "data_start_at": d.At, "day_begins_at": d.Begins, "ss_tx_size": d.Up,
						"ss_rx_size": d.Down, "total_traffic": d.Up + d.Down, "effective_traffic": d.Billed,
					}
				}
				return Answer{Data: rows}, err
			})
	}
	r.open("GET /v1/total/traffic/user_area_time_axis/{token_uuid}", params{need("token_uuid"), may("limit").
		within(1, maxPoints)}, func(req *http.Request, in Input) (Answer, error) {
		who, err := a.APITokens.Authenticate(req.Context(), in.Get("token_uuid"), account.ScopeRead)
		if err != nil {
			return Answer{}, err
		}
		now := t.Now()
		points, err := t.Hours(req.Context(), who.UserID, now.AddDate(-1, 0, 0), now,
			cmp.Or(in.Int("limit"), maxPoints))
		return Answer{Data: showPoints(who.UserID, points, true)}, err
	})
	r.open("GET /v1/total/traffic/user_by_month_calendar_pie/{token_uuid}", params{
		need("token_uuid"),
		may("year_month"),
	}, func(req *http.Request, in Input) (Answer, error) {
		month := t.Now()
		if asked := in.Get("year_month"); asked != "" {
			var err error
			if month, err = time.Parse("200601", strings.ReplaceAll(asked, "-", "")); err != nil ||
				!text.InRange(month) {
				return Answer{}, fault.Invalid("year_month", "format", "year_month 须为年月，如 2026-01",
					"year_month must be a month such as 2026-01")
			}
		}
		who, err := a.APITokens.Authenticate(req.Context(), in.Get("token_uuid"), account.ScopeRead)
		if err != nil {
			return Answer{}, err
		}
		points, err := t.Month(req.Context(), who.UserID, month.Year(), month.Month())
		return Answer{Data: showPoints(who.UserID, points, false)}, err
	})
}

// showPoints writes points as the charts read them; a calendar needs no moments.
func showPoints(userID int64, points []traffic.Point, moments bool) []map[string]any {
	rows := make([]map[string]any, len(points))
	for i, p := range points {
		rows[i] = map[string]any{
			"user_id": userID, "data_time_range_lower": p.At, "ss_tx_size": p.Up, "ss_rx_size": p.Down,
			"total_traffic":     p.Up + p.Down,
			"effective_traffic": p.Billed, "traffic_gb": float64(p.Up+p.Down) / (1 << 30),
		}
		if moments {
			rows[i]["timestamp_ms"] = p.At.UnixMilli()
		}
	}
	return rows
}
