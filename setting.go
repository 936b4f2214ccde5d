package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

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

// open runs fn with all parts of the site that is there, beside a server that may be running. Called without the server's
// environment it would make a second site otherwise, and its owner wonder where the first one's users are.
func open(ctx context.Context, cfg *app.Config, fn func(*app.App) error) error {
	if cfg.Missing() {
		return noSite(cfg)
	}
	return openOrMake(ctx, cfg, func(a *app.App) error {
		who, err := operator(ctx, cfg, a)
		if err != nil {
			return err
		}
		a.Audit.Begin(ctx, who)
		return fn(a)
	})
}

func noSite(cfg *app.Config) error {
	return fmt.Errorf("there is no site in %s: set AIRSTRIP_DATA or AIRSTRIP_DATABASE_URL as they are for the server, or begin a site there with airstrip migrate", cfg.Data)
}

// openOrMake is open where there may be no site yet.
func openOrMake(ctx context.Context, cfg *app.Config, fn func(*app.App) error) error {
	a, err := app.Open(ctx, *cfg, version)
	if err != nil {
		return err
	}
	defer a.Close()
	return fn(a)
}

// commands are the characters that terminals take for commands and JSON lets stand: nodes and users named some of what is
// printed.
var commands = regexp.MustCompile(`[\x{7f}-\x{9f}]`)

// printJSON prints v; a list without anything in it is an empty list.
func printJSON(v any) error {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		v = []any{}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := os.Stdout.Write(commands.ReplaceAllFunc(out.Bytes(), func(c []byte) []byte {
		r, _ := utf8.DecodeRune(c)
		return fmt.Appendf(nil, `\u%04x`, r)
	}))
	return err
}
