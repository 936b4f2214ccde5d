package app

import (
	"context"

	v1 "airstrip/internal/api/v1"
)

// What the older routes run, by the names on the timetable. The server runs all of it by itself too.
var (
	eachMinute = []string{"service.expire", "service.reset", "account.bans", "payment.expire", "payment.check", "payment.refund", "renewal.renew", "renewal.remind", "invite.release"}
	eachDay    = []string{
		"wallet.seal", "account.forget", "telegram.forget", "captcha.forget", "payment.forget", "node.forget", "link.forget", "traffic.forget", "cdkey.forget", "idempotency.forget",
	}
)

// jobs are the older routes by which jobs are driven from outside.
func (a *App) jobs() []v1.Job {
	run := func(pattern string, entries ...string) v1.Job {
		return v1.Job{Pattern: pattern, Run: func(ctx context.Context) (any, error) {
			return map[string]any{"ran": entries}, a.Queue.Exclusive(ctx, pattern, func(ctx context.Context) error {
				for _, name := range entries {
					if err := a.Queue.Trigger(ctx, name); err != nil {
						return err
					}
				}
				return nil
			})
		}}
	}
	jobs := []v1.Job{
		run("POST /v1/mod_mu/check_job", eachMinute...),
		run("GET /v1/mod_mu/cron_1min_task_all", eachMinute...),
		run("POST /v1/mod_mu/daily_job", append(append([]string{}, eachMinute...), eachDay...)...),
		run("GET /v1/mod_mu/cron_ban_task", "account.bans"),
		run("GET /v1/mod_mu/active_check_paylist", "payment.check"),
		run("POST /v1/mod_mu/check_old_service_auto_renew", "renewal.renew"),
	}
	for _, table := range []string{"user_traffic_raw", "mod_mu_user_alive_ip", "user_data_history", "user_traffic_log_total"} {
		jobs = append(jobs, v1.Job{Pattern: "GET /v1/mod_mu/clickhouse_import_" + table, Run: func(context.Context) (any, error) {
			return map[string]any{"skipped": "clickhouse_not_configured"}, nil
		}})
	}
	return jobs
}
