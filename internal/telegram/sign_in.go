package telegram

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/token"
)

const signInLife = 5 * time.Minute

// Faults of sign-ins.
var (
	ErrLoginCode = fault.Unauthorized("login_code_invalid", "登录请求无效、已使用或已过期，请重新获取二维码",
		"This sign-in is not valid, was used or is too old; please get another code")
	ErrNotConfirmed = fault.Conflict("login_code_waiting", "尚未在 Telegram 中确认登录",
		"The sign-in was not confirmed in Telegram yet")
	ErrDenied = fault.Forbidden("login_code_denied", "登录请求已在 Telegram 中被拒绝",
		"The sign-in was refused in Telegram")
)

// signIn is a sign-in that a page began.
type signIn struct {
	bun.BaseModel `bun:"table:telegram_sign_in"`
	ID            uuid.UUID `bun:",pk"`
	Number        int
	IP            string
	UserAgent     string
	TelegramID    *int64
	CreatedAt     time.Time
	ExpiresAt     time.Time
	ConfirmedAt   *time.Time
	DeniedAt      *time.Time
	UsedAt        *time.Time
}

// State is how far a sign-in has come.
type State string

// The states. A page that waits sees them in this order; the last three are ends.
const (
	Waiting   State = "waiting"   // the link was not opened yet
	Opened    State = "opened"    // the bot asks
	Confirmed State = "confirmed" // SignIn gives the tokens
	Denied    State = "denied"
	Over      State = "over" // used, or too old
)

func (s signIn) state(now time.Time) State {
	switch {
	case s.DeniedAt != nil:
		return Denied
	case s.UsedAt != nil || !now.Before(s.ExpiresAt):
		return Over
	case s.ConfirmedAt != nil:
		return Confirmed
	case s.TelegramID != nil:
		return Opened
	}
	return Waiting
}

// Begun is a sign-in that waits: Secret stays with the page, the link is for the person's Telegram, and the number is
// shown by both.
type Begun struct {
	Secret    string // a login_code token
	Link      string
	Number    int
	BotName   string
	ExpiresAt time.Time
}

// Begin makes a sign-in that waits to be confirmed, or answers ErrNoBot.
func (b *Bot) Begin(ctx context.Context, from account.Client) (Begun, error) {
	me := b.self.Load()
	if me == nil {
		return Begun{}, ErrNoBot
	}
	if err := b.networks.Allow(limit.Network(from.IP)); err != nil {
		return Begun{}, err
	}
	n, err := rand.Int(rand.Reader, big.NewInt(90))
	if err != nil {
		return Begun{}, err
	}
	now := b.db.Now()
	s := signIn{
		ID: uuid.New(), Number: 10 + int(n.Int64()), IP: from.IP.String(), UserAgent: account.ShortUserAgent(from),
		CreatedAt: now, ExpiresAt: now.Add(signInLife),
	}
	code := b.code(toSignIn, s.ID)
	jwt, err := b.tokens.Sign(token.NewLoginCode(s.ID, now, signInLife, token.SubjectLoginCode{TgLoginToken: code}))
	if err != nil {
		return Begun{}, err
	}
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&s).Exec(ctx)
		return err
	})
	return Begun{jwt, b.link(code), s.Number, me.name, s.ExpiresAt}, err
}

// State tells the page that holds the token how far its sign-in is.
func (b *Bot) State(ctx context.Context, loginCode string) (State, error) {
	id, err := b.verify(ctx, loginCode)
	if errors.Is(err, ErrLoginCode) {
		return Over, nil
	}
	if err != nil {
		return "", err
	}
	if err := b.pages.Allow(id.String()); err != nil {
		return "", err
	}
	s, err := find(ctx, b.db, id)
	if errors.Is(err, db.ErrNoRows) {
		return Over, nil
	}
	return s.state(b.db.Now()), err
}

// SignIn begins a session for the page that holds the token once its sign-in was confirmed: once, and after the second
// factor where the user has one. ErrNotConfirmed, ErrDenied, ErrLoginCode.
func (b *Bot) SignIn(
	ctx context.Context, loginCode, twoFactor string, remember bool, from account.Client,
) (account.Grant, error) {
	id, err := b.verify(ctx, loginCode)
	if err != nil {
		return account.Grant{}, err
	}
	if err := b.pages.Allow(id.String()); err != nil {
		return account.Grant{}, err
	}
	g, err := b.accounts.SignIns.ByTelegram(ctx, twoFactor, remember, from,
		func(ctx context.Context, tx bun.Tx) (int64, error) {
			now := b.db.Now()
			n, err := db.Changed(tx.NewUpdate().Model((*signIn)(nil)).Set("used_at = ?", now).
				Where("id = ? AND confirmed_at IS NOT NULL AND used_at IS NULL AND expires_at > ?", id, now).Exec(ctx))
			if err != nil {
				return 0, err
			}
			s, err := find(ctx, tx, id)
			switch {
			case errors.Is(err, db.ErrNoRows):
				return 0, ErrLoginCode
			case err != nil:
				return 0, err
			case n == 1:
				return *s.TelegramID, nil
			}
			switch s.state(now) {
			case Denied:
				return 0, ErrDenied
			case Over:
				return 0, ErrLoginCode
			}
			return 0, ErrNotConfirmed
		})
	if errors.Is(err, account.ErrNoUser) { // unlinked meanwhile
		err = ErrLoginCode.Because(err)
	}
	return g, err
}

// SignInByNumber is SignIn for programs that show the number, too.
func (b *Bot) SignInByNumber(
	ctx context.Context, loginCode string, number int, twoFactor string, remember bool, from account.Client,
) (account.Grant, error) {
	id, err := b.verify(ctx, loginCode)
	if err != nil {
		return account.Grant{}, err
	}
	s, err := find(ctx, b.db, id)
	if errors.Is(err, db.ErrNoRows) || (err == nil && s.Number != number) {
		err = ErrLoginCode
	}
	if err != nil {
		return account.Grant{}, err
	}
	return b.SignIn(ctx, loginCode, twoFactor, remember, from)
}

func (b *Bot) verify(ctx context.Context, loginCode string) (uuid.UUID, error) {
	claims, err := b.tokens.Verify(ctx, loginCode, token.LoginCode)
	if errors.Is(err, token.ErrInvalid) {
		err = ErrLoginCode.Because(err)
	}
	return claims.ID, err
}

func find(ctx context.Context, idb bun.IDB, id uuid.UUID) (s signIn, err error) {
	err = idb.NewSelect().Model(&s).Where("id = ?", id).Scan(ctx)
	return s, err
}

// open notes who opened the link of a sign-in, and gives it; false where it cannot be confirmed by them any more.
func (b *Bot) open(ctx context.Context, tx bun.Tx, id uuid.UUID, telegramID int64) (s signIn, ok bool, err error) {
	n, err := db.Changed(tx.NewUpdate().Model((*signIn)(nil)).Set("telegram_id = ?", telegramID).
		Where("id = ? AND expires_at > ? AND (telegram_id IS NULL OR telegram_id = ?)", id, b.db.Now(), telegramID).
		Where("confirmed_at IS NULL AND denied_at IS NULL").Exec(ctx))
	if err != nil || n == 0 {
		return s, false, err
	}
	s, err = find(ctx, tx, id)
	return s, true, err
}

// decide confirms or denies a sign-in for the Telegram account that opened it; false where there is nothing to decide.
func (b *Bot) decide(ctx context.Context, tx bun.Tx, id uuid.UUID, telegramID int64, confirm bool) (bool, error) {
	now := b.db.Now()
	q := tx.NewUpdate().Model((*signIn)(nil)).
		Where("id = ? AND telegram_id = ? AND expires_at > ?", id, telegramID, now).
		Where("confirmed_at IS NULL AND denied_at IS NULL")
	if confirm {
		q.Set("confirmed_at = ?", now)
	} else {
		q.Set("denied_at = ?", now)
	}
	n, err := db.Changed(q.Exec(ctx))
	return n == 1, err
}
