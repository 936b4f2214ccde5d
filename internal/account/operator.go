package account

import (
	"context"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/webhook"

	"github.com/uptrace/bun"
)

// Create makes an account whatever the sign-up settings say.
func (a *Accounts) Create(ctx context.Context, email, name, password string, has Role) (User, error) {
	r := newRow(email, name)
	r.Role = has
	password = normalPassword(password)
	if err := invalid(checkEmail(r.Email, nil), checkName(r.Name),
		checkPassword("password", password, r.Email, a.settings.Get().SiteName)); err != nil {
		return User{}, err
	}
	err := checkRole(ctx, a.db, has)
	if err != nil {
		return User{}, err
	}
	if r.Password, err = a.hasher.hash(ctx, share{}, password); err != nil {
		return User{}, err
	}
	return a.add(ctx, r)
}

// add stores a new account.
func (a *Accounts) add(ctx context.Context, r row) (User, error) {
	var made row
	err := a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var err error
		if made, err = a.SignUps.insert(ctx, tx, r); err != nil {
			return err
		}
		if err := noteOwner(ctx, tx, made); err != nil {
			return err
		}
		if err := webhook.Emit(ctx, tx, made.created()); err != nil {
			return err
		}
		after := map[string]any{"email": made.Email, "name": made.Name, "role": made.Role}
		return audit.Record(ctx, tx, "user.add", audit.ID("user", made.ID), nil, after, "")
	})
	return made.User, err
}

// changeByEmail runs fn with the locked row of the user with this address, or returns ErrNoUser.
func changeByEmail(ctx context.Context, d *db.DB, email string, fn func(context.Context, bun.Tx, row) error) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := findLocked(ctx, tx, "email = ? AND closed_at IS NULL", NormalEmail(email))
		if err != nil {
			return err
		}
		return fn(ctx, tx, r)
	})
}
