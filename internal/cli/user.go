package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/app"
	"airstrip/internal/audit"
)

type userCommand struct {
	Add         userAdd         `cmd:"" help:"Add a user; a password is made and printed, unless --password-stdin gives one."`
	List        userList        `cmd:"" help:"List all users as JSON."`
	Email       userEmail       `cmd:"" help:"Give a user another e-mail address, a member of staff too; ends their sessions."`
	Password    userPassword    `cmd:"" help:"Set a user's password, made and printed unless --password-stdin gives it; ends their sessions."`
	Role        userRole        `cmd:"" help:"Make a user staff: owner, admin, finance, support, viewer, a role of your own (airstrip role), or none."`
	Import      userImport      `cmd:"" help:"Add the users of another panel from a CSV file, with their password hashes."`
	SignInAs    userSignInAs    `cmd:"" help:"Print an address that shows the site as a user sees it, for 30 minutes, without changing anything; opens once, within a minute."`
	SignInToken userSignInToken `cmd:"" help:"Print an address that signs in as a user, once, within ten minutes; the user sees it among the activity."`
	SignInURL   userSignInURL   `cmd:"" name:"sign-in-url" help:"Print a signed address that signs a user in, once, within five minutes."`
	Ban         userBan         `cmd:"" help:"Take a user's service away, until a time or until somebody ends it."`
	Unban       userUnban       `cmd:"" help:"End all bans of a user."`
	Merge       userMerge       `cmd:"" help:"Make an account part of another one of the same person: its balance, commission, invited people, tickets and notes move, and it is closed."`
}

type userAdd struct {
	Email         string `required:"" help:"E-mail address."`
	Name          string `help:"Name that is shown; the part of the address before the @ by default."`
	Role          string `default:"none" help:"Staff role: owner, admin, finance, support, viewer, or one of your own."`
	PasswordStdin bool   `help:"Read the password from the first line of standard input."`
}

func (c userAdd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		password, made, err := readPassword(c.PasswordStdin)
		if err != nil {
			return err
		}
		if c.Name == "" {
			c.Name, _, _ = strings.Cut(c.Email, "@")
		}
		u, err := a.Accounts.Create(ctx, c.Email, c.Name, password, roleOf(c.Role))
		if err != nil {
			return err
		}
		out := map[string]any{"id": u.ID, "email": u.Email, "role": u.Role}
		if made {
			out["password"] = password
		}
		return printJSON(out)
	})
}

type userList struct{}

func (userList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		users, err := a.Accounts.List(ctx)
		if err != nil {
			return err
		}
		return printJSON(users)
	})
}

type userPassword struct {
	Email         string `arg:""`
	PasswordStdin bool   `help:"Read the password from the first line of standard input."`
}

func (c userPassword) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		password, made, err := readPassword(c.PasswordStdin)
		if err != nil {
			return err
		}
		if err := a.Accounts.Credentials.SetPassword(ctx, c.Email, password); err != nil || !made {
			return err
		}
		return printJSON(map[string]any{"email": c.Email, "password": password})
	})
}

type userRole struct {
	Email string `arg:""`
	Role  string `arg:"" help:"owner, admin, finance, support, viewer, one of your own, or none."`
}

func (c userRole) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Accounts.SetRole(ctx, c.Email, roleOf(c.Role)) })
}

type userEmail struct {
	Email    string `arg:"" help:"Present address."`
	NewEmail string `arg:"" help:"The one that the user is to have."`
}

func (c userEmail) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		from := account.Client{IP: netip.IPv6Loopback(), Lang: u.Lang}
		_, err = a.Accounts.Credentials.ReplaceEmail(ctx, account.Identity{}, u.ID, c.Email, c.NewEmail, "", from)
		return err
	})
}

type userBan struct {
	Email  string    `arg:""`
	Until  time.Time `help:"When the ban ends, as 2026-05-31T18:00:00Z; without it when somebody ends it."`
	Reason string    `help:"What the user reads."`
	Remark string    `help:"What only staff reads."`
	Mail   bool      `help:"Tell the user by e-mail."`
}

func (c userBan) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		task := account.BanTask{AccountID: u.ID, Reason: c.Reason, Remark: c.Remark, Mail: c.Mail}
		if !c.Until.IsZero() {
			task.EndsAt = &c.Until
		}
		_, err = a.Accounts.Bans.Ban(ctx, task, account.Identity{})
		return err
	})
}

type userUnban struct {
	Email string `arg:""`
}

func (c userUnban) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		_, err = a.Accounts.Bans.Unban(ctx, u.ID, account.Identity{})
		return err
	})
}

type userSignInAs struct {
	Email  string `arg:""`
	Reason reason `required:"" help:"Why, for the audit log."`
}

func (c userSignInAs) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		code, until, err := a.Accounts.Visits.Begin(ctx, account.Identity{}, u.ID, string(c.Reason))
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"url": a.SiteURL() + "/auth/sign-in-as#" + code.String(), "expires_at": until})
	})
}

type userSignInToken struct {
	Email string `arg:""`
}

func (c userSignInToken) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		token, until, err := a.Accounts.SignIns.MakeToken(ctx, c.Email)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{
			"url":        a.SiteURL() + "/v1/auth/by_token_uuid/" + token.String(),
			"token_uuid": token, "expires_at": until,
		})
	})
}

type userSignInURL struct {
	Email string `arg:"" optional:""`
	Key   bool   `help:"Print the key instead, with which other programs sign such addresses."`
}

func (c userSignInURL) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		if c.Key {
			if err := audit.Note(ctx, "user.sign_in_key.read", audit.Object{Kind: "sign_in_key"}, nil, ""); err != nil {
				return err
			}
			return printJSON(map[string]any{"key_hex": a.Accounts.SignIns.URLKey()})
		}
		u, err := a.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		if err := audit.Note(ctx, "user.sign_in_url", audit.ID("user", u.ID), nil, ""); err != nil {
			return err
		}
		return printJSON(map[string]any{"url": a.SiteURL() + "/v1/auth/by_url?" + a.Accounts.SignIns.URL(u.ID, "v2").
			Encode()})
	})
}

func roleOf(word string) account.Role {
	if word == "none" {
		return ""
	}
	return account.Role(word)
}

// readPassword reads a password from standard input, never from an argument that others could see, or makes one.
func readPassword(stdin bool) (password string, made bool, err error) {
	if !stdin {
		return rand.Text()[:16], true, nil
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	password = strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", false, errors.Join(fmt.Errorf("no password on standard input"), err)
	}
	return password, false, nil
}
