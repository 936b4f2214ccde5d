package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Alarm is why somebody should look at a node.
type Alarm string

// The alarms.
const (
	// a report came under the number of another: a copy of the agent's data folder may be running
	InConflict Alarm = "conflict"
	// more was reported than the link can have carried: its speed is set too low, or the secret leaked
	BeyondLink Alarm = "beyond_link"
	Doubled    Alarm = "double" // two agents have its secret
)

// alarmInterval is how long nothing more is said of a node for the same reason.
const alarmInterval = 24 * time.Hour

// OnAlarm has fn called where there is an alarm, in a transaction of its own, and for each node and reason once a day.
func (mo *Monitor) OnAlarm(fn func(ctx context.Context, tx bun.Tx, n Node, why Alarm) error) {
	mo.onAlarm = append(mo.onAlarm, fn)
}

// Alarm tells those who want to hear of it, unless they heard the same of n a short while ago. What is wrong shows
// again and again, so an alarm that nobody could be told of now is told then.
func (mo *Monitor) Alarm(ctx context.Context, n Node, why Alarm) {
	err := mo.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := mo.db.Now()
		// Later than now only if the clock was set back since.
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
