package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/cdkey"
	"airstrip/internal/checkin"
	"airstrip/internal/clickhouse"
	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/dberr"
	"airstrip/internal/emby"
	"airstrip/internal/invite"
	"airstrip/internal/job"
	"airstrip/internal/merge"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shareaccount"
	"airstrip/internal/shop"
	"airstrip/internal/token"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
	"airstrip/internal/webpush"
)

// Check returns every violation that a part finds. Each invariant is one or more rules, in the parts that keep it:
//
//	I1–I5    wallet: the ledger sums to zero, balances, seals, holds, one credit per payment
//	I6 I10   shop: one service per order; what is given back
//	I7       cdkey: uses and limits of keys
//	I8       shop: uses and limits of coupons
//	I9       invite: commissions
//	I11      wallet, shop, account, approval, merge: adjustments, orders, refund requests, bans, what staff gives
//	I12      db: integers of 64 bits
//	I13      service, shop: unlimited is never zero
//	I14      traffic: hours, days, quotas and packages count the same bytes
//	I15      service, shop: cycles, the end of a service, what an order promised
//	I16      checkin: one package for each check-in, streaks
//	clickhouse  ClickHouse has of each day what the database has
//	I17      console: facts about users are what the other tables say
//	I18      console: stored hours of the overview are what their rows add up to
//	audit    the audit log is complete and as it was written
//
// A check that cannot be finished, since it cannot read a row, is a violation as well: what it would have found is
// unknown, and the others go on. Two run at once, of the four connections that there are for long reads.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) { return checkAll(ctx, d, 2) }

// checkAll is Check with at most atOnce checks at once.
func checkAll(ctx context.Context, d *db.DB, atOnce int) ([]db.Violation, error) {
	of := func(run func(context.Context, *db.DB) ([]db.Violation, error)) func(context.Context) (
		[]db.Violation, error,
	) {
		return func(ctx context.Context) ([]db.Violation, error) { return run(ctx, d) }
	}
	checks := []check{
		{"I12", d.Check},
		{"I11", of(account.Check)},
		{"I11", of(merge.Check)},
		{"audit", of(audit.Check)},
		{"I16", of(checkin.Check)},
		{"clickhouse", of(clickhouse.Check)},
		{"I17", of(console.Check)},
	}
	settings, err := setting.New(ctx, d)
	if err != nil { // the parts below are made with them
		return runChecks(ctx, atOnce, append(checks, check{"settings", func(context.Context) ([]db.Violation, error) {
			return nil, err
		}})...)
	}
	wallets, services := wallet.New(d, settings), service.New(d, seal.Key{}, settings)
	return runChecks(ctx, atOnce, append(
		checks,
		check{"I14", func(ctx context.Context) ([]db.Violation, error) { return traffic.Check(ctx, d, settings) }},
		check{"I1", wallets.Check},
		check{"I5", wallets.CheckPayments},
		check{"I13", services.Check},
		check{"I6", shop.New(d, settings, wallets, services, invite.New(d, settings, wallets)).Check},
		check{"I7", cdkey.New(d, seal.Key{}, settings, wallets, services).Check},
		check{"I9", invite.New(d, settings, wallets).Check},
		check{"I11", approval.New(d, settings).Check},
	)...)
}

// check is one check of a part, with the name of its first rule.
type check struct {
	name string
	run  func(context.Context) ([]db.Violation, error)
}

// runChecks returns what the checks find, in their order. At most atOnce of them run at once; the first one that the
// database fails ends the others.
func runChecks(ctx context.Context, atOnce int, checks ...check) ([]db.Violation, error) {
	found := make([][]db.Violation, len(checks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, c := range checks {
		group.Go(func() error {
			broken, err := c.run(ctx)
			found[i] = broken
			switch {
			case err == nil:
				return nil
			case ctx.Err() != nil, dberr.Fault(err) != nil: // the database, not what it holds
				return err
			default:
				found[i] = append(broken, db.Violation{Rule: c.name + ": " + db.CanBeChecked, What: err.Error()})
				return nil
			}
		})
	}
	err := group.Wait()
	return slices.Concat(found...), err
}

// Check checks the open database, the signatures of the audit log and of the ledger's seals, and that the log names
// every act: one after the other, since a server that serves its callers needs the processors more.
func (a *App) Check(ctx context.Context) ([]db.Violation, error) {
	broken, err := checkAll(ctx, a.DB, 1)
	if err != nil {
		return broken, err
	}
	unproven, err := checkSigned(ctx, a.DB, a.cfg.key)
	return append(broken, unproven...), err
}

// checkSigned returns what of the audit log and of the ledger's seals was not signed with the secret key, and the acts
// that the log does not name.
func checkSigned(ctx context.Context, d *db.DB, key seal.Key) ([]db.Violation, error) {
	with := func(run func(context.Context, *db.DB, seal.Key) ([]db.Violation, error)) func(context.Context) (
		[]db.Violation, error,
	) {
		return func(ctx context.Context) ([]db.Violation, error) { return run(ctx, d, key) }
	}
	return runChecks(
		ctx, 1, check{"audit", with(audit.CheckKey)}, check{"I11", with(approval.CheckAudited)},
		check{"I3", with(wallet.CheckKey)},
	)
}

// checkKey returns what the secret key does not open, and what checkSigned finds with it.
func checkKey(ctx context.Context, d *db.DB, key seal.Key) (broken []db.Violation, err error) {
	if broken, err = checkSigned(ctx, d, key); err != nil {
		return broken, err
	}
	var checks []check
	for _, sealed := range []func(context.Context, *db.DB, seal.Key) ([]string, error){
		token.Sealed, secret.Sealed, service.Sealed, node.Sealed, emby.Sealed, invite.Sealed, shareaccount.Sealed,
		webhook.Sealed, webpush.Sealed,
	} {
		checks = append(checks, check{"key", func(ctx context.Context) (found []db.Violation, err error) {
			closed, err := sealed(ctx, d, key)
			for _, what := range closed {
				found = append(found, db.Violation{
					Rule: "key: the secret key opens what the database has sealed",
					What: what,
				})
			}
			return found, err
		}})
	}
	closed, err := runChecks(ctx, 1, checks...)
	return append(broken, closed...), err
}

// nightly holds what the last nightly check of this process found, for an alarm. One of several servers checks each
// night.
type nightly struct {
	broken, at prometheus.Gauge
}

// finding is what a nightly check of this process found.
type finding struct {
	at      time.Time
	broken  int64
	inAudit int64 // of these, how many are about the audit log
}

func (a *App) checkNightly(q *job.Queue) {
	a.nightly = nightly{
		broken: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "airstrip_rules_broken",
			Help: "How many places the last nightly check found where the database is not as it must be.",
		}),
		at: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "airstrip_rules_checked_seconds",
			Help: "When this process last finished a nightly check, in Unix time; 0: not since it started.",
		}),
	}
	q.Every("doctor", func(ctx context.Context) error {
		broken, err := a.Check(ctx)
		if err != nil {
			return err
		}
		last := finding{at: a.DB.Now(), broken: int64(len(broken))}
		for _, v := range broken {
			if strings.HasPrefix(v.Rule, "audit:") || strings.Contains(v.What, "table audit_") {
				last.inAudit++
			}
			slog.ErrorContext(ctx, "the database is not as it must be; run airstrip doctor", "rule", v.Rule, "what",
				v.What)
		}
		a.nightly.broken.Set(float64(len(broken)))
		a.nightly.at.SetToCurrentTime()
		a.lastCheck.Store(&last)
		return nil
	})
}
