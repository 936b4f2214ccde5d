package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/notify"
)

// Security describes what protects an account.
type Security struct {
	PasswordChangedAt time.Time
	TwoFactorSince    *time.Time // nil: off
	RecoveryCodesLeft int64
	NoticeByMail      bool // whether a sign-in from a new area or device is reported by mail
}

// Security returns what protects a user's account.
func (a *Accounts) Security(ctx context.Context, userID int64) (Security, error) {
	r, err := find(ctx, a.db, "id = ?", userID)
	if err != nil {
		return Security{}, err
	}
	s := Security{PasswordChangedAt: r.PasswordChangedAt}
	if s.NoticeByMail, err = a.notices.Wants(ctx, a.db, userID, notify.SignIn, notify.ByMail); err != nil {
		return Security{}, err
	}
	t, err := a.verifier.totpOf(ctx, a.db, userID)
	if err != nil || t == nil {
		return s, err
	}
	s.TwoFactorSince = t.ConfirmedAt
	s.RecoveryCodesLeft, err = a.db.NewSelect().Model((*recoveryCode)(nil)).
		Where("account_id = ? AND used_at IS NULL", userID).Count(ctx)
	return s, err
}

// SetNoticeByMail says whether the user wants a mail about sign-ins from a new area or device.
func (a *Accounts) SetNoticeByMail(ctx context.Context, userID int64, wanted bool) error {
	return a.db.Tx(ctx, a.NoticeByMail(userID, wanted))
}

// NoticeByMail is SetNoticeByMail as a part of another change.
func (a *Accounts) NoticeByMail(userID int64, wanted bool) Step {
	return func(ctx context.Context, tx bun.Tx) error {
		return a.notices.ChooseIn(ctx, tx, userID,
			notify.Choice{Event: notify.SignIn, Channel: notify.ByMail, Wanted: wanted})
	}
}

// Rename changes the user's name. An invalid one is reported at the field name.
func (a *Accounts) Rename(ctx context.Context, userID int64, name string, from Client) error {
	name = normalName(name)
	if err := invalid(checkName(name)); err != nil {
		return err
	}
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*row)(nil)).Set("name = ?", name).Where("id = ?", userID).
			Exec(ctx); err != nil {
			return err
		}
		return a.History.note(ctx, tx, userID, ProfileChanged, from)
	})
}
