package cli

import (
	"context"
	"fmt"
	"os"

	"airstrip/internal/app"
)

// version is set by the build.
var version = "dev"

type serveCommand struct{}

func (serveCommand) Run(ctx context.Context, cfg *app.Config) error {
	return openOrMake(ctx, cfg, func(a *app.App) error { return a.Serve(ctx) })
}

type migrateCommand struct{}

func (migrateCommand) Run(ctx context.Context, cfg *app.Config) error {
	return openOrMake(ctx, cfg, func(*app.App) error { return nil }) // opening migrates
}

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Println("airstrip", version)
	return nil
}

type openapiCommand struct{}

func (openapiCommand) Run() error {
	contract, err := app.Contract()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(contract)
	return err
}
