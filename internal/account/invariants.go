package account

import (
	"context"

	"airstrip/internal/db"
)

var invariants = []db.Rule{
	{Name: "I11", Says: "a user is banned while a ban is started and not ended, for the API and for nodes", Query: `
		SELECT 'user ' || CAST(u.id AS TEXT) FROM account u LEFT JOIN access a ON a.user_id = u.id
		LEFT JOIN (SELECT DISTINCT account_id FROM ban_task WHERE started_at IS NOT NULL AND ended_at IS NULL) b
		ON b.account_id = u.id
		WHERE (u.banned_at IS NOT NULL) <> (b.account_id IS NOT NULL) OR a.banned <> (b.account_id IS NOT NULL)`},
}

// Check returns every user whose state does not match the bans.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	return db.Check(ctx, d, invariants...)
}
