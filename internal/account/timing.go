package account

import (
	"context"
	"strings"

	"github.com/uptrace/bun"
)

// A hash of another panel takes another time to compare than ours, and an address without an account has no hash. So
// that a wrong password takes the same time in all cases, it is compared with the account's own hash and with a dummy
// hash of every other cost: the present one, and those of imported hashes, which the table password_cost records.

// costOf returns the beginning of a stored hash that determines how long a comparison takes; empty where there is no
// hash.
func costOf(stored string) string {
	if isBcrypt(stored) {
		return stored[:min(len("$2a$10$"), len(stored))]
	}
	if w, is := parseLegacyHash(stored); is {
		stored = w.phc
	}
	parts := strings.SplitAfterN(stored, "$", 5) // "$", "argon2id$", "v=19$", "m=19456,t=2,p=1$"
	if len(parts) < 5 {
		return ""
	}
	return strings.Join(parts[:4], "")
}

// dummyHash returns a hash of this cost that no password matches.
func dummyHash(cost string) string {
	if isBcrypt(cost) {
		return cost + strings.Repeat(".", 53)
	}
	return cost + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)
}

// costs returns the costs of all hashes that an account may have.
func (v *verifier) costs(ctx context.Context) ([]string, error) {
	var all []string
	present := v.hasher.cost.prefix()
	err := v.db.NewRaw(`SELECT prefix FROM password_cost WHERE prefix <> ? ORDER BY prefix`, present).
		Scan(ctx, &all)
	return append(all, present), err
}

// rememberCost stores the cost of a hash of another panel.
func rememberCost(ctx context.Context, tx bun.Tx, stored string) error {
	if cost := costOf(stored); cost != presentArgon2.prefix() {
		_, err := tx.NewRaw(`INSERT INTO password_cost (prefix) VALUES (?) ON CONFLICT DO NOTHING`, cost).Exec(ctx)
		return err
	}
	return nil
}

// forgetCosts deletes the costs that no account has any longer, since a hash is replaced at its user's first sign-in.
func forgetCosts(tx bun.Tx) *bun.DeleteQuery {
	return tx.NewDelete().Table("password_cost").
		Where(`NOT EXISTS (SELECT 1 FROM account WHERE account.password LIKE '%' || password_cost.prefix || '%')`)
}
