package account

import (
	"context"
	"strings"
)

// OutdatedPassword is an account whose password hash is that of another panel or of another cost than the present one.
// The user's next sign-in with the password replaces the hash; nothing else can.
type OutdatedPassword struct {
	UserID int64    `json:"user_id"`
	Kind   HashKind `json:"kind"`
}

// OutdatedPasswords returns the first such accounts by id, and their total number.
func (a *Accounts) OutdatedPasswords(ctx context.Context, limit int) (all []OutdatedPassword, total int64, err error) {
	var rows []row
	total, err = a.db.NewSelect().Model(&rows).Column("id", "password").
		Where("closed_at IS NULL AND password <> '' AND password NOT LIKE ?", a.hasher.cost.prefix()+"%").OrderExpr("id").Limit(int64(limit)).
		ScanAndCount(ctx)
	for _, r := range rows {
		all = append(all, OutdatedPassword{r.ID, kindOf(r.Password)})
	}
	return all, total, err
}

// kindOf returns the kind of a stored hash; for a legacy hash, the kind that the other panel used.
func kindOf(stored string) HashKind {
	if isBcrypt(stored) {
		return Bcrypt
	}
	if kind, _, ok := strings.Cut(stored, ":"); ok {
		return HashKind(kind)
	}
	return Argon2id
}
