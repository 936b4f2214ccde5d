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
	SessionID     uuid.UUID // that asked for it
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

// Link tells which Telegram account a user has linked.
func (b *Bot) Link(ctx context.Context, userID int64) (Link, error) {
	u, err := b.accounts.User(ctx, userID)
	return Link{BotName: b.Name(), TelegramID: u.TelegramID}, err
}

// BeginLink gives the caller, who shows the password and, where it is on, the second factor, a way to link a Telegram
// account, since that account can sign in from then on. A way that was given before is void. ErrNoBot,
// ErrTelegramLinked; wrong input is named password, code.
func (b *Bot) BeginLink(
	ctx context.Context, who account.Identity, password, code string, from account.Client,
) (Link, error) {
	out, err := b.Link(ctx, who.UserID)
	switch {
	case err != nil:
		return out, err
	case out.BotName == "":
		return out, ErrNoBot
	case out.TelegramID != nil:
		return out, account.ErrTelegramLinked
	}
	now := b.db.Now()
	c := linkCode{
		AccountID: who.UserID, ID: uuid.New(), IP: from.IP.String(), UserAgent: account.ShortUserAgent(from),
		SessionID: who.SessionID,
		CreatedAt: now, ExpiresAt: now.Add(linkLife),
	}
	err = b.accounts.Credentials.Prove(ctx, who, password, code, from, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&c).On("CONFLICT (account_id) DO UPDATE").Set("id = EXCLUDED.id").
			Set("ip = EXCLUDED.ip").
			Set("user_agent = EXCLUDED.user_agent").Set("session_id = EXCLUDED.session_id").
			Set("created_at = EXCLUDED.created_at").Set("expires_at = EXCLUDED.expires_at").Exec(ctx)
		return err
	})
	if err != nil {
		return out, err
	}
	out.Address, out.ExpiresAt = b.link(b.code(toLink, c.ID)), &c.ExpiresAt
	out.Token, err = b.tokens.Sign(token.NewUserLinkTg(c.ID, c.CreatedAt, linkLife,
		token.SubjectUserLinkTg{UserID: who.UserID}))
	return out, err
}

// Unlink frees the caller's Telegram account.
func (b *Bot) Unlink(ctx context.Context, who account.Identity, from account.Client) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return b.accounts.Credentials.UnlinkTelegram(ctx, tx, who.UserID, who.SessionID, from)
	})
}

// voidCodes deletes a user's link code, and the sign-ins that the user's Telegram account confirmed and no page has
// used yet, as part of the transaction that changes what opens the account.
func (b *Bot) voidCodes(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := tx.NewRaw(`DELETE FROM telegram_sign_in WHERE used_at IS NULL
		AND telegram_id = (SELECT telegram_id FROM account WHERE id = ?)`, userID).Exec(ctx); err != nil {
		return err
	}
	return b.voidLinkCode(ctx, tx, userID)
}

// Close deletes a user's code as part of tx, so that it opens nothing of an account that is closed, and the topics
// of their tickets.
func (b *Bot) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	if err := b.voidLinkCode(ctx, tx, userID); err != nil {
		return err
	}
	return b.removeTopics(ctx, tx, userID)
}

func (b *Bot) voidLinkCode(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewDelete().Model((*linkCode)(nil)).Where("account_id = ?", userID).Exec(ctx)
	return err
}

// consumeLink links a Telegram account to the user whose code it is; the change of credentials voids the code. False
// where it is too old or used.
func (b *Bot) consumeLink(
	ctx context.Context, tx bun.Tx, id uuid.UUID, telegramID int64,
) (userID int64, ok bool, err error) {
	var c linkCode
	err = tx.NewSelect().Model(&c).Where("id = ? AND expires_at > ?", id, b.db.Now()).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	ip, _ := netip.ParseAddr(c.IP) // the zero Addr where it is not known
	if err := b.accounts.Credentials.LinkTelegram(ctx, tx, c.AccountID, telegramID, c.SessionID,
		account.Client{IP: ip, UserAgent: c.UserAgent}); err != nil {
		return 0, false, err
	}
	return c.AccountID, true, nil
}
