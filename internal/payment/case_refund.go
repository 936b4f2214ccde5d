package payment

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/detached"
)

// RefundCase has the platform return the payment of an open case to its payer. Beyond what the member may give alone
// on a day, or where the payment was the member's own, it waits for a second member first. While the platform does not
// answer, RetryRefunds asks again; once it refuses, the case is open again, with the platform's reason.
func (p *Payments) RefundCase(ctx context.Context, id int64, reason string, by *int64) (*Case, error) {
	if err := checkCaseReason(&reason); err != nil {
		return nil, err
	}
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c, err := lockCase(ctx, tx, id, CaseOpen)
		if err != nil {
			return err
		}
		if c.Amount <= 0 {
			return ErrCaseNoMoney
		}
		if _, err := p.refunder(c.Gateway); err != nil {
			return ErrCaseNoRefund
		}
		if err := p.claim(ctx, tx, c); err != nil {
			return err
		}
		c.State, c.Reason, c.DecidedBy, c.RefundNo, c.Attempts, c.NextAt = CaseRefunding, reason, by, new(rand.Text()),
			0, p.db.Now()
		c.Waits = true
		if _, err := tx.NewUpdate().Model(c).Column("state", "reason", "decided_by", "refund_no", "attempts", "next_at",
			"waits").WherePK().Exec(ctx); err != nil {
			return err
		}
		alone, err := p.proposeCaseRefund(ctx, tx, c)
		if err == nil && alone {
			err = p.releaseCase(ctx, tx, c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	asking, cancel := detached.WithTimeout(db.Unguarded(ctx), settleTimeout)
	defer cancel()
	if err := p.retryCases(asking, id); err != nil {
		slog.ErrorContext(ctx, "a refund of a payment case could not be asked for; it is tried again", "case", id,
			"error", err)
	}
	return caseIn(ctx, p.db, id)
}

// releaseCase lets the platform be asked for the refund of a case that waits.
func (p *Payments) releaseCase(ctx context.Context, tx bun.Tx, c *Case) error {
	c.Waits, c.NextAt = false, p.db.Now()
	_, err := tx.NewUpdate().Model(c).Column("waits", "next_at").WherePK().Exec(ctx)
	return err
}

// proposeCaseRefund counts the refund of a case at what was paid, in the site's currency.
func (p *Payments) proposeCaseRefund(ctx context.Context, tx bun.Tx, c *Case) (alone bool, err error) {
	act := approval.Act{Kind: approval.CaseRefund, ReferenceID: c.ID, MadeBy: c.DecidedBy, Reason: c.Reason}
	if c.UserID != nil {
		act.Beneficiary = *c.UserID
	}
	if act.Worth, err = p.paidOf(ctx, tx, c); err != nil {
		return false, err
	}
	if act.Worth == 0 {
		act.Worth = approval.Unknown
	}
	return p.approvals.Propose(ctx, tx, act)
}

// refunder gives the gateway called name where it gives money back; ErrNoRefund otherwise.
func (p *Payments) refunder(name string) (Refunder, error) {
	if m, ok := p.gateways.find(name); ok {
		if can, ok := m.Gateway.(Refunder); ok {
			return can, nil
		}
	}
	return nil, ErrNoRefund
}

// retryCases asks the platforms for the refunds of the case with this id, or with 0 of all, that are due.
func (p *Payments) retryCases(ctx context.Context, id int64) error {
	var due []Case
	now := p.db.Now()
	q := p.db.NewSelect().Model(&due).Where("state = ? AND NOT waits AND next_at <= ?", CaseRefunding, now).
		OrderExpr("next_at, id").Limit(100)
	if id != 0 {
		q.Where("id = ?", id)
	}
	if err := q.Scan(ctx); err != nil {
		return err
	}
	var failed error
	for i := range due {
		c, claimed := &due[i], int64(0)
		err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
			claimed, err = db.Changed(tx.NewUpdate().Model((*Case)(nil)).Set("attempts = attempts + 1").
				Set("next_at = ?", now.Add(pause(c.Attempts))).
				Where("id = ? AND state = ? AND attempts = ?", c.ID, CaseRefunding, c.Attempts).Exec(ctx))
			return err
		})
		if err == nil && claimed == 1 {
			err = p.refundCaseAtPlatform(ctx, c)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// refundCaseAtPlatform has the platform give back the payment of c, which this process has claimed, and acts on the
// answer.
func (p *Payments) refundCaseAtPlatform(ctx context.Context, c *Case) error {
	can, err := p.refunder(c.Gateway)
	if err == nil {
		asking, cancel := context.WithTimeout(ctx, gatewayTimeout)
		defer cancel()
		err = can.Refund(asking, Refund{
			No: *c.RefundNo, Bill: Bill{
				TradeNo: c.TradeNo, Amount: c.Amount, Currency: c.Currency,
				ExpiresAt: c.CreatedAt,
			},
			TransactionID: c.TransactionID, Amount: c.Amount, Reason: title(c.Reason),
		})
	}
	said := new(RefundRefused)
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now, lockErr := lockCase(ctx, tx, c.ID, CaseRefunding)
		switch {
		case errors.Is(lockErr, ErrCaseEnded): // by a slower answer to an earlier try
			return nil
		case lockErr != nil:
			return lockErr
		case errors.As(err, &said):
			return p.reopen(ctx, tx, now, shorten(said.Words))
		case err != nil:
			now.Answer = shorten(strings.ToValidUTF8(err.Error(), "\uFFFD"))
			_, err := tx.NewUpdate().Model(now).Column("answer").WherePK().Exec(ctx)
			return err
		}
		now.State, now.Answer, now.EndedAt = CaseRefunded, "", new(p.db.Now())
		_, err := tx.NewUpdate().Model(now).Column("state", "answer", "ended_at").WherePK().Exec(ctx)
		return err
	})
}
