package clickhouse

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// tablesOfUsers are the tables that have rows of users.
var tablesOfUsers = []string{"traffic", "sign_in", "audit_hit", "link_fetch", "user_state"}

// forgetAgain is how long after an account was closed its rows are deleted once more: a server that was frozen for less
// may have sent some that it had read before.
const forgetAgain = 24 * time.Hour

// forgetAtOnce bounds the users of one deletion.
const forgetAtOnce = 1000

// Forget notes, as part of tx, that a user closed the account. From then on nothing of the user is sent, and what was
// is deleted by the next run, whenever ClickHouse is there.
func (c *ClickHouse) Forget(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewRaw(`INSERT INTO clickhouse_forgotten (user_id, closed_at, again_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id) DO NOTHING`, userID, c.DB.Now(), c.DB.Now().Add(forgetAgain)).Exec(ctx)
	return err
}

// forget deletes what ClickHouse has of users who closed their accounts.
func (l *lease) forget(ctx context.Context) error {
	now := l.c.DB.Now()
	var ids []int64
	err := l.c.DB.NewRaw(`SELECT user_id FROM clickhouse_forgotten WHERE deleted_at IS NULL
		OR (again_at <= ? AND deleted_at < again_at) ORDER BY user_id LIMIT ?`, now, forgetAtOnce).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	for _, table := range tablesOfUsers {
		if err := l.mutate(ctx, table, "user_id IN ("+strings.Join(texts, ", ")+")"); err != nil {
			return err
		}
	}
	return l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE clickhouse_forgotten SET deleted_at = ? WHERE user_id IN (?)`, now, bun.List(ids)).
			Exec(ctx)
		return err
	})
}
