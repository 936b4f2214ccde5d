package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Security is what protects an account.
type Security struct {
	PasswordChangedAt time.Time
	TwoFactorSince    *time.Time // nil: off
	RecoveryCodesLeft int64
	NoticeByMail      bool // of a sign-in from a new place
}

// Security tells what protects a user's account.
func (a *Accounts) Security(ctx context.Context, userID int64) (Security, error) {
	r, err := find(ctx, a.db, "id = ?", userID)
	if err != nil {
		return Security{}, err
	}
	s := Security{PasswordChangedAt: r.PasswordChangedAt, NoticeByMail: r.NoticeByMail}
	t, err := a.verifier.totpOf(ctx, a.db, userID)
	if err != nil || t == nil {
		return s, err
	}
	s.TwoFactorSince = t.ConfirmedAt
	s.RecoveryCodesLeft, err = a.db.NewSelect().Model((*recoveryCode)(nil)).Where("account_id = ? AND used_at IS NULL", userID).Count(ctx)
	return s, err
}

// SetNoticeByMail says whether the user wants to hear by mail of a sign-in from a new place.
func (a *Accounts) SetNoticeByMail(ctx context.Context, userID int64, wanted bool) error {
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model((*row)(nil)).Set("notice_by_mail = ?", wanted).Where("id = ?", userID).Exec(ctx)
		return err
	})
}

// Rename gives the user another name; a wrong one stands at the field name.
func (a *Accounts) Rename(ctx context.Context, userID int64, name string, from Client) error {
	name = normalName(name)
	if err := invalid(checkName(name)); err != nil {
		return err
	}
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*row)(nil)).Set("name = ?", name).Where("id = ?", userID).Exec(ctx); err != nil {
			return err
		}
		return a.History.note(ctx, tx, userID, ProfileChanged, from)
	})
}
