package account

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/mail"
)

// ChangePassword replaces the password of the caller, who proves the present one. All sessions end; the grant is a new
// session for the device that made the call.
func (cr *Credentials) ChangePassword(
	ctx context.Context, who Identity, current, replacement string, from Client,
) (Grant, error) {
	u, err := userByID(ctx, cr.db, who.UserID)
	if err != nil {
		return Grant{}, err
	}
	replacement = normalPassword(replacement)
	if err := invalid(checkPassword("new_password", replacement, u.Email, cr.settings.Get().SiteName)); err != nil {
		return Grant{}, err
	}
	phc, err := cr.hasher.hash(ctx, shareOf(u.Email, from), replacement)
	if err != nil {
		return Grant{}, err
	}
	var g Grant
	err = cr.verifier.prove(ctx, u.Email, current, noSecond, from.within(who),
		func(ctx context.Context, tx bun.Tx, r row) error {
			var s session
			if err := tx.NewSelect().Model(&s).Where("id = ? AND account_id = ?", who.SessionID, r.ID).
				Scan(ctx); err != nil {
				return err
			}
			r, err := cr.storePassword(ctx, tx, r, phc, false, from)
			if err != nil {
				return err
			}
			g, err = cr.sessions.begin(ctx, tx, r, byKey, s.Remember, from)
			return err
		})
	if errors.Is(err, ErrWrongCredentials) {
		err = wrongPassword()
	}
	return g, err
}

// storePassword stores a password hash and ends all sessions. recovered says that the present password was not shown.
func (cr *Credentials) storePassword(
	ctx context.Context, tx bun.Tx, r row, phc string, recovered bool, from Client,
) (row, error) {
	r.Password, r.PasswordVersion, r.PasswordChangedAt = phc, uuid.New(), cr.db.Now()
	if _, err := tx.NewUpdate().Model(&r).Column("password", "password_version", "password_changed_at").WherePK().
		Exec(ctx); err != nil {
		return r, err
	}
	return r, cr.recordChange(ctx, tx, r,
		credentialChange{
			kind: PasswordChanged, recovered: recovered,
			content: func(left otherCredentials) mail.Content {
				return mail.PasswordChanged{
					At: r.PasswordChangedAt, IP: addressOf(from), Recovered: recovered,
					Passkeys: left.passkeys, Telegram: left.telegram,
				}
			},
		}, from)
}

// What follows is for the operator, who names users by their e-mail.

// SetPassword replaces the password of the user with this address, for the operator, and ends everything else that
// opens the account, as ResetPassword does.
func (cr *Credentials) SetPassword(ctx context.Context, email, password string) error {
	password = normalPassword(password)
	if err := invalid(checkPassword("password", password, NormalEmail(email), cr.settings.Get().SiteName)); err != nil {
		return err
	}
	phc, err := cr.hasher.hash(ctx, share{}, password)
	if err != nil {
		return err
	}
	return changeByEmail(ctx, cr.db, email, func(ctx context.Context, tx bun.Tx, r row) error {
		if _, err := cr.storePassword(ctx, tx, r, phc, true, Client{}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "user.password.set", audit.ID("user", r.ID),
			map[string]any{"password": audit.Secret(r.Password)}, map[string]any{"password": audit.Secret(phc)}, "")
	})
}
