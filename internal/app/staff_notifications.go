package app

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/invite"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/notify"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/telegram"
	"airstrip/internal/ticket"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
)

// notifyStaff notifies everybody who may do what needs the permission by mail, and by Telegram where they linked it.
func (a *App) notifyStaff(ctx context.Context, tx bun.Tx, needs permission.Permission, content mail.Content) error {
	_, err := a.notifyStaffExcept(ctx, tx, needs, content, nil)
	return err
}

// notifyStaffExcept is notifyStaff by the channels that are not in except. It returns those that reach anybody.
func (a *App) notifyStaffExcept(ctx context.Context, tx bun.Tx, needs permission.Permission, content mail.Content,
	except []notify.Channel,
) (queued []notify.Channel, err error) {
	staff, err := a.Accounts.Staff(ctx, tx, needs)
	if err != nil {
		return nil, err
	}
	if len(staff) > 0 && !slices.Contains(except, notify.ByMail) {
		if err := a.Accounts.NotifyStaff(ctx, tx, needs, content); err != nil {
			return nil, err
		}
		queued = append(queued, notify.ByMail)
	}
	hasBot, err := a.Telegram.Configured(ctx)
	if err != nil || !hasBot || slices.Contains(except, notify.ByTelegram) {
		return queued, err
	}
	isTold := false
	for _, u := range staff {
		if u.TelegramID == nil {
			continue
		}
		letter, err := a.Mails.Write(mail.Message{To: u.Email, Lang: u.Lang, Content: content})
		if err != nil {
			return nil, err
		}
		if err := a.Telegram.Notify(ctx, tx, *u.TelegramID, letter.Text); err != nil {
			return nil, err
		}
		isTold = true
	}
	if isTold {
		queued = append(queued, notify.ByTelegram)
	}
	return queued, nil
}

// notifyOutage notifies the staff for nodes when an outage begins and when it ends.
func (a *App) notifyOutage(ctx context.Context, tx bun.Tx, n node.Node, o node.Outage) error {
	var content mail.Content = mail.NodeOffline{Node: n.Name, SeenAt: o.BeganAt}
	if o.EndedAt != nil {
		content = mail.NodeBack{Node: n.Name, BeganAt: o.BeganAt, EndedAt: *o.EndedAt}
	}
	t := webhook.NodeOffline
	if o.EndedAt != nil {
		t = webhook.NodeOnline
	}
	if err := webhook.Emit(ctx, tx, webhook.Event{Type: t, At: a.DB.Now(), Data: map[string]any{
		"node_id": n.ID, "name": n.Name, "began_at": o.BeganAt, "ended_at": o.EndedAt,
	}}); err != nil {
		return err
	}
	return a.notifyOfNode(ctx, tx, n, content)
}

// notifyOfNode tells them of a node, unless staff silenced it.
func (a *App) notifyOfNode(ctx context.Context, tx bun.Tx, n node.Node, content mail.Content) error {
	silenced, err := a.Nodes.Silences.Holds(ctx, tx, n.ID)
	if err != nil || silenced {
		return err
	}
	return a.notifyStaff(ctx, tx, permission.NodeWrite, content)
}

// notifyWebhookDisabled tells them that a webhook hears of nothing any more.
func (a *App) notifyWebhookDisabled(ctx context.Context, tx bun.Tx, e webhook.Endpoint) error {
	return a.notifyStaff(ctx, tx, permission.WebhookSend, mail.WebhookDisabled{
		Webhook: e.Name, Since: *e.FailingSince, IsGone: e.DisabledReason == webhook.Gone,
	})
}

// notifyAlarm notifies them why they should inspect a node.
func (a *App) notifyAlarm(ctx context.Context, tx bun.Tx, n node.Node, why node.Alarm) error {
	contents := map[node.Alarm]mail.Content{
		node.InConflict: mail.NodeConflict{Node: n.Name, At: a.DB.Now()},
		node.BeyondLink: mail.NodeBeyondLink{Node: n.Name, At: a.DB.Now(), LinkMbps: n.LinkMbps},
		node.Doubled:    mail.NodeDouble{Node: n.Name, At: a.DB.Now()},
	}
	return a.notifyOfNode(ctx, tx, n, contents[why])
}

// notifyAnomalies notifies them of days of users and nodes that are far beyond their usual. However many there are, it
// is one message.
func (a *App) notifyAnomalies(ctx context.Context, tx bun.Tx, found []traffic.Anomaly) error {
	const shown = 20
	content := mail.TrafficAnomalies{More: max(0, len(found)-shown)}
	found = found[:min(len(found), shown)]
	var users []int64
	for _, f := range found {
		if f.Of == traffic.OfUser {
			users = append(users, f.ID)
		}
	}
	emails, err := a.Accounts.Emails(ctx, users)
	if err != nil {
		return err
	}
	nodes, err := a.Nodes.List(ctx)
	if err != nil {
		return err
	}
	names := map[int64]string{}
	for _, n := range nodes {
		names[n.ID] = n.Name
	}
	for _, f := range found {
		one := mail.TrafficAnomaly{Day: f.Day.Format(time.DateOnly), ID: f.ID, Bytes: f.Bytes, Usual: f.Usual}
		one.IsInterface = f.Of == traffic.OfInterface
		if one.IsNode = f.Of != traffic.OfUser; one.IsNode {
			one.Name = names[f.ID]
		} else {
			one.Name = emails[f.ID]
		}
		content.Days = append(content.Days, one)
	}
	return a.notifyStaff(ctx, tx, permission.TrafficRead, content)
}

// notifyPaymentCase notifies the staff for payments of one that they have to decide on.
func (a *App) notifyPaymentCase(ctx context.Context, tx bun.Tx, c *payment.Case) error {
	return a.notifyStaff(ctx, tx, permission.CaseDecide, mail.PaymentCase{
		At: c.CreatedAt, No: c.ID, Gateway: c.Gateway, TransactionID: c.TransactionID, Amount: c.Amount,
		Currency: c.Currency,
		Doubled:  c.Kind == payment.PaidTwice,
	})
}

// notifyAuditFault notifies staff that the audit log was tampered with.
func (a *App) notifyAuditFault(ctx context.Context, tx bun.Tx) error {
	return a.notifyStaff(ctx, tx, permission.AuditRead, mail.AuditFault{At: a.DB.Now()})
}

// notifyTicket tells the other side of a ticket about a message. Of several that come one after the other, before the
// user reads or staff answers, each channel tells of one.
func (a *App) notifyTicket(ctx context.Context, tx bun.Tx, n ticket.Notice) ([]notify.Channel, error) {
	if err := a.Telegram.NoteMessage(ctx, tx, n.Message); err != nil {
		return nil, err
	}
	if !n.Message.ByStaff {
		return a.notifyStaffExcept(ctx, tx, permission.TicketAnswer, mail.TicketWaiting{
			No: n.Ticket.ID, Title: n.Ticket.Title, Text: n.Message.Text(),
			Opened: n.Message.ID == n.Ticket.FirstMessageID,
		}, n.Notified)
	}
	users, err := a.Accounts.Users(ctx, tx, []int64{n.Ticket.UserID})
	if err != nil {
		return nil, err
	}
	return a.Accounts.NotifyExcept(ctx, tx, n.Ticket.UserID, mail.TicketAnswered{
		No: n.Ticket.ID, Title: n.Ticket.Title, Text: n.Message.Text(),
		ReplyTo: a.Mailbox.ReplyAddress(&n.Ticket, users[n.Ticket.UserID].Email),
		Thread:  "ticket." + n.Ticket.UUID.String() + "@" + a.Mails.Host(),
	}, n.Notified)
}

// notifyPayment tells a user that their payment arrived.
func (a *App) notifyPayment(ctx context.Context, tx bun.Tx, r *wallet.Recharge) error {
	return a.Accounts.Notify(ctx, tx, r.UserID, mail.PaymentReceived{Amount: r.Amount, Currency: r.Currency})
}

// notifyOrder tells a user of an order that staff made for them to pay.
func (a *App) notifyOrder(ctx context.Context, tx bun.Tx, userID, orderID int64) error {
	o, err := a.Shop.OrderIn(ctx, tx, userID, strconv.FormatInt(orderID, 10))
	if err != nil || o.RechargeID == nil { // nothing is left to pay
		return err
	}
	return a.Accounts.Notify(ctx, tx, userID, mail.OrderAssigned{
		No: o.ID, Item: o.Terms.NameIn(o.Terms.Lang), Amount: o.Amount, Currency: o.Currency, Until: o.ExpiresAt,
		Recharge: *o.RechargeID,
	})
}

// notifyPayout tells a user what became of the payout that they asked for.
func (a *App) notifyPayout(ctx context.Context, tx bun.Tx, p *invite.Payout) error {
	return a.Accounts.Notify(ctx, tx, p.UserID, mail.PayoutDecided{
		Amount: p.Amount, Currency: a.Settings.Get().Currency, Paid: p.State == invite.PayoutPaid, Answer: p.Answer,
	})
}

// bot tells users notices by Telegram.
type bot struct{ *telegram.Bot }

// Tell has the bot say text; under an answer to a ticket there is a button to answer it.
func (b bot) Tell(ctx context.Context, tx bun.Tx, to notify.User, content mail.Content, text string) error {
	if t, ok := content.(mail.TicketAnswered); ok {
		text = strings.TrimSpace(strings.TrimPrefix(text, mail.ReplyMark)) // here the bot takes answers
		return b.NotifyOfTicket(ctx, tx, *to.TelegramID, t.No, text, to.Lang)
	}
	return b.Notify(ctx, tx, *to.TelegramID, text)
}
