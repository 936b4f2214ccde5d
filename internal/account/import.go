package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
)

// Hash gives the Argon2id PHC text of a password, for Import.
func (a *Accounts) Hash(ctx context.Context, password string) (phc string, err error) {
	return a.hasher.hash(ctx, share{}, normalPassword(password))
}

// Import adds an account whose password was hashed before, as part of tx. hash is what Hash or Accept gave.
func (a *Accounts) Import(ctx context.Context, tx bun.Tx, email, name, hash string) (User, error) {
	r := draft(email, name)
	if err := CheckImport(email, name); err != nil {
		return User{}, err
	}
	if err := checkHash(hash); err != nil {
		return User{}, err
	}
	r.Password = hash
	if err := rememberCost(ctx, tx, hash); err != nil {
		return User{}, err
	}
	made, err := a.SignUps.insert(ctx, tx, r)
	if err != nil {
		return User{}, err
	}
	after := map[string]any{"email": made.Email, "name": made.Name}
	return made.User, audit.Record(ctx, tx, "user.import", audit.ID("user", made.ID), nil, after, "")
}

// CheckImport tests what can be tested of an account before it is added.
func CheckImport(email, name string) error {
	r := draft(email, name)
	return invalid(checkEmail(r.Email, nil), checkName(r.Name))
}
