package traffic

import (
	"context"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/node"
)

// conflictAgain is how long nothing more is said of a node whose reports are in conflict.
const conflictAgain = 24 * time.Hour

// OnConflict has fn called where a report of a node comes under the number of another, in a transaction of its own, and
// for each node once a day.
func (t *Traffic) OnConflict(fn func(ctx context.Context, tx bun.Tx, n node.Node) error) {
	t.onConflict = append(t.onConflict, fn)
}

// tellConflicts tells of the reports that were in conflict. Their agents repeat them, so one that nobody could be told of
// now is told of then.
func (t *Traffic) tellConflicts(ctx context.Context, entries []*entry) {
	for _, e := range entries {
		if e.err == nil {
			continue
		}
		slog.ErrorContext(ctx, "a report came with the boot and sequence of another: a copy of the agent's data folder may be running", "node", e.Node.ID, "id", e.ID)
		if err := t.tellConflict(ctx, e.Node); err != nil {
			slog.WarnContext(ctx, "nobody could be told of a report in conflict", "node", e.Node.ID, "error", err)
		}
	}
}

// tellConflict calls who wants to hear of a conflict, unless they heard of one of n's a short while ago.
func (t *Traffic) tellConflict(ctx context.Context, n node.Node) error {
	return t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := t.db.Now()
		first, err := db.Changed(tx.NewRaw(`INSERT INTO traffic_conflict (node_id, told_at) VALUES (?, ?)
			ON CONFLICT (node_id) DO UPDATE SET told_at = EXCLUDED.told_at WHERE traffic_conflict.told_at <= ?`,
			n.ID, now, now.Add(-conflictAgain)).Exec(ctx))
		if err != nil || first == 0 {
			return err
		}
		for _, fn := range t.onConflict {
			if err := fn(ctx, tx, n); err != nil {
				return err
			}
		}
		return nil
	})
}
