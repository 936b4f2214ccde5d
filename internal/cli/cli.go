// Package cli holds the commands of airstrip, one file for each noun. A command decodes its flags, calls a domain
// package and prints the answer, as an API package does; it holds no rules and no SQL of its own. Each command that
// changes something runs as an audited operator: the user of the machine and, where AIRSTRIP_MEMBER names one, a member
// of staff. Lists and results are printed as JSON without characters that a terminal would obey.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"airstrip/internal/app"
	"airstrip/internal/audit"
	"airstrip/internal/dberr"
	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// commands are the flags of every command, and the commands.
type commands struct {
	app.Config `group:"site"`
	ConfigFile kong.ConfigFlag `name:"config" group:"site" help:"JSON file with settings, named as the flags." placeholder:"FILE"`

	Serve    serveCommand    `cmd:"" help:"Serve the web app, the APIs and the jobs."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database to this version's schema."`
	User     userCommand     `cmd:"" help:"Add, list and change users and staff."`
	Node     nodeCommand     `cmd:"" help:"Add, list, change and remove nodes."`
	Role     roleCommand     `cmd:"" help:"Make, list, change and remove roles of your own for members of staff."`
	Rule     ruleCommand     `cmd:"" help:"Add, list, change and remove audit rules, and say whom they stopped."`
	Plan     planCommand     `cmd:"" help:"Add, list, change and remove plans and packages."`
	Gateway  gatewayCommand  `cmd:"" help:"Add, list, change and remove accounts with payment platforms."`
	Coupon   couponCommand   `cmd:"" help:"Make, list and change coupons."`
	CDKey    cdkeyCommand    `cmd:"" name:"cdkey" help:"Make, list and void cd-keys."`
	Recharge rechargeCommand `cmd:"" help:"Pay recharges back."`
	Refund   refundCommand   `cmd:"" help:"Decide on the refunds of orders that users ask for, and give orders back."`
	Payout   payoutCommand   `cmd:"" help:"List, pay and refuse commission that users want paid outside of the site."`

	Announcement announcementCommand `cmd:"" help:"Make, list, change and remove announcements."`

	PaymentCase paymentCaseCommand `cmd:"" help:"Decide on payments that were refused, doubled or match nothing."`
	Audit       auditCommand       `cmd:"" help:"List what staff and the operator changed."`
	Approval    approvalCommand    `cmd:"" help:"Decide what members of staff may not give alone."`
	Wallet      walletCommand      `cmd:"" help:"Adjust users' wallets and commission rates."`
	Seed        seedCommand        `cmd:"" help:"Fill an empty database with a demonstration, with --demo, and print how to use it as JSON."`
	Setting     settingCommand     `cmd:"" help:"List and change the site's settings."`
	SigningKey  signingKeyCommand  `cmd:"" name:"signing-key" help:"Replace the key that signs the tokens of sessions."`
	Mail        mailCommand        `cmd:"" help:"List and show the mails of the site, and send a test mail."`
	Doctor      doctorCommand      `cmd:"" help:"Check that the money and everything else in the database adds up; changes nothing."`
	Backup      backupCommand      `cmd:"" help:"Write the whole database into one file, verified, while servers run."`
	Restore     restoreCommand     `cmd:"" help:"Make the database, where there is none yet, from a file of airstrip backup."`
	OpenAPI     openapiCommand     `cmd:"" name:"openapi" help:"Print the contract of /api/v2."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// AfterApply refuses arguments that the API would refuse, too: those that are no text, or not seen as what they are.
// Passwords, which may have any characters, are never arguments.
func (*commands) AfterApply(k *kong.Context) error {
	for _, argument := range k.Args {
		if !text.IsStorable(argument) || !text.IsVisible(argument) {
			return fmt.Errorf("%+q has invisible characters, or ones that change the direction of writing", argument)
		}
	}
	return nil
}

// Run runs the command that the arguments of the process name and returns the exit code. Arguments that name none end
// the process, with the usage.
func Run(ctx context.Context) (code int) {
	var c commands
	k := kong.Parse(&c, kong.Name("airstrip"), kong.ShortUsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Configuration(kong.JSON),
		kong.ExplicitGroups([]kong.Group{{
			Key: "site", Title: "Flags of every command, the same for the server and for what runs beside it:",
		}}),
		kong.Description("Self-hosted service for subscription-based network acceleration."))
	c.Config.Log()
	ctx = dberr.TrackCommits(audit.Prepare(ctx))
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(&c.Config); err != nil {
		fmt.Fprintln(os.Stderr, "airstrip:", errorText(ctx, err))
		return 1
	}
	return 0
}

// errorText returns what is printed of an error of a command that ran with ctx. A fault prints its English text and its
// fields; no form marks them here.
func errorText(ctx context.Context, err error) string {
	f, ok := fault.As(err)
	if !ok {
		return err.Error()
	}
	f = dberr.AfterCommit(ctx, f)
	says := f.Text.EN
	if errors.Is(f, fault.ErrInvalid) { // whose text is about the marked fields of a form
		says = "some of the input is wrong:"
	}
	for _, field := range f.Fields {
		says += fmt.Sprintf("\n  %s: %s", field.Name, field.Text.EN)
	}
	return says
}
