package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
)

// Hash returns the Argon2id PHC string of a password, for Import.
func (a *Accounts) Hash(ctx context.Context, password string) (phc string, err error) {
	return a.hasher.hash(ctx, share{}, normalPassword(password))
}

// Import adds an account whose password was hashed elsewhere, as part of tx. hash is a result of Hash or Accept.
func (a *Accounts) Import(ctx context.Context, tx bun.Tx, email, name, hash string) (User, error) {
	r := newRow(email, name)
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

// CheckImport checks what can be checked of an account before it is added.
func CheckImport(email, name string) error {
	r := newRow(email, name)
	return invalid(checkEmail(r.Email, nil), checkName(r.Name))
}
