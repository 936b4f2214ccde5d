package cli

import (
	"context"
	"errors"

	"airstrip/internal/app"
)

type seedCommand struct {
	Users int `help:"Users beside the demo's own, each with a running service." default:"0"`
	Nodes int `help:"Nodes beside the demo's own." default:"0"`
}

func (c seedCommand) Run(ctx context.Context, cfg *app.Config) error {
	if !cfg.Demo { // the only thing there is to seed
		return errors.New("say --demo to fill the database with a demonstration")
	}
	return openOrMake(ctx, cfg, func(a *app.App) error {
		seeded, err := a.Seed(ctx, app.Seed{Users: c.Users, Nodes: c.Nodes})
		if err != nil {
			return err
		}
		return printJSON(seeded)
	})
}
