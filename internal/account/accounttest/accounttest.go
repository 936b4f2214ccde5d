// Package accounttest makes accounts for tests, since an act is decided only by who has an account for it, and nobody
// signed in writes without one.
package accounttest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/permission"
)

// Add adds an account with the role for each of the numbers; users have the empty one. They have no wallets.
func Add(t testing.TB, d *db.DB, role permission.Role, ids ...int64) {
	t.Helper()
	now := d.Now()
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		for _, id := range ids {
			if _, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version,
				password_changed_at, invite_code, created_at) VALUES (?, ?, ?, 'Member', ?, '', ?, ?, ?, ?)`, id,
				uuid.New(), fmt.Sprintf("member%d@example.com", id), role, uuid.New(), now,
				fmt.Sprintf("MEMBER%d", id), now).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
