package app

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/mail"
	"airstrip/internal/node"
)

// tellOutage tells those who look after nodes of an outage's beginning and of its end.
func (a *App) tellOutage(ctx context.Context, tx bun.Tx, n node.Node, o node.Outage) error {
	var content mail.Content = mail.NodeOffline{Node: n.Name, SeenAt: o.BeganAt}
	if o.EndedAt != nil {
		content = mail.NodeBack{Node: n.Name, BeganAt: o.BeganAt, EndedAt: *o.EndedAt}
	}
	return a.Accounts.TellStaff(ctx, tx, []account.Role{account.Owner, account.Admin}, content)
}
