package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"regexp"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
	"airstrip/internal/text"
)

// The credentials of users on nodes are stored sealed in access.credentials, bound to the user's id. The digest of
// the password, in access.password_digest, has a unique index: nodes tell users apart by their passwords. The migration
// that sealed the rows of earlier versions (db/sealing.go) has the same purposes and form.
const (
	sealedFor   = "proxy credentials"
	digestedFor = "proxy password"
)

// Credentials seals and opens the credentials of users on nodes.
type Credentials struct {
	cipher seal.RowCipher
	key    seal.Key
}

// NewCredentials returns Credentials that use key.
func NewCredentials(key seal.Key) Credentials { return Credentials{key.RowCipher(sealedFor), key} }

// Seal returns the values of access.credentials and access.password_digest.
func (c Credentials) Seal(userID int64, id uuid.UUID, password string) (sealed, digest []byte) {
	return c.cipher.Seal(userID, append(id[:], password...)), c.digest(password)
}

func (c Credentials) digest(password string) []byte {
	return c.key.Digest(digestedFor, []byte(password))
}

func (c Credentials) open(userID int64, sealed []byte) (id uuid.UUID, password string, err error) {
	plain, err := c.cipher.Open(userID, sealed)
	if err == nil && len(plain) < len(id) {
		err = seal.ErrOpen
	}
	if err != nil {
		return uuid.UUID{}, "", fmt.Errorf("proxy credentials of user %d: %w", userID, err)
	}
	return uuid.UUID(plain[:len(id)]), string(plain[len(id):]), nil
}

// openCredentials sets UUID and Password of a row that was read. Afterwards the row no longer has them sealed, since
// everybody's rows stay in memory.
func (s *Services) openCredentials(a *Access) (err error) {
	a.UUID, a.Password, err = s.credentials.open(a.UserID, a.Sealed)
	a.Sealed = nil
	return err
}

// openOrExclude opens the rows for nodes. A row that does not open excludes its user only: damage to one row must not
// shut out all others. A wrong key, which opens no row, is found when the server starts.
func (s *Services) openOrExclude(ctx context.Context, rows []Access) {
	for i := range rows {
		if err := s.openCredentials(&rows[i]); err != nil {
			rows[i].Allowed = false
			slog.ErrorContext(ctx, "a user is left out of nodes; run airstrip doctor", "user", rows[i].UserID, "error",
				err)
		}
	}
}

// ResetCredentials gives the user another UUID and password on all nodes. Connections with the old ones end.
func (s *Services) ResetCredentials(ctx context.Context, tx bun.Tx, userID int64) error {
	return s.SetCredentials(ctx, tx, userID, uuid.New(), randomPassword())
}

// SetCredentials gives the user this UUID and password on all nodes. The error is db.ErrUnique where another user has
// the password.
func (s *Services) SetCredentials(ctx context.Context, tx bun.Tx, userID int64, id uuid.UUID, password string) error {
	sealed, digest := s.credentials.Seal(userID, id, password)
	n, err := db.Changed(tx.NewRaw(`UPDATE access SET credentials = ?, password_digest = ? WHERE user_id = ?`,
		sealed, digest, userID).Exec(ctx))
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoUser
	}
	revision, err := db.Bump(ctx, tx, Revision) // after the row, as Refresh does it
	if err != nil {
		return err
	}
	_, err = tx.NewUpdate().Model((*Access)(nil)).Set("revision = ?", revision).Where("user_id = ?", userID).Exec(ctx)
	return err
}

// chosen matches the passwords that a user may choose for nodes. They appear in addresses and files of every format.
var chosen = regexp.MustCompile(`^[A-Za-z0-9._~-]{16,64}$`)

// errChosen answers a password that is somebody else's as one that can be guessed, so that nobody learns which it is.
var errChosen = fault.Invalid("password", "weak", "连接密码为 16 至 64 个字母、数字或 . _ ~ -，且不能有规律",
	"The password has 16 to 64 letters, digits or . _ ~ - and follows no pattern")

// ChooseCredentials gives the user another UUID and this password on all nodes. No two users have one password.
func (s *Services) ChooseCredentials(ctx context.Context, userID int64, password string) error {
	if !chosen.MatchString(password) || text.IsGuessable(password) {
		return errChosen
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return s.SetCredentials(ctx, tx, userID, uuid.New(), password)
	})
	if errors.Is(err, db.ErrUnique) {
		return errChosen
	}
	return err
}

// Sealed returns the users in d whose credentials key does not open, at most some of them.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	const shown, atOnce = 20, 5000
	c := NewCredentials(key)
	for last := int64(math.MinInt64); ; {
		var rows []struct {
			UserID         int64
			Credentials    []byte
			PasswordDigest []byte
		}
		if err := d.NewRaw(`SELECT user_id, credentials, password_digest FROM access WHERE user_id > ? ORDER BY user_id
			LIMIT ?`,
			last, atOnce).Scan(ctx, &rows); err != nil || len(rows) == 0 {
			return closed, err
		}
		for _, row := range rows {
			_, password, err := c.open(row.UserID, row.Credentials)
			if err == nil && (row.PasswordDigest == nil || bytes.Equal(row.PasswordDigest, c.digest(password))) {
				continue
			}
			if closed = append(closed, fmt.Sprintf("proxy credentials of user %d", row.UserID)); len(closed) == shown {
				return closed, nil
			}
		}
		last = rows[len(rows)-1].UserID
	}
}
