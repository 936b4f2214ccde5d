package account

import (
	"context"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/webhook"

	"github.com/uptrace/bun"
)

// Create makes an account whatever the sign-up settings say.
func (a *Accounts) Create(ctx context.Context, email, name, password string, role Role) (User, error) {
	r := newRow(email, name)
	r.Role = role
	password = normalPassword(password)
	if err := invalid(checkEmail(r.Email, nil), checkName(r.Name),
		checkPassword("password", password, r.Email, a.settings.Get().SiteName), checkRole(role)); err != nil {
		return User{}, err
	}
	var err error
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

// ErrLastOwnerRole is returned where the role of the only owner is changed: a site without one has nobody who may give
// roles but the operator.
var ErrLastOwnerRole = fault.Conflict("last_owner_role", "这是唯一未被封禁的站长，请先指定另一位站长",
	"This is the only owner without a ban; make somebody else one first")

// SetRole makes the user a member of staff, or with an empty role no longer one. It takes effect with their next call.
// The only owner stays one.
func (a *Accounts) SetRole(ctx context.Context, email string, role Role) error {
	if err := invalid(checkRole(role)); err != nil {
		return err
	}
	return changeByEmail(ctx, a.db, email, func(ctx context.Context, tx bun.Tx, r row) error {
		if role != Owner {
			switch left, err := hasOtherOwner(ctx, tx, r); {
			case err != nil:
				return err
			case !left:
				return ErrLastOwnerRole
			}
		}
		was := r.Role
		r.Role = role
		if _, err := tx.NewUpdate().Model(&r).Column("role").WherePK().Exec(ctx); err != nil {
			return err
		}
		if err := noteOwner(ctx, tx, r); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "staff.role", audit.ID("user", r.ID), map[string]any{"role": was},
			map[string]any{"role": role}, "")
	})
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
