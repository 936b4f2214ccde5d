package telegram

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/secret"
)

const noticeKind = "telegram.tell"

// notice is a message that the bot sends by itself.
type notice struct {
	TelegramID int64
	Text       string
	TicketNo   int64  `json:",omitempty"` // the ticket that it is about; 0: none
	Open       string `json:",omitempty"` // texts of the buttons that go with a ticket
	Answer     string `json:",omitempty"`
}

// Notify queues text for somebody who linked their Telegram account; the bot sends it after the commit of tx. Where the
// site has no bot by then nothing is sent.
func (b *Bot) Notify(ctx context.Context, tx bun.Tx, telegramID int64, text string) error {
	return job.Add(ctx, tx, b.db.Now(), noticeKind, notice{TelegramID: telegramID, Text: text}, job.Options{})
}

// NotifyOfTicket is Notify of an answer to a ticket of the person: they can answer it there.
func (b *Bot) NotifyOfTicket(ctx context.Context, tx bun.Tx, telegramID, ticketNo int64, text string,
	lang fault.Lang,
) error {
	return job.Add(ctx, tx, b.db.Now(), noticeKind, notice{
		TelegramID: telegramID, Text: ticketMark(ticketNo) + "\n" + text, TicketNo: ticketNo,
		Open: buttonOpenTicket.In(lang), Answer: buttonAnswer.In(lang),
	}, job.Options{})
}

// RegisterNotices lets q send what Notify and NotifyOfTicket queued, and remove topics.
func (b *Bot) RegisterNotices(q *job.Queue) {
	job.Handle(q, noticeKind, b.sendNotice)
	job.Handle(q, removeTopicKind, b.removeTopic)
}

func (b *Bot) sendNotice(ctx context.Context, t notice) error {
	token, err := b.secrets.Get(ctx, secret.TelegramToken)
	if err != nil || token == "" {
		return err
	}
	var rows [][]button
	if t.TicketNo != 0 {
		rows = [][]button{{
			{Text: t.Answer, Data: pressAnswer + " " + strconv.FormatInt(t.TicketNo, 10)},
			{Text: t.Open, URL: b.ticketURL(t.TicketNo)},
		}}
	}
	err = b.askPatiently(ctx, token, send(t.TelegramID, t.Text, rows...), nil)
	if no := new(refusal); errors.As(err, &no) &&
		(no.Code == http.StatusBadRequest || no.Code == http.StatusForbidden) {
		// who blocked it will not hear it later either
		slog.WarnContext(ctx, "the Telegram bot may not speak to somebody", "telegram_id", t.TelegramID, "error", err)
		return nil
	}
	return err
}

// NoticesDue counts what the bot could say by now and has not said, up to most.
func (b *Bot) NoticesDue(ctx context.Context, most int64) (int64, error) {
	return job.Due(ctx, b.db, noticeKind, most)
}

// Configured tells whether the site has a bot.
func (b *Bot) Configured(ctx context.Context) (bool, error) {
	token, err := b.secrets.Get(ctx, secret.TelegramToken)
	return token != "", err
}
