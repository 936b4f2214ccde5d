package main

import (
	"context"
	"errors"
	"fmt"

	"airstrip/internal/app"
)

type doctorCommand struct{}

func (doctorCommand) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		broken, err := a.Check(ctx)
		if err != nil {
			return err
		}
		for _, v := range broken {
			fmt.Printf("%s\n  %s\n", v.Rule, v.What)
		}
		if len(broken) > 0 {
			return errors.New("the database is not as it must be; see above")
		}
		fmt.Println("All rules hold.")
		return nil
	})
}
