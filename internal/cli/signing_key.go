package cli

import (
	"context"

	"airstrip/internal/app"
)

type signingKeyCommand struct {
	Rotate signingKeyRotate `cmd:"" help:"Sign the tokens of sessions with a new key. The former one is honoured until its tokens have expired; nobody is signed out."`
}

type signingKeyRotate struct {
	Revoke bool `help:"Honour no former key, so that everybody signs in again: for a key that leaked."`
}

func (c signingKeyRotate) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		kid, err := a.Tokens.Rotate(ctx, c.Revoke)
		if err != nil {
			return err
		}
		return printJSON(struct {
			KeyID string `json:"key_id"`
		}{kid})
	})
}
