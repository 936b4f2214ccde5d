package renewal

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// The timetable of a renewal.
const (
	before  = shop.RenewsBefore
	after   = 24 * time.Hour
	between = 6 * time.Hour // tries
)

// due is a service whose time to renew itself has come.
type due struct {
	ID     int64
	UserID int64
	Name   string       // as it was sold, where Lang had none of its own
	Names  fault.ByLang `bun:"type:jsonb"`
	Lang   fault.Lang   // that the user last used
	EndsAt time.Time
	Agreed money.Amount // the most that may be taken
	Tries  int
}

// problem says why a service could not be renewed.
type problem string

const (
	none        problem = ""
	tooLow      problem = "balance_too_low"
	notSold     problem = "not_sold"
	priceRaised problem = "price_raised" // above what the user agreed to
)

const (
	maxDue   = 200
	langOf   = `(SELECT lang FROM account WHERE id = v.user_id) AS lang`
	stillDue = `(v.end_reason IS NULL OR v.end_reason = 'expired')` // not given back
)

// Renew tries to renew the services that renew themselves: from 24 h before their end until 24 h after it, every 6 h,
// from the wallet. Their users are notified by mail when it is done, and of what is missing at the first and at the
// last try. Services of banned users wait. What changed since it was read is left to the next run.
func (r *Renewals) Renew(ctx context.Context) error {
	var failed error
	hasChanged := false
	for {
		now := r.db.Now()
		var list []due
		err := r.db.NewRaw(`SELECT v.id, v.user_id, v.name, v.names, `+langOf+`, v.ends_at, v.agreed_price AS agreed, COALESCE(t.tries, 0) AS tries FROM service v
			JOIN access a ON a.user_id = v.user_id AND NOT a.banned
			LEFT JOIN auto_renewal t ON t.service_id = v.id AND t.ends_at = v.ends_at
			WHERE v.auto_renew AND `+stillDue+` AND v.ends_at <= ? AND v.ends_at > ? AND (t.service_id IS NULL
				OR t.next_at <= ?) ORDER BY v.ends_at, v.id LIMIT ?`,
			now.Add(before), now.Add(-after), now, maxDue).Scan(ctx, &list)
		if err != nil {
			return errors.Join(failed, err)
		}
		for _, d := range list { // one that fails must not keep the others waiting
			err := r.renew(ctx, d)
			switch {
			case isChange(err):
				hasChanged = true
				slog.InfoContext(ctx, "a service that was about to be renewed has changed", "service", d.ID, "change", err)
			case err != nil:
				slog.ErrorContext(ctx, "could not renew a service", "service", d.ID, "error", err)
				failed = errors.Join(failed, err)
			}
		}
		if len(list) < maxDue || failed != nil || hasChanged {
			return failed
		}
	}
}

func (r *Renewals) renew(ctx context.Context, d due) error {
	price, err := r.shop.RenewalPrice(ctx, d.UserID, d.ID)
	if errors.Is(err, shop.ErrNoPlan) || errors.Is(err, shop.ErrNotRenewable) {
		return r.note(ctx, d, notSold, mail.NotRenewed{})
	}
	if err != nil {
		return err
	}
	if price.Amount > d.Agreed {
		return r.note(ctx, d, priceRaised, mail.NotRenewed{Price: price.Amount, Agreed: d.Agreed})
	}
	what := shop.Purchase{PriceID: price.ID, RenewServiceID: &d.ID, MaxAmount: &d.Agreed}
	quote, err := r.shop.PreOrder(ctx, d.UserID, what)
	if err != nil {
		return err
	}
	if quote.Missing > 0 {
		return r.note(ctx, d, tooLow, mail.NotRenewed{Missing: quote.Missing})
	}
	return r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := r.wallets.Lock(ctx, tx, d.UserID); err != nil {
			return err
		}
		if still, err := r.claim(ctx, tx, d, none, nil); err != nil || !still {
			return err
		}
		no, err := r.shop.Place(ctx, tx, d.UserID, what, nil)
		if err != nil {
			return err
		}
		o, err := r.shop.OrderIn(ctx, tx, d.UserID, strconv.FormatInt(no, 10))
		if err != nil {
			return err
		}
		return r.accounts.Notify(ctx, tx, d.UserID, mail.Renewed{
			Service: d.Names.In(d.Lang, d.Name), EndsAt: *o.EndsAt,
			Amount: o.Amount, Currency: o.Currency,
		})
	})
}

// isChange reports whether err is what a renewal meets when the service, its plan, the balance or the account changed
// after it was read.
func isChange(err error) bool {
	for _, change := range []error{
		service.ErrGivenBack, service.ErrNoService, shop.ErrNoPlan, shop.ErrNotRenewable, shop.ErrPriceChanged,
		wallet.ErrBalanceTooLow, wallet.ErrBanned, wallet.ErrClosed,
	} {
		if errors.Is(err, change) {
			return true
		}
	}
	return false
}

// note records a try that failed and notifies the user of the first and of the last one.
func (r *Renewals) note(ctx context.Context, d due, why problem, content mail.NotRenewed) error {
	now := r.db.Now()
	next := now.Add(between)
	last := !next.Before(d.EndsAt.Add(after))
	return r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		at := &next
		if last {
			at = nil
		}
		still, err := r.claim(ctx, tx, d, why, at)
		if err != nil || !still || (d.Tries > 0 && !last) {
			return err
		}
		content.Service, content.EndsAt, content.Currency, content.Last = d.Names.In(d.Lang, d.Name), d.EndsAt,
			r.settings.Get().Currency, last
		return r.accounts.Notify(ctx, tx, d.UserID, content)
	})
}

// claim takes the try for this transaction and reports whether the service is still due as it was read: nobody else
// tried, and the user neither renewed it nor changed their mind.
func (r *Renewals) claim(ctx context.Context, tx bun.Tx, d due, why problem, next *time.Time) (bool, error) {
	n, err := db.Changed(tx.NewRaw(`INSERT INTO auto_renewal (service_id, ends_at, tries, next_at, problem)
		SELECT v.id, v.ends_at, 1, ?0, ?1 FROM service v WHERE v.id = ?2 AND v.ends_at = ?3 AND v.auto_renew
		AND `+stillDue+`
		ON CONFLICT (service_id, ends_at)
		DO UPDATE SET tries = auto_renewal.tries + 1, next_at = EXCLUDED.next_at, problem = EXCLUDED.problem
		WHERE auto_renewal.next_at <= ?4`, next, why, d.ID, d.EndsAt, r.db.Now()).Exec(ctx))
	return n == 1, err
}
