package cli

import (
	"context"

	"airstrip/internal/app"
	"airstrip/internal/invite"
)

type payoutCommand struct {
	List   payoutList   `cmd:"" help:"List commission that users want paid outside of the site as JSON, the newest first."`
	Pay    payoutPay    `cmd:"" help:"Note that a payout is paid: the commission leaves its user's account."`
	Refuse payoutRefuse `cmd:"" help:"Refuse a payout; the commission is its user's again."`
}

type payoutList struct {
	State string `enum:",open,waiting,paid,refused,withdrawn" default:"" help:"open, waiting, paid, refused or withdrawn; all by default."`
	Email string `help:"Only those of this user."`
	part
}

func (c payoutList) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		var userID int64
		if c.Email != "" {
			u, err := a.Accounts.ByEmail(ctx, c.Email)
			if err != nil {
				return nil, err
			}
			userID = u.ID
		}
		found, err := all(a.Invites.Payouts(ctx, invite.PayoutFilter{
			UserID: userID, State: invite.PayoutState(c.State), Limit: int64(c.Limit), Offset: int64(c.Offset),
		}))
		out := make([]map[string]any, len(found))
		for n := range found {
			p := &found[n]
			out[n] = map[string]any{
				"id": p.ID, "user_id": p.UserID, "amount": p.Amount, "method": p.Method, "account": p.Account,
				"state": p.State, "answer": p.Answer, "made_by": p.MadeBy, "decided_by": p.DecidedBy,
				"assigned_to": p.AssignedTo,
				"created_at":  p.CreatedAt, "ended_at": p.EndedAt,
			}
		}
		return out, err
	})
}

type payoutPay struct {
	Payout int64  `arg:"" help:"Number of the payout, as the list has it."`
	Note   string `arg:"" help:"Such as the number of the transfer; the user reads it."`
}

func (c payoutPay) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Invites.PayPayout(ctx, c.Payout, c.Note, nil) })
}

type payoutRefuse struct {
	Payout int64  `arg:"" help:"Number of the payout, as the list has it."`
	Reason reason `arg:"" help:"The user reads it."`
}

func (c payoutRefuse) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		return a.Invites.RefusePayout(ctx, c.Payout, string(c.Reason), nil)
	})
}
