package telegram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/secret"
)

const (
	pollTime  = 10 * time.Second // for which Telegram holds a question for updates while there are none
	pollLease = 30 * time.Second // in which a process that polls says again that it does
	pause     = 5 * time.Second  // between looks at the token and the setting, and after a failure
	leaveFor  = 5 * time.Second  // to give the right to poll back; without that the lease ends it
	patience  = 5                // tries to handle an update, so that none stands in the way of all others for ever
)

// wanted are the kinds of updates that the bot asks for.
var wanted = []string{"message", "callback_query"}

// Run keeps the bot on duty until ctx ends: it follows the token and the setting, and polls for updates where the
// setting says so. Of several processes one polls.
func (b *Bot) Run(ctx context.Context) {
	var d duty
	for ctx.Err() == nil {
		err := b.turn(ctx, &d)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			slog.WarnContext(ctx, "the Telegram bot could not work", "error", err)
		}
		if err == nil && d.polling {
			continue // Telegram has kept us waiting
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	b.leave(ctx, d)
}

// duty is what Run remembers from turn to turn.
type duty struct {
	announced string // token and way of updates that Telegram knows of
	polling   bool
	next      int64 // the update to ask for; 0: all that Telegram still has
	failures  int   // of the first update that Telegram still has
}

func (b *Bot) turn(ctx context.Context, d *duty) error {
	d.polling = false
	me, err := b.learn(ctx)
	if err != nil || me == nil {
		return err
	}
	way := b.settings.Get().TelegramUpdates
	if d.announced != me.token+way {
		if err := b.announce(ctx, me, way); err != nil {
			return err
		}
		d.announced, d.next = me.token+way, 0
	}
	if way != "poll" {
		return nil
	}
	if d.polling, err = b.hold(ctx, me.id); err != nil || !d.polling {
		d.next = 0 // somebody else goes on from here
		return err
	}
	return b.poll(ctx, me, d)
}

// learn gives the bot whose token is set, nil where none is.
func (b *Bot) learn(ctx context.Context) (*self, error) {
	token, err := b.secrets.Get(ctx, secret.TelegramToken)
	if err != nil {
		return nil, err
	}
	me := b.self.Load()
	if token == "" {
		b.self.Store(nil)
		return nil, nil
	}
	if me != nil && me.token == token {
		return me, nil
	}
	b.self.Store(nil)
	var p person
	if err := b.ask(ctx, token, call{"getMe", nil}, &p); err != nil {
		return nil, err
	}
	me = &self{token, p.ID, p.Username}
	b.self.Store(me)
	slog.InfoContext(ctx, "the Telegram bot is on duty", "bot", p.Username)
	return me, nil
}

// announce tells Telegram how updates come, and which commands there are. Doing it twice changes nothing.
func (b *Bot) announce(ctx context.Context, me *self, way string) error {
	updates := call{"deleteWebhook", nil}
	if way == "webhook" {
		updates = call{"setWebhook", map[string]any{
			"url": b.site + "/v1/telegram/webhook", "secret_token": b.webhookSecret(me), "allowed_updates": wanted,
		}}
	}
	calls := []call{
		updates,
		{"setMyCommands", map[string]any{"commands": commands(fault.EN)}},
		{"setMyCommands", map[string]any{"commands": commands(fault.ZH), "language_code": "zh"}},
	}
	for _, c := range calls {
		if err := b.ask(ctx, me.token, c, nil); err != nil {
			return err
		}
	}
	return nil
}

// poll asks once for updates and handles those that came.
func (b *Bot) poll(ctx context.Context, me *self, d *duty) error {
	params := map[string]any{"timeout": int(pollTime.Seconds()), "allowed_updates": wanted}
	if d.next > 0 {
		params["offset"] = d.next
	}
	var updates []update
	if err := b.ask(ctx, me.token, call{"getUpdates", params}, &updates); err != nil {
		return err
	}
	for _, u := range updates {
		err := b.handle(ctx, me, u)
		if d.failures++; err != nil && d.failures < patience {
			return err // what is not confirmed comes again
		}
		if err != nil {
			slog.ErrorContext(ctx, "a Telegram update cannot be handled and is left out", "update", u.ID, "error", err)
			if err := b.take(ctx, me, u, nothing); err != nil {
				return err
			}
		}
		d.next, d.failures = u.ID+1, 0
	}
	return nil
}

// handler does what an update asks for as part of tx and gives what to say.
type handler func(ctx context.Context, tx bun.Tx, u update) ([]call, error)

func nothing(context.Context, bun.Tx, update) ([]call, error) { return nil, nil }

// handle handles an update. What is about tickets is done first, in transactions of the tickets' own that are keyed by
// the update: where one comes again they change nothing.
func (b *Bot) handle(ctx context.Context, me *self, u update) error {
	calls, isAboutTicket, err := b.aboutTicket(ctx, me, u)
	if err != nil {
		return err
	}
	if !isAboutTicket {
		return b.take(ctx, me, u, b.answer)
	}
	return b.take(ctx, me, u, func(context.Context, bun.Tx, update) ([]call, error) { return calls, nil })
}

// wasHandled tells whether an update was handled before.
func (b *Bot) wasHandled(ctx context.Context, me *self, u update) (was bool, err error) {
	err = b.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM telegram_update WHERE bot_id = ? AND update_id = ?)`, me.id, u.ID).
		Scan(ctx, &was)
	return was, err
}

// take handles an update, unless it was handled before: what it changes and that it was handled is one transaction. The
// bot answers after it; an answer that is lost is not repeated, since the person can ask again.
func (b *Bot) take(ctx context.Context, me *self, u update, handle handler) error {
	var answers []call
	err := b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		answers = nil
		n, err := db.Changed(tx.NewRaw(`INSERT INTO telegram_update (bot_id, update_id, at) VALUES (?, ?, ?)
			ON CONFLICT DO NOTHING`, me.id, u.ID, b.db.Now()).Exec(ctx))
		if err != nil || n == 0 {
			return err
		}
		answers, err = handle(ctx, tx, u)
		return err
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for _, c := range answers {
		if err := b.askPatiently(ctx, me.token, c, nil); err != nil {
			slog.WarnContext(ctx, "the Telegram bot could not answer", "error", err)
		}
	}
	return nil
}

// ErrWebhook is the error of Webhook for a caller that is not Telegram, or updates that are not asked for that way.
var ErrWebhook = errors.New("telegram: the secret of the webhook is wrong")

// Webhook handles an update that Telegram sends, with what stands in the header X-Telegram-Bot-Api-Secret-Token.
func (b *Bot) Webhook(ctx context.Context, secretToken string, body []byte) error {
	me := b.self.Load()
	if me == nil || b.settings.Get().TelegramUpdates != "webhook" ||
		!hmac.Equal([]byte(secretToken), []byte(b.webhookSecret(me))) {
		return ErrWebhook
	}
	var u update
	if err := json.Unmarshal(body, &u); err != nil {
		slog.WarnContext(ctx, "Telegram sent an update that cannot be read", "error", err)
		return nil // it would only come again
	}
	return b.handle(ctx, me, u)
}

func (b *Bot) webhookSecret(me *self) string {
	mac := hmac.New(sha256.New, b.key.For("telegram webhook"))
	mac.Write([]byte(me.token))
	return hex.EncodeToString(mac.Sum(nil))
}

// hold takes or keeps the right to poll, which another process may have. A lease that ends later than any can was
// written while the clock was ahead.
func (b *Bot) hold(ctx context.Context, botID int64) (held bool, err error) {
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := b.db.Now()
		n, err := db.Changed(tx.NewRaw(`INSERT INTO telegram_poller AS p (bot_id, process, until) VALUES (?, ?, ?)
			ON CONFLICT (bot_id) DO UPDATE SET process = EXCLUDED.process, until = EXCLUDED.until
			WHERE p.process = EXCLUDED.process OR p.until <= ? OR p.until > ?`,
			botID, b.process, now.Add(pollLease), now, now.Add(pollLease+clock.Tolerance)).Exec(ctx))
		held = n == 1
		return err
	})
	return held, err
}

// leave gives the right to poll back.
func (b *Bot) leave(ctx context.Context, d duty) {
	me := b.self.Load()
	if me == nil || d.announced == "" {
		return
	}
	ctx, cancel := detached.WithTimeout(ctx, leaveFor)
	defer cancel()
	_ = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { // else the lease frees it
		_, err := tx.NewRaw(`DELETE FROM telegram_poller WHERE bot_id = ? AND process = ?`, me.id, b.process).Exec(ctx)
		return err
	})
}
