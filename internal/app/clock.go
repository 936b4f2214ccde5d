package app

import (
	"cmp"
	"context"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/job"
	"airstrip/internal/mail"
	"airstrip/internal/permission"
)

// clockMetric reports whether the timetable waits for the clocks.
func (a *App) clockMetric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "airstrip_clocks_disagree",
		Help: "1 while the clocks disagree and nothing is ended, billed or deleted, else 0.",
	}, func() float64 {
		if a.DB.ClockProblem() != nil {
			return 1
		}
		return 0
	})
}

// startClock tells the clock when a server of the site ran last, where the database has no clock of its own.
func (a *App) startClock(ctx context.Context) error {
	if !a.DB.SQLite() || a.cfg.TrustClock {
		return nil
	}
	last, err := job.LastRun(ctx, a.DB)
	if err == nil {
		a.DB.StartClockAfter(last)
	}
	return err
}

// notifyClock notifies the staff for nodes that this server's clock cannot be trusted.
func (a *App) notifyClock(ctx context.Context, p clock.Problem) {
	host, _ := os.Hostname() // without a name the mail names the site alone
	err := a.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return a.notifyStaff(ctx, tx, permission.SystemRead, mail.ClockDisagrees{
			Host: host, Clock: a.DB.Now().Add(cmp.Or(p.Jump, p.Database)),
			Since: p.Since,
		})
	})
	if err != nil {
		slog.ErrorContext(ctx, "staff could not be told that the clocks disagree", "error", err)
	}
}
