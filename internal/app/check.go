package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/db"
	"airstrip/internal/job"
)

// Check asks every part for what is not as it must be. Each invariant is one or more rules, in the parts that keep it:
//
//	I1–I5    wallet: the ledger sums to zero, balances, seals, holds, one credit per payment
//	I6 I10   shop: one service per order; what is given back
//	I7       cdkey: uses and limits of keys
//	I8       shop: uses and limits of coupons
//	I9       invite: commissions
//	I11      wallet, shop, account: adjustments, orders, refund requests, bans
//	I12      db: whole numbers of 64 bits
//	I13      service, shop: unlimited is never zero
func (a *App) Check(ctx context.Context) ([]db.Violation, error) {
	var all []db.Violation
	for _, part := range []interface {
		Check(context.Context) ([]db.Violation, error)
	}{a.DB, a.Accounts, a.Wallets, a.Services, a.Shop, a.CDKeys, a.Invites} {
		broken, err := part.Check(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, broken...)
	}
	return all, nil
}

// nightly is what the last check of this process found, for an alarm: of several servers each night's one does it.
type nightly struct {
	broken, at prometheus.Gauge
}

func (a *App) checkNightly(q *job.Queue) {
	a.nightly = nightly{
		broken: prometheus.NewGauge(prometheus.GaugeOpts{Name: "airstrip_rules_broken", Help: "How many places the last nightly check found where the database is not as it must be."}),
		at:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "airstrip_rules_checked_seconds", Help: "When this process last finished a nightly check, in Unix time; 0: not since it started."}),
	}
	q.Every("doctor", job.Interval(24*time.Hour), func(ctx context.Context) error {
		broken, err := a.Check(ctx)
		if err != nil {
			return err
		}
		for _, v := range broken {
			slog.ErrorContext(ctx, "the database is not as it must be; run airstrip doctor", "rule", v.Rule, "what", v.What)
		}
		a.nightly.broken.Set(float64(len(broken)))
		a.nightly.at.SetToCurrentTime()
		return nil
	})
}
