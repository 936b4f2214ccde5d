package cli

import (
	"context"
	"errors"

	"airstrip/internal/app"
)

type seedCommand struct {
	Users int `help:"Further users, in addition to those of the demo, each with a running service." default:"0"`
	Nodes int `help:"Further nodes, in addition to those of the demo." default:"0"`
	Days  int `help:"Days that a shop has lived, with some 300 customers in addition to the demo's; 0: none." default:"0"`
}

func (c seedCommand) Run(ctx context.Context, cfg *app.Config) error {
	if !cfg.Demo { // the only thing there is to seed
		return errors.New("say --demo to fill the database with a demonstration")
	}
	return openOrMake(ctx, cfg, func(a *app.App) error {
		seeded, err := a.Seed(ctx, app.Seed{Users: c.Users, Nodes: c.Nodes, Days: c.Days})
		if err != nil {
			return err
		}
		return printJSON(seeded)
	})
}
