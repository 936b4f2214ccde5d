package traffic

import (
	"context"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/node"
)

// Alarm is why somebody should look at a node's reports.
type Alarm string

// The alarms.
const (
	InConflict Alarm = "conflict"    // a report came under the number of another: a copy of the agent's data folder may be running
	BeyondLink Alarm = "beyond_link" // more came than the link can have carried: its speed is set too low, or the secret leaked
)

// alarmAgain is how long nothing more is said of a node for the same reason.
const alarmAgain = 24 * time.Hour

// OnAlarm has fn called where there is an alarm, in a transaction of its own, and for each node and reason once a day.
func (t *Traffic) OnAlarm(fn func(ctx context.Context, tx bun.Tx, n node.Node, why Alarm) error) {
	t.onAlarm = append(t.onAlarm, fn)
}

// alarm tells those who want to hear of it, unless they heard the same of n a short while ago. Agents repeat what is not
// counted, so an alarm that nobody could be told of now is told then.
func (t *Traffic) alarm(ctx context.Context, n node.Node, why Alarm) {
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := t.db.Now()
		first, err := db.Changed(tx.NewRaw(`INSERT INTO traffic_alarm (node_id, why, told_at) VALUES (?, ?, ?)
			ON CONFLICT (node_id, why) DO UPDATE SET told_at = EXCLUDED.told_at WHERE traffic_alarm.told_at <= ?`,
			n.ID, why, now, now.Add(-alarmAgain)).Exec(ctx))
		if err != nil || first == 0 {
			return err
		}
		for _, fn := range t.onAlarm {
			if err := fn(ctx, tx, n, why); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		slog.WarnContext(ctx, "nobody could be told of an alarm", "node", n.ID, "why", why, "error", err)
	}
}

// tellConflicts tells of the reports that were in conflict.
func (t *Traffic) tellConflicts(ctx context.Context, entries []*entry) {
	for _, e := range entries {
		if e.err != nil {
			slog.ErrorContext(ctx, "a report came with the boot and sequence of another: a copy of the agent's data folder may be running", "node", e.Node.ID, "id", e.ID)
			t.alarm(ctx, e.Node, InConflict)
		}
	}
}
