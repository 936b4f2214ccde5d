package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"airstrip/internal/app"
)

type settingCommand struct {
	List settingList `cmd:"" default:"1" help:"Print all settings as JSON."`
	Set  settingSet  `cmd:"" help:"Change settings: NAME=VALUE, where VALUE is JSON or plain text."`
}

type settingList struct{}

func (settingList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return printJSON(a.Settings.Get()) })
}

type settingSet struct {
	Values []string `arg:"" name:"NAME=VALUE"`
}

func (c settingSet) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		values := map[string]json.RawMessage{}
		for _, pair := range c.Values {
			name, value, ok := strings.Cut(pair, "=")
			if !ok {
				return fmt.Errorf("%q is not NAME=VALUE", pair)
			}
			if !json.Valid([]byte(value)) {
				quoted, err := json.Marshal(value)
				if err != nil {
					return err
				}
				value = string(quoted)
			}
			values[name] = json.RawMessage(value)
		}
		return a.Settings.Set(ctx, values)
	})
}

// open runs fn with all parts, beside a server that may be running.
func open(ctx context.Context, cfg *app.Config, fn func(*app.App) error) error {
	a, err := app.Open(ctx, *cfg, version)
	if err != nil {
		return err
	}
	defer a.Close()
	return fn(a)
}

func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
