package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"airstrip/internal/app"
)

type settingCommand struct {
	List settingList `cmd:"" default:"1" help:"Print all settings as JSON."`
	Set  settingSet  `cmd:"" help:"Change settings: NAME=VALUE, where VALUE is JSON or plain text."`

	Secret settingSecret `cmd:"" help:"Set a secret, read from standard input and never shown again; an empty line removes it."`
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

type settingSecret struct {
	Name string `arg:"" help:"Which one, such as smtp_password."`
}

func (c settingSecret) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return a.Secrets.Set(ctx, c.Name, strings.TrimRight(line, "\r\n"))
	})
}
