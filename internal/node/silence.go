package node

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Silences holds for which nodes staff wants no notices of outages and alarms, and until when. Outages are recorded all
// the same, and webhooks are told of them.
type Silences struct{ db *db.DB }

// maxSilence is the longest time for which a node may be silenced, so that nobody forgets one for good.
const maxSilence = 30 * 24 * time.Hour

type silence struct {
	bun.BaseModel `bun:"table:node_silence"`
	NodeID        int64 `bun:",pk"`
	Until         time.Time
}

// Set silences a node for a time from now on; 0 ends its silence.
func (s *Silences) Set(ctx context.Context, nodeID int64, length time.Duration) error {
	if length < 0 || length > maxSilence {
		return fault.Invalid("hours", "range", "时长为 0 到 720 小时", "The time is between 0 and 720 hours")
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		known, err := tx.NewSelect().Model((*Node)(nil)).Where("id = ?", nodeID).Exists(ctx)
		if err != nil {
			return err
		}
		if !known {
			return ErrNotFound
		}
		was, err := untilIn(ctx, tx, nodeID, s.db.Now())
		if err != nil {
			return err
		}
		var is *time.Time
		if length == 0 {
			_, err = tx.NewDelete().Model((*silence)(nil)).Where("node_id = ?", nodeID).Exec(ctx)
		} else {
			is = new(s.db.Now().Add(length))
			_, err = tx.NewInsert().Model(&silence{NodeID: nodeID, Until: *is}).On("CONFLICT (node_id) DO UPDATE").
				Set("until = EXCLUDED.until").Exec(ctx)
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "node.silence", audit.ID("node", nodeID), map[string]any{"silenced_until": was},
			map[string]any{"silenced_until": is}, "")
	})
}

// untilIn returns when the silence of a node ends; nil: it is not silenced.
func untilIn(ctx context.Context, tx bun.Tx, nodeID int64, now time.Time) (*time.Time, error) {
	var rows []silence
	err := tx.NewSelect().Model(&rows).Where("node_id = ? AND until > ?", nodeID, now).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0].Until, nil
}

// Holds reports whether a node is silenced now.
func (s *Silences) Holds(ctx context.Context, tx bun.Tx, nodeID int64) (bool, error) {
	until, err := untilIn(ctx, tx, nodeID, s.db.Now())
	return until != nil, err
}

// All returns when the silence of each silenced node ends, by the node's id.
func (s *Silences) All(ctx context.Context) (map[int64]time.Time, error) {
	var rows []silence
	if err := s.db.NewSelect().Model(&rows).Where("until > ?", s.db.Now()).Scan(ctx); err != nil {
		return nil, err
	}
	by := make(map[int64]time.Time, len(rows))
	for _, r := range rows {
		by[r.NodeID] = r.Until
	}
	return by, nil
}
