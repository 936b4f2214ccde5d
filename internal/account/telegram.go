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
	ErrTelegramTaken = fault.Conflict("telegram_taken", "该 Telegram 账号已绑定其他用户，请先解除绑定",
		"This Telegram account is linked to another user; please unlink it there first")
	ErrTelegramLinked = fault.Conflict("telegram_linked", "你已绑定一个 Telegram 账号，请先解除绑定",
		"You have linked a Telegram account already; please unlink it first")
	ErrTelegramFree = fault.Conflict("telegram_not_linked", "没有绑定 Telegram 账号", "No Telegram account is linked")
)

// ByTelegram returns the user to whom this Telegram account is linked, or ErrNoUser.
func (a *Accounts) ByTelegram(ctx context.Context, telegramID int64) (User, error) {
	r, err := find(ctx, a.db, "telegram_id = ?", telegramID)
	return r.User, err
}

// MemberByTelegram returns the user to whom this Telegram account is linked, as a caller who may do now what their role
// allows: see Identity.Refusal. It returns ErrNoUser where it is linked to nobody.
func (a *Accounts) MemberByTelegram(ctx context.Context, telegramID int64) (Identity, User, error) {
	r, err := find(ctx, a.db, "telegram_id = ?", telegramID)
	if err != nil {
		return Identity{}, User{}, err
	}
	who, err := a.Sessions.roles.withhold(ctx, Identity{UserID: r.ID, UUID: r.UUID, Role: r.Role}, r.Banned())
	return who, r.User, err
}

// LinkTelegram links a Telegram account to a user as part of tx. It returns ErrTelegramTaken where it is linked to
// another user, ErrTelegramLinked where the user has linked another one. All API tokens and all sessions but keep end.
func (cr *Credentials) LinkTelegram(
	ctx context.Context, tx bun.Tx, userID, telegramID int64, keep uuid.UUID, from Client,
) error {
	if err := keepOpen(ctx, tx, userID); err != nil { // the bot calls, not the account
		return err
	}
	switch r, err := find(ctx, tx, "telegram_id = ?", telegramID); {
	case err == nil && r.ID == userID:
		return nil
	case err == nil:
		return ErrTelegramTaken
	case !errors.Is(err, ErrNoUser):
		return err
	}
	n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("telegram_id = ?", telegramID).
		Where("id = ? AND telegram_id IS NULL", userID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrTelegramLinked
	}
	if err != nil {
		return err
	}
	return cr.changeTelegram(ctx, tx, userID, TelegramLinked, keep, from)
}

// UnlinkTelegram unlinks the user's Telegram account as part of tx, or returns ErrTelegramFree. All API tokens and all
// sessions but keep end.
func (cr *Credentials) UnlinkTelegram(ctx context.Context, tx bun.Tx, userID int64, keep uuid.UUID, from Client) error {
	n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("telegram_id = NULL").
		Where("id = ? AND telegram_id IS NOT NULL", userID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrTelegramFree
	}
	if err != nil {
		return err
	}
	return cr.changeTelegram(ctx, tx, userID, TelegramUnlinked, keep, from)
}

func (cr *Credentials) changeTelegram(
	ctx context.Context, tx bun.Tx, userID int64, kind ActivityKind, keep uuid.UUID, from Client,
) error {
	r, err := find(ctx, tx, "id = ?", userID)
	if err != nil {
		return err
	}
	return cr.recordChange(ctx, tx, r, credentialChange{
		kind: kind, keep: keep,
		content: cr.securityMail(kind, "", from),
	}, from)
}
