package ticket

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/notify"
)

// sentNotice is the newest message of a ticket of which a channel notified one of its sides. Each channel has its own,
// so that one which was off when a message came notifies of the next.
type sentNotice struct {
	bun.BaseModel `bun:"table:ticket_notice"`
	TicketID      int64          `bun:",pk"`
	ToStaff       bool           `bun:",pk"`
	Channel       notify.Channel `bun:",pk"`
	MessageID     int64
}

// notify notifies the other side of a message, by the channels that sent it no notice since it read or answered.
func (t *Tickets) notify(ctx context.Context, tx bun.Tx, n Notice) error {
	toStaff := !n.Message.ByStaff
	seen := n.Ticket.UserReadID
	if toStaff {
		seen = n.Ticket.LastAnswerID
	}
	if err := tx.NewSelect().Model((*sentNotice)(nil)).Column("channel").
		Where("ticket_id = ? AND to_staff = ? AND message_id > ?", n.Ticket.ID, toStaff, seen).Order("channel").
		Scan(ctx, &n.Notified); err != nil {
		return err
	}
	queued, err := t.onMessage(ctx, tx, n)
	if err != nil || len(queued) == 0 {
		return err
	}
	rows := make([]sentNotice, len(queued))
	for i, by := range queued {
		rows[i] = sentNotice{TicketID: n.Ticket.ID, ToStaff: toStaff, Channel: by, MessageID: n.Message.ID}
	}
	_, err = tx.NewInsert().Model(&rows).On("CONFLICT (ticket_id, to_staff, channel) DO UPDATE").
		Set("message_id = EXCLUDED.message_id").Exec(ctx)
	return err
}

// forgetSentNotices makes every channel notify one side of the tickets of their next message.
func forgetSentNotices(ctx context.Context, tx bun.Tx, toStaff bool, ticketIDs ...int64) error {
	_, err := tx.NewDelete().Model((*sentNotice)(nil)).
		Where("ticket_id IN (?) AND to_staff = ?", bun.List(ticketIDs), toStaff).Exec(ctx)
	return err
}
