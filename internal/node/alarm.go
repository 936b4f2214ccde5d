package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Alarm is a reason for staff to inspect a node.
type Alarm string

// The alarms.
const (
	// two reports have one number: a copy of the agent's data folder may be running
	InConflict Alarm = "conflict"
	// more was reported than the link can carry: its speed is set too low, or the secret leaked
	BeyondLink Alarm = "beyond_link"
	Doubled    Alarm = "double" // two agents have its secret
)

// alarmInterval is the time between two notifications of the same alarm of a node.
const alarmInterval = 24 * time.Hour

// OnAlarm has fn called for an alarm, in a transaction of its own, at most once per alarmInterval for each node and
// reason.
func (mo *Monitor) OnAlarm(fn func(ctx context.Context, tx bun.Tx, n Node, why Alarm) error) {
	mo.onAlarm = append(mo.onAlarm, fn)
}

// Alarm calls the functions of OnAlarm, unless it did so for the same reason within alarmInterval. A failure is only
// logged: the cause persists, so that the alarm is raised again.
func (mo *Monitor) Alarm(ctx context.Context, n Node, why Alarm) {
	err := mo.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := mo.db.Now()
		// told_at lies after now only if the clock was set back since.
		first, err := db.Changed(tx.NewRaw(`INSERT INTO node_alarm (node_id, why, told_at) VALUES (?0, ?1, ?2)
			ON CONFLICT (node_id, why) DO UPDATE SET told_at = EXCLUDED.told_at WHERE node_alarm.told_at <= ?3
			OR node_alarm.told_at >= ?4`,
			n.ID, why, now, now.Add(-alarmInterval), now.Add(alarmInterval)).Exec(ctx))
		if err != nil || first == 0 {
			return err
		}
		for _, fn := range mo.onAlarm {
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
