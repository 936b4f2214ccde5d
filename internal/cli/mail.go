package cli

import (
	"context"
	"fmt"
	"net/netip"

	"airstrip/internal/account"
	"airstrip/internal/app"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

type mailCommand struct {
	List mailList `cmd:"" help:"List the newest mails as JSON: to whom, what became of them and why."`
	Show mailShow `cmd:"" help:"Print a mail that has not been sent."`
	Test mailTest `cmd:"" help:"Send a test mail through the SMTP server of the settings; a server must be running."`
}

type mailList struct {
	Limit rows `help:"How many." default:"50"`
}

func (c mailList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		mails, err := a.Mails.List(ctx, int64(c.Limit))
		if err != nil {
			return err
		}
		return printJSON(mails)
	})
}

type mailShow struct {
	ID   int64 `arg:"" help:"Number in the list."`
	HTML bool  `name:"html" help:"The HTML form instead of the text."`
}

func (c mailShow) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		m, letter, err := a.Mails.Show(ctx, c.ID)
		if err == nil && m.BringsCode() {
			err = audit.Note(ctx, "mail.code.read", audit.ID("mail", c.ID), nil, "")
		}
		if err != nil {
			return err
		}
		if letter.Text == "" {
			return fmt.Errorf("the text of a mail is not kept once it is %s", m.State)
		}
		if c.HTML {
			fmt.Print(letter.HTML)
			return nil
		}
		fmt.Printf("To: %s\nSubject: %s\n\n%s", m.Recipient, letter.Subject, letter.Text)
		return nil
	})
}

type mailTest struct {
	Email   string `arg:"" help:"Address to send it to."`
	English bool   `help:"In English instead of Chinese."`
}

func (c mailTest) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		from := account.Client{IP: netip.IPv6Loopback(), Lang: fault.ZH}
		if c.English {
			from.Lang = fault.EN
		}
		return a.Accounts.EmailCodes.Request(ctx, account.ForTest, c.Email, from)
	})
}
