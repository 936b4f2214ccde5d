package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	v1 "airstrip/internal/api/v1"
	"airstrip/internal/clickhouse"
)

// importTime is how long a call of a job's route works before it answers what is left.
const importTime = 45 * time.Second

// clickHouseJobs are the legacy routes that have ClickHouse catch up. The server also does so by itself, each minute.
func (a *App) clickHouseJobs() []v1.Job {
	var jobs []v1.Job
	for name, run := range map[string]func(context.Context) (clickhouse.Progress, error){
		"clickhouse_import_user_traffic_raw":       a.ClickHouse.ImportTraffic,
		"clickhouse_import_user_traffic_log_total": a.ClickHouse.CompareTraffic,
		"clickhouse_import_user_data_history":      a.ClickHouse.ImportEvents,
	} {
		jobs = append(jobs, v1.Job{Pattern: "GET /v1/mod_mu/" + name, Run: func(ctx context.Context) (any, error) {
			if !a.ClickHouse.On() {
				return map[string]any{"skipped": clickhouse.ErrOff.Code}, nil
			}
			ctx, cancel := context.WithTimeout(ctx, importTime)
			defer cancel()
			done, err := run(ctx)
			return map[string]any{
				"ran": []string{"clickhouse.copy"}, "rows": done.Rows, "days": done.Days, "healed": done.Healed,
				"remaining_days": done.Remaining,
			}, err
		}})
	}
	// Addresses are known while they are online, and no history of them is kept that could be moved.
	return append(jobs, v1.Job{
		Pattern: "GET /v1/mod_mu/clickhouse_import_mod_mu_user_alive_ip",
		Run: func(context.Context) (any, error) {
			why := clickhouse.ErrOff.Code
			if a.ClickHouse.On() {
				why = "no_history_kept"
			}
			return map[string]any{"skipped": why}, nil
		},
	})
}

// unlimitedQuota is what copies have for a quota without end.
const unlimitedQuota = int64(1) << 50

// userStates returns what the next users after an id have now.
func (a *App) userStates(ctx context.Context, after int64) ([]clickhouse.State, error) {
	rows, err := a.Services.Part(ctx, after)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.UserID
	}
	users, err := a.Accounts.Users(ctx, a.DB, ids)
	if err != nil {
		return nil, err
	}
	available, err := a.Wallets.Available(ctx, ids)
	states := make([]clickhouse.State, len(rows))
	for i, r := range rows {
		states[i] = clickhouse.State{
			UserID: r.UserID, Up: r.UpBytes, Down: r.DownBytes, Quota: unlimitedQuota, Balance: available[r.UserID],
			Expires: users[r.UserID].CreatedAt,
		}
		if r.QuotaBytes != nil {
			states[i].Quota = *r.QuotaBytes
		}
		if r.ExpiresAt != nil {
			states[i].Expires = *r.ExpiresAt
		}
		states[i].Expires = states[i].Expires.UTC()
	}
	return states, err
}

// clickHouseMetrics say what the last run of this process found. One of several servers runs each minute.
func (a *App) clickHouseMetrics() (metrics []prometheus.Collector) {
	for name, m := range map[string]struct {
		help  string
		value func(clickhouse.Status) int64
	}{
		"airstrip_clickhouse_up": {
			"1 while ClickHouse takes what is sent, 0 while it does not.",
			func(s clickhouse.Status) int64 {
				if s.Up {
					return 1
				}
				return 0
			},
		},
		"airstrip_clickhouse_days_waiting": {
			"Days that are over and were not sent whole to ClickHouse.",
			func(s clickhouse.Status) int64 { return s.Waiting },
		},
		"airstrip_clickhouse_days_differing": {
			"Days that differ in ClickHouse although they were sent again.",
			func(s clickhouse.Status) int64 { return s.Differing },
		},
		"airstrip_clickhouse_days_healed": {
			"How often a day was found to differ in ClickHouse and was sent again.",
			func(s clickhouse.Status) int64 { return s.Healed },
		},
	} {
		metrics = append(metrics, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: m.help},
			func() float64 { return float64(m.value(a.ClickHouse.Status())) }))
	}
	return metrics
}
