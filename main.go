// Command airstrip is a self-hosted service for selling and running network acceleration: accounts, a shop with a wallet,
// nodes, subscription links, and the web app for all of it, in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"airstrip/internal/app"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

// version is set by the build.
var version = "dev"

type cli struct {
	app.Config `group:"site"`
	ConfigFile kong.ConfigFlag `name:"config" group:"site" help:"JSON file with settings, named as the flags." placeholder:"FILE"`

	Serve    serveCommand    `cmd:"" help:"Serve the web app, the APIs and the jobs."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database to this version's schema."`
	User     userCommand     `cmd:"" help:"Add, list and change users and staff."`
	Node     nodeCommand     `cmd:"" help:"Add, list, change and remove nodes."`
	Rule     ruleCommand     `cmd:"" help:"Add, list, change and remove audit rules, and say whom they stopped."`
	Plan     planCommand     `cmd:"" help:"Add, list, change and remove plans and packages."`
	Gateway  gatewayCommand  `cmd:"" help:"Add, list, change and remove accounts with payment platforms."`
	Coupon   couponCommand   `cmd:"" help:"Make, list and change coupons."`
	CDKey    cdkeyCommand    `cmd:"" name:"cdkey" help:"Make, list and void cd-keys."`
	Recharge rechargeCommand `cmd:"" help:"Pay recharges back."`
	Refund   refundCommand   `cmd:"" help:"Decide on the refunds of orders that users ask for, and give orders back."`

	PaymentCase paymentCaseCommand `cmd:"" help:"Decide on payments that were refused, doubled or match nothing."`
	Audit       auditCommand       `cmd:"" help:"List what staff and the operator changed."`
	Approval    approvalCommand    `cmd:"" help:"Decide what members of staff may not give alone."`
	Wallet      walletCommand      `cmd:"" help:"Adjust users' wallets and commission rates."`
	Seed        seedCommand        `cmd:"" help:"Fill an empty database with a demonstration, with --demo, and print how to use it as JSON."`
	Setting     settingCommand     `cmd:"" help:"List and change the site's settings."`
	Mail        mailCommand        `cmd:"" help:"List and show the mails of the site, and send a test mail."`
	Doctor      doctorCommand      `cmd:"" help:"Check that the money and everything else in the database adds up; changes nothing."`
	Backup      backupCommand      `cmd:"" help:"Write the whole database into one file, verified, while servers run."`
	Restore     restoreCommand     `cmd:"" help:"Make the database, where there is none yet, from a file of airstrip backup."`
	OpenAPI     openapiCommand     `cmd:"" name:"openapi" help:"Print the contract of /api/v2."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

func main() {
	var c cli
	k := kong.Parse(&c, kong.Name("airstrip"), kong.ShortUsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Configuration(kong.JSON),
		kong.ExplicitGroups([]kong.Group{{Key: "site", Title: "Flags of every command, the same for the server and for what runs beside it:"}}),
		kong.Description("Self-hosted service for subscription-based network acceleration."))
	c.Config.Log()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(audit.Prepare(ctx), (*context.Context)(nil))
	if err := k.Run(&c.Config); err != nil {
		fmt.Fprintln(os.Stderr, "airstrip:", sentence(err))
		os.Exit(1)
	}
}

// sentence says what a person at a terminal can act on.
func sentence(err error) string {
	f, ok := fault.As(err)
	if !ok {
		return err.Error()
	}
	text := f.Text.EN
	if errors.Is(f, fault.ErrInvalid) { // nothing is marked in a terminal
		text = "some of the input is wrong:"
	}
	for _, field := range f.Fields {
		text += fmt.Sprintf("\n  %s: %s", field.Name, field.Text.EN)
	}
	return text
}

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
