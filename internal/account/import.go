package account

import (
	"context"

	"github.com/uptrace/bun"
)

// Hash gives the Argon2id PHC text of a password, for Import.
func (a *Accounts) Hash(ctx context.Context, password string) (phc string, err error) {
	return a.hash.hash(ctx, normalPassword(password))
}

// Import adds an account whose password was hashed before, as part of tx. phc must be an Argon2id PHC text.
func (a *Accounts) Import(ctx context.Context, tx bun.Tx, email, name, phc string) (User, error) {
	r := draft(email, name)
	if err := invalid(checkEmail(r.Email, nil), checkName(r.Name)); err != nil {
		return User{}, err
	}
	if _, _, _, err := parse(phc); err != nil {
		return User{}, err
	}
	r.Password = phc
	made, err := a.insert(ctx, tx, r)
	return made.User, err
}
