package cli

import (
	"context"
	"fmt"
	"os"
	"os/user"

	"airstrip/internal/app"
	"airstrip/internal/audit"
	"airstrip/internal/dberr"
)

// open runs fn with all parts of an existing site, while a server may be running. It refuses to make a site:
// called without the server's environment it would make a second one, without the users of the first.
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
	return fmt.Errorf("there is no site in %s: set AIRSTRIP_DATA or AIRSTRIP_DATABASE_URL as they are for the server, "+
		"or begin a site there with airstrip migrate", cfg.Data)
}

// openOrMake runs fn as open does, but makes the site where there is none, and records no operator.
func openOrMake(ctx context.Context, cfg *app.Config, fn func(*app.App) error) error {
	// What is committed here is not the command's; see errorText.
	a, err := app.Open(dberr.TrackCommits(ctx), *cfg, version)
	if err != nil {
		return err
	}
	defer a.Close()
	return fn(a)
}

// operator returns the actor of a command for the audit log: the user of the machine, behind sudo the user who called
// it, and the member of staff whom AIRSTRIP_MEMBER names.
func operator(ctx context.Context, cfg *app.Config, a *app.App) (audit.Actor, error) {
	who := audit.Actor{Kind: audit.Operator, Name: machineUser()}
	if cfg.Member == "" {
		return who, nil
	}
	member, err := a.Accounts.ByEmail(ctx, cfg.Member)
	if err != nil {
		return who, fmt.Errorf("AIRSTRIP_MEMBER: %s: %w", cfg.Member, err)
	}
	if member.Role == "" {
		return who, fmt.Errorf("AIRSTRIP_MEMBER: %s is not a member of staff", cfg.Member)
	}
	who.UserID, who.Role = member.ID, member.Role
	return who, nil
}

func machineUser() string {
	name := fmt.Sprint("uid ", os.Getuid())
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	if caller := os.Getenv("SUDO_USER"); caller != "" {
		name = caller + " as " + name
	}
	return name
}
