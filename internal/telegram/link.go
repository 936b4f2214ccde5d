package telegram

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/token"
)

const linkLife = 10 * time.Minute

// linkCode is a user's wish to link the Telegram account that shows it.
type linkCode struct {
	bun.BaseModel `bun:"table:telegram_link_code"`
	AccountID     int64 `bun:",pk"`
	ID            uuid.UUID
	IP            string
	UserAgent     string
	CreatedAt     time.Time
	ExpiresAt     time.Time
}

// Link is a user's Telegram account, or the way to link one.
type Link struct {
	BotName    string     // empty: there is no bot
	TelegramID *int64     // nil: none is linked, and the rest says how to
	Address    string     // opens the bot, which links who presses Start
	Token      string     // user_link_tg, for the bot's /link where addresses do not open it
	ExpiresAt  *time.Time // of address and token
}

// Link tells which Telegram account a user has linked. Where it is none and there is a bot, it gives a way to link one:
// the same for a while, so that two tabs do not undo each other's.
func (b *Bot) Link(ctx context.Context, userID int64, from account.Client) (Link, error) {
	u, err := b.accounts.User(ctx, userID)
	out := Link{BotName: b.Name(), TelegramID: u.TelegramID}
	if err != nil || u.TelegramID != nil || out.BotName == "" {
		return out, err
	}
	c, err := b.linkCode(ctx, userID, from)
	if err != nil {
		return out, err
	}
	out.Address, out.ExpiresAt = b.link(b.code(toLink, c.ID)), &c.ExpiresAt
	out.Token, err = b.tokens.Sign(token.NewUserLinkTg(c.ID, c.CreatedAt, linkLife, token.SubjectUserLinkTg{UserID: userID}))
	return out, err
}

// linkCode gives the user's code, a new one where it has used up half its life.
func (b *Bot) linkCode(ctx context.Context, userID int64, from account.Client) (c linkCode, err error) {
	fresh := b.db.Now().Add(linkLife / 2)
	err = b.db.NewSelect().Model(&c).Where("account_id = ? AND expires_at > ?", userID, fresh).Scan(ctx)
	if !errors.Is(err, db.ErrNoRows) {
		return c, err
	}
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := b.db.Now()
		c = linkCode{AccountID: userID, ID: uuid.New(), IP: from.IP.String(), UserAgent: account.ShortUserAgent(from), CreatedAt: now, ExpiresAt: now.Add(linkLife)}
		_, err := tx.NewRaw(`INSERT INTO telegram_link_code AS c (account_id, id, ip, user_agent, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (account_id) DO UPDATE SET id = EXCLUDED.id, ip = EXCLUDED.ip, user_agent = EXCLUDED.user_agent,
				created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at
			WHERE c.expires_at <= ?`, c.AccountID, c.ID, c.IP, c.UserAgent, c.CreatedAt, c.ExpiresAt, fresh).Exec(ctx)
		if err != nil {
			return err
		}
		return tx.NewSelect().Model(&c).Where("account_id = ?", userID).Scan(ctx) // another tab's, where that was faster
	})
	return c, err
}

// Unlink frees the user's Telegram account.
func (b *Bot) Unlink(ctx context.Context, userID int64, from account.Client) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return b.accounts.UnlinkTelegram(ctx, tx, userID, from) })
}

// Close takes a user's code away as part of tx, so that it opens nothing of an account that is closed.
func (b *Bot) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewDelete().Model((*linkCode)(nil)).Where("account_id = ?", userID).Exec(ctx)
	return err
}

// takeLink links a Telegram account to the user whose code it is, and uses the code up; false where it is too old or used.
func (b *Bot) takeLink(ctx context.Context, tx bun.Tx, id uuid.UUID, telegramID int64) (userID int64, ok bool, err error) {
	var c linkCode
	err = tx.NewSelect().Model(&c).Where("id = ? AND expires_at > ?", id, b.db.Now()).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	ip, _ := netip.ParseAddr(c.IP) // the zero Addr where it is not known
	if err := b.accounts.LinkTelegram(ctx, tx, c.AccountID, telegramID, account.Client{IP: ip, UserAgent: c.UserAgent}); err != nil {
		return 0, false, err
	}
	_, err = tx.NewDelete().Model(&c).WherePK().Exec(ctx)
	return c.AccountID, true, err
}
