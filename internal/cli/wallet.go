package cli

import (
	"context"
	"fmt"

	"airstrip/internal/app"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

type walletCommand struct {
	Adjust  walletAdjust  `cmd:"" help:"Put money into a user's wallet or, with a negative amount, take it out."`
	List    walletList    `cmd:"" help:"List what staff put into wallets and took out, as JSON."`
	Confirm walletConfirm `cmd:"" help:"Post an adjustment that waits for a second member of staff."`
	Decline walletDecline `cmd:"" help:"End an adjustment that waits; nothing moves."`
	Rate    walletRate    `cmd:"" help:"Give a user a commission rate of their own."`
}

type walletAdjust struct {
	Email  string `arg:""`
	Amount string `arg:"" help:"As 10.00; after -- as -10.00 to take it out."`
	Reason reason `arg:"" help:"The user reads it."`
}

func (c walletAdjust) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		amount, err := money.Parse(c.Amount)
		if err != nil {
			return fmt.Errorf("%q: %w", c.Amount, err)
		}
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		made, err := a.Wallets.Adjust(ctx, u.ID, amount, string(c.Reason), nil)
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type walletList struct {
	State string `enum:",pending,posted,declined" default:"" help:"pending, posted or declined; all by default."`
	part
}

func (c walletList) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return all(a.Wallets.Adjustments(ctx, wallet.AdjustmentState(c.State), 0, int64(c.Limit), int64(c.Offset)))
	})
}

type walletConfirm struct {
	ID int64 `arg:"" help:"Number of the adjustment, as the list has it."`
}

func (c walletConfirm) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Wallets.ConfirmAdjustment(ctx, c.ID, nil)
		return err
	})
}

type walletDecline struct {
	ID int64 `arg:"" help:"Number of the adjustment, as the list has it."`
}

func (c walletDecline) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Wallets.DeclineAdjustment(ctx, c.ID, nil)
		return err
	})
}

type walletRate struct {
	Email    string `arg:""`
	Permille int64  `arg:"" help:"Thousandths of what the invited pay; -1: the site's rate."`
}

func (c walletRate) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		return a.Invites.SetRate(ctx, u.ID, unless(c.Permille, -1))
	})
}
