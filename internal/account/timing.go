package account

import (
	"context"
	"strings"

	"github.com/uptrace/bun"
)

// A hash that another panel made takes another time than one of ours, and an address without an account has none. So that
// a wrong password takes the same time in all cases, it is compared with the account's own hash and with a decoy of every
// other cost there is: today's, and those that password_cost remembers from imports.

// costOf gives the beginning of a stored hash that tells how dear a comparison with it is; empty where there is no hash.
func costOf(stored string) string {
	if isBcrypt(stored) {
		return stored[:min(len("$2a$10$"), len(stored))]
	}
	if w, is := unwrap(stored); is {
		stored = w.phc
	}
	parts := strings.SplitAfterN(stored, "$", 5) // "$", "argon2id$", "v=19$", "m=19456,t=2,p=1$"
	if len(parts) < 5 {
		return ""
	}
	return strings.Join(parts[:4], "")
}

// decoyOf gives a hash of this cost that is of no password.
func decoyOf(cost string) string {
	if isBcrypt(cost) {
		return cost + strings.Repeat(".", 53)
	}
	return cost + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)
}

// costs gives the costs of all hashes that some account may have.
func (v *verifier) costs(ctx context.Context) ([]string, error) {
	var all []string
	err := v.db.NewRaw(`SELECT prefix FROM password_cost WHERE prefix <> ? ORDER BY prefix`, presentCost).Scan(ctx, &all)
	return append(all, presentCost), err
}

// rememberCost notes the cost of a hash of another panel.
func rememberCost(ctx context.Context, tx bun.Tx, stored string) error {
	if cost := costOf(stored); cost != presentCost {
		_, err := tx.NewRaw(`INSERT INTO password_cost (prefix) VALUES (?) ON CONFLICT DO NOTHING`, cost).Exec(ctx)
		return err
	}
	return nil
}

// forgetCosts removes the costs that no account has any more: each hash is made anew at its owner's first sign-in.
func forgetCosts(tx bun.Tx) *bun.DeleteQuery {
	return tx.NewDelete().Table("password_cost").
		Where(`NOT EXISTS (SELECT 1 FROM account WHERE account.password LIKE '%' || password_cost.prefix || '%')`)
}
