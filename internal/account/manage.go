package account

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/mail"
)

// ChangePassword replaces the password of the user who makes the call, who shows the present one. All sessions end; the
// grant is of a new one for the device that made the call.
func (a *Accounts) ChangePassword(ctx context.Context, who Identity, current, replacement string, from Client) (Grant, error) {
	u, err := a.User(ctx, who.UserID)
	if err != nil {
		return Grant{}, err
	}
	replacement = normalPassword(replacement)
	if err := invalid(a.checkPassword("new_password", replacement, u.Email)); err != nil {
		return Grant{}, err
	}
	phc, err := a.hash.hash(ctx, shareOf(u.Email, from), replacement)
	if err != nil {
		return Grant{}, err
	}
	var g Grant
	err = a.prove(ctx, u.Email, current, noSecond, from.within(who), func(ctx context.Context, tx bun.Tx, r row) error {
		var s session
		if err := tx.NewSelect().Model(&s).Where("id = ? AND account_id = ?", who.SessionID, r.ID).Scan(ctx); err != nil {
			return err
		}
		r, err := a.setPassword(ctx, tx, r, phc, false, from)
		if err != nil {
			return err
		}
		g, err = a.begin(ctx, tx, r, s.Remember, from)
		return err
	})
	if errors.Is(err, ErrWrongCredentials) {
		err = wrongPassword()
	}
	return g, err
}

// setPassword stores a password's hash. No session goes on. recovered says that the present password was not shown.
func (a *Accounts) setPassword(ctx context.Context, tx bun.Tx, r row, phc string, recovered bool, from Client) (row, error) {
	r.Password, r.PasswordVersion, r.PasswordChangedAt = phc, uuid.New(), a.db.Now()
	if _, err := tx.NewUpdate().Model(&r).Column("password", "password_version", "password_changed_at").WherePK().Exec(ctx); err != nil {
		return r, err
	}
	return r, a.changeCredentials(ctx, tx, r, credentialChange{kind: PasswordChanged, recovered: recovered, content: func(left waysIn) mail.Content {
		return mail.PasswordChanged{At: r.PasswordChangedAt, IP: addressOf(from), Recovered: recovered, Passkeys: left.passkeys, Telegram: left.telegram}
	}}, from)
}

// What follows is for the operator, who names users by their e-mail.

// Create makes an account whatever the sign-up settings say.
func (a *Accounts) Create(ctx context.Context, email, name, password string, role Role) (User, error) {
	r := draft(email, name)
	r.Role = role
	password = normalPassword(password)
	if err := invalid(checkEmail(r.Email, nil), checkName(r.Name), a.checkPassword("password", password, r.Email), checkRole(role)); err != nil {
		return User{}, err
	}
	var err error
	if r.Password, err = a.hash.hash(ctx, share{}, password); err != nil {
		return User{}, err
	}
	var made row
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if made, err = a.insert(ctx, tx, r); err != nil {
			return err
		}
		after := map[string]any{"email": made.Email, "name": made.Name, "role": made.Role}
		return audit.Record(ctx, tx, "user.add", audit.ID("user", made.ID), nil, after, "")
	})
	return made.User, err
}

// SetPassword gives the user another password and ends everything else that opens the account, as ResetPassword does.
func (a *Accounts) SetPassword(ctx context.Context, email, password string) error {
	password = normalPassword(password)
	if err := invalid(a.checkPassword("password", password, NormalEmail(email))); err != nil {
		return err
	}
	phc, err := a.hash.hash(ctx, share{}, password)
	if err != nil {
		return err
	}
	return a.change(ctx, email, func(ctx context.Context, tx bun.Tx, r row) error {
		if _, err := a.setPassword(ctx, tx, r, phc, true, Client{}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "user.password.set", audit.ID("user", r.ID), nil, nil, "")
	})
}

// SetRole makes the user a member of staff, or with an empty role no longer one, from their next call on.
func (a *Accounts) SetRole(ctx context.Context, email string, role Role) error {
	if err := invalid(checkRole(role)); err != nil {
		return err
	}
	return a.change(ctx, email, func(ctx context.Context, tx bun.Tx, r row) error {
		was := r.Role
		r.Role = role
		if _, err := tx.NewUpdate().Model(&r).Column("role").WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "staff.role", audit.ID("user", r.ID), map[string]any{"role": was}, map[string]any{"role": role}, "")
	})
}

// change runs fn on the user with this e-mail, or answers ErrNoUser.
func (a *Accounts) change(ctx context.Context, email string, fn func(context.Context, bun.Tx, row) error) error {
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := findLocked(ctx, tx, "email = ? AND closed_at IS NULL", NormalEmail(email))
		if err != nil {
			return err
		}
		return fn(ctx, tx, r)
	})
}
