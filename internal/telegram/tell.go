package telegram

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
	"airstrip/internal/secret"
)

const tellKind = "telegram.tell"

// told is something that the bot says without being asked.
type told struct {
	TelegramID int64
	Text       string
}

// Tell has the bot say text to somebody who linked their Telegram account, after the commit of tx. Where the site has no
// bot by then nothing is said.
func (b *Bot) Tell(ctx context.Context, tx bun.Tx, telegramID int64, text string) error {
	return job.Add(ctx, tx, b.db.Now(), tellKind, told{telegramID, text}, job.Options{})
}

// RegisterTelling lets q say what Tell was given.
func (b *Bot) RegisterTelling(q *job.Queue) { job.Handle(q, tellKind, b.tell) }

func (b *Bot) tell(ctx context.Context, t told) error {
	token, err := b.secrets.Get(ctx, secret.TelegramToken)
	if err != nil || token == "" {
		return err
	}
	err = b.ask(ctx, token, send(t.TelegramID, t.Text), nil)
	if no := new(refusal); errors.As(err, &no) && (no.Code == http.StatusBadRequest || no.Code == http.StatusForbidden) {
		slog.WarnContext(ctx, "the Telegram bot may not speak to somebody", "telegram_id", t.TelegramID, "error", err) // who blocked it will not hear it later either
		return nil
	}
	return err
}
