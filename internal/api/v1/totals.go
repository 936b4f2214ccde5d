package v1

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/traffic"
)

// maxTotals is how many days one request may ask for.
const maxTotals = 1000

// Totals adds the traffic of nodes and users by day for staff, and a user's own for whoever has an API token of theirs.
func (r *Router) Totals(a *account.Accounts, t *traffic.Traffic) {
	roles := []account.Role{account.Owner, account.Admin, account.Support, account.Finance, account.Viewer}
	for _, of := range []struct {
		path, name string
		read       func(req *http.Request, id int64, at []time.Time) ([]traffic.Total, error)
	}{
		{"node/{id}", "node_id", func(req *http.Request, id int64, at []time.Time) ([]traffic.Total, error) {
			return t.NodeTotals(req.Context(), id, at)
		}},
		{"user/{id}", "user_id", func(req *http.Request, id int64, at []time.Time) ([]traffic.Total, error) {
			return t.UserTotals(req.Context(), id, at)
		}},
	} {
		r.staff("POST /v1/total/traffic/"+of.path, roles, func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
			id, err := strconv.ParseInt(req.PathValue("id"), 10, 64)
			if err != nil {
				return Answer{}, fault.Invalid(of.name, "type", of.name+" 必须是整数", of.name+" must be a whole number")
			}
			at, err := in.times("data_start_ats")
			if err != nil {
				return Answer{}, err
			}
			totals, err := of.read(req, id, at)
			rows := make([]map[string]any, len(totals))
			for i, d := range totals {
				rows[i] = map[string]any{
					of.name: id, "data_start_at": d.At, "day_begins_at": d.Begins, "ss_tx_size": d.Up, "ss_rx_size": d.Down, "total_traffic": d.Up + d.Down, "effective_traffic": d.Billed,
				}
			}
			return Answer{Data: rows}, err
		})
	}
	r.open("GET /v1/total/traffic/user_area_time_axis/{token_uuid}", func(req *http.Request, in Input) (Answer, error) {
		limit := int64(10_000)
		if text := in.Get("limit"); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 1 || n > limit {
				return Answer{}, fault.Invalid("limit", "range", "limit 须为 1 到 10000 的整数", "limit must be a whole number from 1 to 10000")
			}
			limit = n
		}
		who, err := a.AuthenticateToken(req.Context(), req.PathValue("token_uuid"), account.ScopeRead)
		if err != nil {
			return Answer{}, err
		}
		now := t.Now()
		points, err := t.Hours(req.Context(), who.UserID, now.AddDate(-1, 0, 0), now, limit)
		return Answer{Data: showPoints(who.UserID, points, true)}, err
	})
	r.open("GET /v1/total/traffic/user_by_month_calendar_pie/{token_uuid}", func(req *http.Request, in Input) (Answer, error) {
		month := t.Now()
		if text := in.Get("year_month"); text != "" {
			var err error
			if month, err = time.Parse("200601", strings.ReplaceAll(text, "-", "")); err != nil {
				return Answer{}, fault.Invalid("year_month", "format", "year_month 须为年月，如 2026-01", "year_month must be a month such as 2026-01")
			}
		}
		who, err := a.AuthenticateToken(req.Context(), req.PathValue("token_uuid"), account.ScopeRead)
		if err != nil {
			return Answer{}, err
		}
		points, err := t.Month(req.Context(), who.UserID, month.Year(), month.Month())
		return Answer{Data: showPoints(who.UserID, points, false)}, err
	})
}

// times gives the list of times called name, which must not be empty.
func (in Input) times(name string) ([]time.Time, error) {
	texts := in.Values[name]
	if len(texts) == 0 || len(texts) > maxTotals {
		return nil, fault.Invalid(name, "length", "请提供 1 到 1000 个时间", "Please give 1 to 1000 times")
	}
	at := make([]time.Time, len(texts))
	for i, text := range texts {
		var err error
		if at[i], err = readTime(name, text); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// showPoints writes points as the charts read them; a calendar needs no moments.
func showPoints(userID int64, points []traffic.Point, moments bool) []map[string]any {
	rows := make([]map[string]any, len(points))
	for i, p := range points {
		rows[i] = map[string]any{
			"user_id": userID, "data_time_range_lower": p.At, "ss_tx_size": p.Up, "ss_rx_size": p.Down, "total_traffic": p.Up + p.Down,
			"effective_traffic": p.Billed, "traffic_gb": float64(p.Up+p.Down) / (1 << 30),
		}
		if moments {
			rows[i]["timestamp_ms"] = p.At.UnixMilli()
		}
	}
	return rows
}
