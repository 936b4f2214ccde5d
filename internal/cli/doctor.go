package cli

import (
	"context"
	"fmt"

	"airstrip/internal/app"
)

type doctorCommand struct{}

func (doctorCommand) Run(ctx context.Context, cfg *app.Config) error {
	if cfg.Missing() {
		return noSite(cfg)
	}
	found, err := app.Examine(ctx, *cfg)
	if err != nil {
		return err
	}
	if found.NoKey {
		fmt.Printf("The secret key is not at %s: whether it opens what is sealed was not checked, and the site "+
			"cannot run without it.\n", cfg.KeyLocation())
	}
	if err := broken("the database is not as it must be", found.Broken); err != nil {
		return err
	}
	fmt.Println("All rules hold.")
	return nil
}
