package app

import (
	"context"
	"errors"

	"airstrip/internal/account"
	v1 "airstrip/internal/api/v1"
	"airstrip/internal/loki"
)

// The entries of the timetable that the legacy routes run. The server also runs all of them by itself.
var (
	eachMinute = []string{
		"service.expire", "service.reset", "account.bans", "payment.expire", "payment.check",
		"payment.refund", "renewal.renew", "renewal.remind", "invite.release",
	}
	eachDay = []string{
		"wallet.seal", "account.forget", "telegram.forget", "captcha.forget", "payment.forget", "node.forget",
		"link.forget", "traffic.forget", "cdkey.forget", "idempotency.forget", "checkin.forget",
	}
)

// jobs are the legacy routes by which an external scheduler runs jobs.
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
	// Reports are counted when they come, so what waits is what is in the queue.
	jobs = append(jobs, v1.Job{Pattern: "GET /v1/mod_mu/cron_queue_user_post", Run: func(ctx context.Context) (any,
		error,
	) {
		return map[string]any{"ran": []string{"queue"}}, a.Queue.Exclusive(ctx, "cron_queue_user_post", a.Queue.Work)
	}})
	jobs = append(jobs, v1.Job{Pattern: "GET /v1/mod_mu/grafana_loki_export", Run: func(ctx context.Context) (any,
		error,
	) {
		var lines int
		err := a.Queue.Exclusive(ctx, "grafana_loki_export", func(ctx context.Context) (err error) {
			lines, err = a.Loki.Export(ctx)
			return err
		})
		if errors.Is(err, loki.ErrOff) {
			return map[string]any{"skipped": loki.ErrOff.Code}, nil
		}
		return map[string]any{"ran": []string{"loki.export"}, "lines": lines}, err
	}})
	// A hash of another cost or panel is replaced at the user's next sign-in; until then the job names the account.
	jobs = append(jobs, v1.Job{Pattern: "GET /v1/mod_mu/check_user_password", Run: func(ctx context.Context) (any,
		error,
	) {
		const shown = 1000
		users, total, err := a.Accounts.OutdatedPasswords(ctx, shown)
		return map[string]any{
			"ran": []string{"check_user_password"}, "total": total,
			"users": append([]account.OutdatedPassword{}, users...),
		}, err
	}})
	return append(jobs, a.clickHouseJobs()...)
}
