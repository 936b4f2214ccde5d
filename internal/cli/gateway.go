package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"airstrip/internal/app"
	"airstrip/internal/money"
	"airstrip/internal/payment"
)

type gatewayCommand struct {
	Kinds  gatewayKinds  `cmd:"" help:"List the payment platforms there are, with the credentials that each needs, as JSON."`
	Add    gatewayAdd    `cmd:"" help:"Add an account with a payment platform. Running servers follow at once."`
	List   gatewayList   `cmd:"" help:"List the accounts as JSON, without their credentials."`
	Change gatewayChange `cmd:"" help:"Change an account; recharges that have begun keep what they were promised."`
	Remove gatewayRemove `cmd:"" help:"Remove an account that was never used; others can be switched off."`
}

// gatewayFields are the parts of an account that both add and change take; what is not given stays as it is.
type gatewayFields struct {
	TitleZH     *string `name:"title-zh" help:"Title that users see, in Chinese."`
	TitleEN     *string `name:"title-en" help:"Title that users see, in English."`
	Icon        *string `help:"alipay, bank, card, cash, crypto, epay, manual, sandbox, stripe, wallet or wechatpay; empty: its kind's."`
	FeePercent  *string `help:"Of the amount, added to what is paid, as 1.50."`
	FeeFixed    *string `help:"Added to what is paid, in the site's currency."`
	Minimum     *string `help:"Smallest recharge; 0: the site's."`
	Maximum     *string `help:"Largest recharge; 0: the site's."`
	Sort        *int    `help:"Place in lists, lowest first."`
	Enabled     *bool   `help:"Whether recharges may begin here." negatable:""`
	Currency    *string `help:"In which it is paid, as USD; the site's by default."`
	Rate        *string `help:"Of that currency for one of the site's, as 0.1385; 0 where it is the site's."`
	Credentials *string `help:"JSON file with the credentials by name, - for standard input; an empty one is removed. They are never arguments, which other users of the machine can see." placeholder:"FILE"`
}

// change returns what the fields do to an account, and the credentials to set.
func (f gatewayFields) change() (func(*payment.Account), map[string]string, error) {
	percent, err1 := parsed("fee-percent", f.FeePercent, payment.ParsePercent)
	fixed, err2 := parsed("fee-fixed", f.FeeFixed, money.Parse)
	minimum, err3 := parsed("minimum", f.Minimum, money.Parse)
	maximum, err4 := parsed("maximum", f.Maximum, money.Parse)
	rate, err5 := parsed("rate", f.Rate, payment.ParseRate)
	credentials, err6 := readCredentials(f.Credentials)
	return func(a *payment.Account) {
		set(&a.TitleZH, f.TitleZH)
		set(&a.TitleEN, f.TitleEN)
		set(&a.Icon, f.Icon)
		set(&a.FeePercent, percent)
		set(&a.FeeFixed, fixed)
		set(&a.Minimum, minimum)
		set(&a.Maximum, maximum)
		set(&a.Sort, f.Sort)
		set(&a.Enabled, f.Enabled)
		set(&a.Currency, f.Currency)
		set(&a.Rate, rate)
	}, credentials, errors.Join(err1, err2, err3, err4, err5, err6)
}

// parsed reads a flag that may be absent.
func parsed[T any](flag string, text *string, parse func(string) (T, error)) (*T, error) {
	if text == nil {
		return nil, nil
	}
	v, err := parse(*text)
	if err != nil {
		return nil, fmt.Errorf("--%s %q: %w", flag, *text, err)
	}
	return &v, nil
}

func readCredentials(file *string) (credentials map[string]string, err error) {
	if file == nil {
		return nil, nil
	}
	var text []byte
	if *file == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(*file)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &credentials); err != nil {
		return nil, fmt.Errorf("--credentials: a JSON object of texts is wanted: %w", err)
	}
	return credentials, nil
}

type gatewayKinds struct{}

func (gatewayKinds) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		kinds := []map[string]any{}
		for _, k := range a.Gateways.Kinds() {
			fields := []map[string]any{}
			for _, f := range k.Fields {
				fields = append(fields, map[string]any{
					"name": f.Name, "title": f.Title.EN, "required": f.Required,
					"choices": f.Choices,
				})
			}
			kinds = append(kinds, map[string]any{
				"kind": k.Name, "title": k.Title.EN, "currencies": k.Currencies,
				"credentials": fields,
			})
		}
		return printJSON(kinds)
	})
}

type gatewayAdd struct {
	Kind string `arg:"" help:"Platform, one of those that kinds lists."`
	Name string `arg:"" help:"Name in notify addresses and in the ledger; it never changes."`
	gatewayFields
}

func (c gatewayAdd) Run(ctx context.Context, cfg *app.Config) error {
	change, credentials, err := c.change()
	if err != nil {
		return err
	}
	return open(ctx, cfg, func(a *app.App) error {
		account := payment.Account{Kind: c.Kind, Name: c.Name, Enabled: true}
		change(&account)
		made, err := a.Gateways.Add(ctx, account, credentials)
		if err != nil {
			return err
		}
		return printGateways(a, *made)
	})
}

type gatewayList struct{}

func (gatewayList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		accounts, err := a.Gateways.List(ctx)
		if err != nil {
			return err
		}
		return printGateways(a, accounts...)
	})
}

type gatewayChange struct {
	Name string `arg:""`
	gatewayFields
}

func (c gatewayChange) Run(ctx context.Context, cfg *app.Config) error {
	change, credentials, err := c.change()
	if err != nil {
		return err
	}
	return ofGateway(ctx, cfg, c.Name, func(a *app.App, id int64) error {
		made, err := a.Gateways.Change(ctx, id, change, credentials)
		if err != nil {
			return err
		}
		return printGateways(a, *made)
	})
}

type gatewayRemove struct {
	Name string `arg:""`
}

func (c gatewayRemove) Run(ctx context.Context, cfg *app.Config) error {
	return ofGateway(ctx, cfg, c.Name, func(a *app.App, id int64) error { return a.Gateways.Remove(ctx, id) })
}

func ofGateway(ctx context.Context, cfg *app.Config, name string, fn func(a *app.App, id int64) error) error {
	return open(ctx, cfg, func(a *app.App) error {
		accounts, err := a.Gateways.List(ctx)
		if err != nil {
			return err
		}
		for _, account := range accounts {
			if account.Name == name {
				return fn(a, account.ID)
			}
		}
		return payment.ErrNoAccount
	})
}

// printGateways prints accounts with the names of their credentials, the values of public ones, and the address for the
// platform's notifies.
func printGateways(a *app.App, accounts ...payment.Account) error {
	shown := []map[string]any{}
	for _, g := range accounts {
		names, public := a.Gateways.Known(&g)
		shown = append(shown, map[string]any{
			"kind": g.Kind, "name": g.Name, "title": g.Title(), "icon": g.Icon, "enabled": g.Enabled, "sort": g.Sort,
			"fee_percent": g.FeePercent, "fee_fixed": g.FeeFixed,
			"minimum": g.Minimum, "maximum": g.Maximum, "currency": g.Currency, "rate": g.Rate,
			"credentials": names, "public": public, "notify_url": a.SiteURL() + "/v1/payment/notify/" + g.Name,
		})
	}
	return printJSON(shown)
}
