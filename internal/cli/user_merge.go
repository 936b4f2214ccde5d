package cli

import (
	"context"

	"airstrip/internal/app"
	"airstrip/internal/merge"
)

type userMerge struct {
	Email  string `arg:"" help:"Of the account that ends."`
	Into   string `arg:"" help:"E-mail address of the account that stays."`
	Reason reason `required:"" help:"Why, for the audit log."`
}

func (c userMerge) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		from, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		into, err := a.Accounts.ByEmail(ctx, c.Into)
		if err != nil {
			return err
		}
		if err := a.Merges.Merge(ctx, merge.Wish{
			FromID: from.ID, IntoID: into.ID, Email: c.Email, Reason: string(c.Reason),
		}); err != nil {
			return err
		}
		b, err := a.Wallets.Balance(ctx, into.ID)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"from": from.ID, "into": into.ID, "balance": b.Posted, "commission": b.Commission})
	})
}
