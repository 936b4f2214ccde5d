package traffic

import (
	"context"
	"log/slog"
	"math"

	"github.com/uptrace/bun"

	"airstrip/internal/trafficlog"
)

// counterFull is the code of a row that would carry a counter beyond 63 bits.
const counterFull = "counter_full"

// refuseFull refuses the rows of the report that would carry a counter beyond 63 bits: of the user's services and
// packages, of the hour and day of the user, or of the day of the node. It is asked only where a report cannot be
// written without.
func (t *Traffic) refuseFull(ctx context.Context, tx bun.Tx, e *entry) error {
	if len(e.good) == 0 {
		return nil
	}
	ids := make([]int64, len(e.good))
	for i, c := range e.good {
		ids[i] = c.UserID
	}
	highest, err := t.services.HighestCounters(ctx, tx, ids)
	if err != nil {
		return err
	}
	day := dayOf(e.at.In(t.settings.Get().Zone()))
	slot := trafficlog.Slot{Hour: e.at.Unix() / 3600, NodeID: e.Node.ID, RatePermille: e.rate}
	logged, err := t.history.Highest(ctx, tx, slot, day, ids)
	if err != nil {
		return err
	}
	for id, n := range logged {
		highest[id] = max(highest[id], n)
	}
	var ofNode []int64
	q := tx.NewRaw(`SELECT CASE WHEN up > down AND up > billed THEN up WHEN down > billed THEN down ELSE billed END
		FROM node_day WHERE node_id = ? AND day = ?`, e.Node.ID, day)
	if err := q.Scan(ctx, &ofNode); err != nil {
		return err
	}
	nodeAt := append(ofNode, 0)[0]
	good := e.good[:0:0]
	for _, c := range e.good {
		n := max(c.Up, c.Down, c.billed())
		if highest[c.UserID] > math.MaxInt64-n || nodeAt > math.MaxInt64-n {
			e.receipt.Refused = append(e.receipt.Refused, Refusal{c.UserID, counterFull})
			continue
		}
		nodeAt += n
		good = append(good, c)
	}
	if full := len(e.good) - len(good); full > 0 {
		slog.ErrorContext(ctx, "counters are at their maximum; rows of a traffic report were refused", "node",
			e.Node.ID,
			"id", e.ID, "rows", len(e.good), "refused", full)
	}
	e.good = good
	return nil
}
