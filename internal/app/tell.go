package app

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/payment"
)

// Who is told of nodes, and who of money.
var (
	nodeStaff  = []account.Role{account.Owner, account.Admin}
	moneyStaff = []account.Role{account.Owner, account.Admin, account.Finance}
)

// tellStaff tells everybody with one of the roles by mail, and by Telegram where they linked it.
func (a *App) tellStaff(ctx context.Context, tx bun.Tx, roles []account.Role, content mail.Content) error {
	if err := a.Accounts.NotifyStaff(ctx, tx, roles, content); err != nil {
		return err
	}
	staff, err := a.Accounts.Staff(ctx, tx, roles)
	if err != nil {
		return err
	}
	for _, u := range staff {
		if u.TelegramID == nil {
			continue
		}
		letter, err := a.Mails.Write(mail.Message{To: u.Email, Lang: u.Lang, Content: content})
		if err != nil {
			return err
		}
		if err := a.Telegram.Tell(ctx, tx, *u.TelegramID, letter.Text); err != nil {
			return err
		}
	}
	return nil
}

// tellOutage tells those who look after nodes of an outage's beginning and of its end.
func (a *App) tellOutage(ctx context.Context, tx bun.Tx, n node.Node, o node.Outage) error {
	var content mail.Content = mail.NodeOffline{Node: n.Name, SeenAt: o.BeganAt}
	if o.EndedAt != nil {
		content = mail.NodeBack{Node: n.Name, BeganAt: o.BeganAt, EndedAt: *o.EndedAt}
	}
	return a.tellStaff(ctx, tx, nodeStaff, content)
}

// tellAlarm tells them why they should look at a node.
func (a *App) tellAlarm(ctx context.Context, tx bun.Tx, n node.Node, why node.Alarm) error {
	contents := map[node.Alarm]mail.Content{
		node.InConflict: mail.NodeConflict{Node: n.Name, At: a.DB.Now()},
		node.BeyondLink: mail.NodeBeyondLink{Node: n.Name, At: a.DB.Now(), LinkMbps: n.LinkMbps},
		node.Doubled:    mail.NodeDouble{Node: n.Name, At: a.DB.Now()},
	}
	return a.tellStaff(ctx, tx, nodeStaff, contents[why])
}

// tellPaymentCase tells those who look after money of a payment that they have to decide on.
func (a *App) tellPaymentCase(ctx context.Context, tx bun.Tx, c *payment.Case) error {
	return a.tellStaff(ctx, tx, moneyStaff, mail.PaymentCase{
		At: c.CreatedAt, No: c.ID, Gateway: c.Gateway, TransactionID: c.TransactionID, Amount: c.Amount, Currency: c.Currency,
		Doubled: c.Kind == payment.PaidTwice,
	})
}

// tellAuditFault tells them that the audit log was tampered with.
func (a *App) tellAuditFault(ctx context.Context, tx bun.Tx) error {
	return a.tellStaff(ctx, tx, nodeStaff, mail.AuditFault{At: a.DB.Now()})
}
