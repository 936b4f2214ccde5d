package cli

import (
	"context"
	"fmt"

	"airstrip/internal/app"
	"airstrip/internal/money"
	"airstrip/internal/payment"
)

type paymentCaseCommand struct {
	List    paymentCaseList    `cmd:"" help:"List the payments that were refused, doubled or match nothing, as JSON."`
	Show    paymentCaseShow    `cmd:"" help:"Show a payment case with its notifies as they came, as JSON."`
	Credit  paymentCaseCredit  `cmd:"" help:"Put the payment into the user's wallet."`
	Refund  paymentCaseRefund  `cmd:"" help:"Have the gateway pay back the payment, and print what became of that as JSON."`
	Dismiss paymentCaseDismiss `cmd:"" help:"End the case without moving money."`
	Confirm paymentCaseConfirm `cmd:"" help:"Approve a credit or refund that waits for a second member of staff."`
	Decline paymentCaseDecline `cmd:"" help:"Decline a credit or refund that waits; the case is open again."`
}

type paymentCaseList struct {
	State string `enum:",open,waiting,refunding,credited,refunded,dismissed" default:"" help:"open, waiting, refunding, credited, refunded or dismissed; all by default."`
	part
}

func (c paymentCaseList) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return all(a.Payments.Cases(ctx, payment.CaseFilter{
			State: payment.CaseState(c.State), Limit: int64(c.Limit), Offset: int64(c.Offset),
		}))
	})
}

type paymentCaseShow struct {
	Case int64 `arg:"" help:"Number of the case."`
}

func (c paymentCaseShow) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		found, notifies, err := a.Payments.Case(ctx, c.Case)
		if err != nil {
			return err
		}
		events := []map[string]any{}
		for _, n := range notifies {
			events = append(events, map[string]any{
				"id": n.ID, "method": n.Method, "query": n.Query, "header": n.Header, "body": string(n.Body),
				"address": n.Address,
				"outcome": n.Outcome, "reason": n.Reason, "created_at": n.CreatedAt,
			})
		}
		return printJSON(map[string]any{"case": found, "events": events})
	})
}

type paymentCaseCredit struct {
	Case   int64  `arg:"" help:"Number of the case."`
	Reason reason `arg:""`
	User   int64  `help:"Number of the user, where the payment belongs to no known one."`
	Amount string `help:"As 10.00, in the site's currency; all that was paid without it."`
}

func (c paymentCaseCredit) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		wish := payment.CaseCredit{CaseID: c.Case, UserID: c.User, Reason: string(c.Reason)}
		if c.Amount != "" {
			var err error
			if wish.Amount, err = money.Parse(c.Amount); err != nil || wish.Amount <= 0 {
				return fmt.Errorf("--amount %q: an amount above zero, as 10.00, is needed", c.Amount)
			}
		}
		made, err := a.Payments.CreditCase(ctx, wish)
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type paymentCaseRefund struct {
	Case   int64  `arg:"" help:"Number of the case."`
	Reason reason `arg:""`
}

func (c paymentCaseRefund) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return a.Payments.RefundCase(ctx, c.Case, string(c.Reason), nil)
	})
}

type paymentCaseDismiss struct {
	Case   int64  `arg:"" help:"Number of the case."`
	Reason reason `arg:""`
}

func (c paymentCaseDismiss) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Payments.DismissCase(ctx, c.Case, string(c.Reason), nil)
		return err
	})
}

type paymentCaseConfirm struct {
	Case int64 `arg:"" help:"Number of the case."`
}

func (c paymentCaseConfirm) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Payments.DecideCase(ctx, c.Case, true, nil)
		return err
	})
}

type paymentCaseDecline struct {
	Case int64 `arg:"" help:"Number of the case."`
}

func (c paymentCaseDecline) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Payments.DecideCase(ctx, c.Case, false, nil)
		return err
	})
}
