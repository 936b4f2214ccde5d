package account

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Faults of Telegram accounts.
var (
	ErrTelegramTaken  = fault.Conflict("telegram_taken", "该 Telegram 账号已绑定其他用户，请先解除绑定", "This Telegram account is linked to another user; please unlink it there first")
	ErrTelegramLinked = fault.Conflict("telegram_linked", "你已绑定一个 Telegram 账号，请先解除绑定", "You have linked a Telegram account already; please unlink it first")
	ErrTelegramFree   = fault.Conflict("telegram_not_linked", "没有绑定 Telegram 账号", "No Telegram account is linked")
)

// ByTelegram gives the user whom this Telegram account is linked to, or ErrNoUser.
func (a *Accounts) ByTelegram(ctx context.Context, telegramID int64) (User, error) {
	r, err := find(ctx, a.db, "telegram_id = ?", telegramID)
	return r.User, err
}

// ProveOwner tells whether the caller shows the account's password and, where it is on, the second factor; then runs in
// the same transaction. Wrong input is named password, code.
func (a *Accounts) ProveOwner(ctx context.Context, who Identity, password, code string, from Client, then func(context.Context, bun.Tx) error) error {
	u, err := a.User(ctx, who.UserID)
	if err != nil {
		return err
	}
	return atFields(a.prove(ctx, u.Email, password, a.second(code, from.within(who)), from.within(who), func(ctx context.Context, tx bun.Tx, _ row) error {
		return then(ctx, tx)
	}), "password", "code")
}

// LinkTelegram links a Telegram account to a user as part of tx: ErrTelegramTaken where it is another user's,
// ErrTelegramLinked where the user has another one. The session keep, which asked for it, goes on; all others end, and so
// do all API tokens.
func (a *Accounts) LinkTelegram(ctx context.Context, tx bun.Tx, userID, telegramID int64, keep uuid.UUID, from Client) error {
	switch r, err := find(ctx, tx, "telegram_id = ?", telegramID); {
	case err == nil && r.ID == userID:
		return nil
	case err == nil:
		return ErrTelegramTaken
	case !errors.Is(err, ErrNoUser):
		return err
	}
	n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("telegram_id = ?", telegramID).Where("id = ? AND telegram_id IS NULL", userID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrTelegramLinked
	}
	if err != nil {
		return err
	}
	return a.changeTelegram(ctx, tx, userID, TelegramLinked, keep, from)
}

// UnlinkTelegram frees the user's Telegram account as part of tx, or answers ErrTelegramFree. The session keep goes on; all
// others end, and so do all API tokens.
func (a *Accounts) UnlinkTelegram(ctx context.Context, tx bun.Tx, userID int64, keep uuid.UUID, from Client) error {
	n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("telegram_id = NULL").Where("id = ? AND telegram_id IS NOT NULL", userID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrTelegramFree
	}
	if err != nil {
		return err
	}
	return a.changeTelegram(ctx, tx, userID, TelegramUnlinked, keep, from)
}

func (a *Accounts) changeTelegram(ctx context.Context, tx bun.Tx, userID int64, kind ActivityKind, keep uuid.UUID, from Client) error {
	r, err := find(ctx, tx, "id = ?", userID)
	if err != nil {
		return err
	}
	return a.changeCredentials(ctx, tx, r, credentialChange{kind: kind, keep: keep, content: a.securityMail(kind, "", from)}, from)
}

// SignInByTelegram begins a session for the user of the Telegram account that use names, in the transaction in which it
// uses the confirmation up. The second factor is asked for as by SignIn, and until it is right nothing is used up.
// ErrNoUser: the account is no longer linked.
func (a *Accounts) SignInByTelegram(ctx context.Context, twoFactor string, remember bool, from Client, use func(context.Context, bun.Tx) (telegramID int64, err error)) (g Grant, err error) {
	peeked := errors.New("only to see whose it is")
	whose := func(ctx context.Context, tx bun.Tx) (r row, err error) {
		var telegramID int64
		err = tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
			if telegramID, err = use(ctx, tx); err == nil {
				err = peeked
			}
			return err
		})
		if !errors.Is(err, peeked) {
			return r, err
		}
		return find(ctx, tx, "telegram_id = ?", telegramID)
	}
	err = a.holdingAccount(ctx, twoFactor, from, whose, func(ctx context.Context, tx bun.Tx) error {
		telegramID, err := use(ctx, tx)
		if err != nil {
			return err
		}
		r, err := find(ctx, tx, "telegram_id = ?", telegramID)
		if err != nil {
			return err
		}
		if err := a.second(twoFactor, from)(ctx, tx, r); err != nil {
			return err
		}
		g, err = a.signedIn(ctx, tx, r, remember, from)
		return err
	})
	return g, atTwoFactor(err)
}

// PlaceOf tells where a client seems to be.
func (a *Accounts) PlaceOf(from Client) Place { return a.place(from.IP.String(), userAgent(from)) }

// ShortUserAgent gives the client's User-Agent header as it is kept: bounded, and whole characters.
func ShortUserAgent(from Client) string { return userAgent(from) }
