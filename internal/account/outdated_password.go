package account

import (
	"context"
	"strings"
)

// OutdatedPassword is an account whose password is hashed as another panel did, or at another cost than today's. It is
// hashed anew at the user's next sign-in with the password; nothing else can do it.
type OutdatedPassword struct {
	UserID int64    `json:"user_id"`
	Kind   HashKind `json:"kind"`
}

// OutdatedPasswords gives the first such accounts by id, and how many there are.
func (a *Accounts) OutdatedPasswords(ctx context.Context, limit int) (all []OutdatedPassword, total int64, err error) {
	var rows []row
	total, err = a.db.NewSelect().Model(&rows).Column("id", "password").
		Where("closed_at IS NULL AND password NOT LIKE ?", presentCost+"%").OrderExpr("id").Limit(int64(limit)).ScanAndCount(ctx)
	for _, r := range rows {
		all = append(all, OutdatedPassword{r.ID, kindOf(r.Password)})
	}
	return all, total, err
}

// kindOf tells how a stored password is hashed; of one that is wrapped, how the other panel did it.
func kindOf(stored string) HashKind {
	if isBcrypt(stored) {
		return Bcrypt
	}
	if kind, _, ok := strings.Cut(stored, ":"); ok {
		return HashKind(kind)
	}
	return Argon2id
}
