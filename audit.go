package main

import (
	"context"
	"fmt"
	"os"
	"os/user"

	"airstrip/internal/app"
	"airstrip/internal/audit"
)

// operator says who gives a command, for the audit log: the user of the machine, behind sudo the one who called it, and
// the member of staff whom AIRSTRIP_MEMBER names.
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
