package node

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Outage is a time without contact from a node that is longer than the setting allows.
type Outage struct {
	bun.BaseModel `bun:"table:node_outage"`
	ID            int64 `bun:",pk,autoincrement"`
	NodeID        int64
	BeganAt       time.Time  // the last contact before it
	EndedAt       *time.Time // nil: it lasts
}

// OnOutage has fn called once when an outage begins and once when it ends, in the transaction that records it.
func (mo *Monitor) OnOutage(fn func(ctx context.Context, tx bun.Tx, n Node, o Outage) error) {
	mo.onOutage = append(mo.onOutage, fn)
}

// maxBreak is the time between two searches for outages after which the server counts as having been away. One search
// is due each minute.
const maxBreak = 90 * time.Second

// findOutages records outages of enabled nodes that were in contact before. While the server or its database is away no
// node can be in contact: after such a break each node has as long as it may be silent to come back.
func (mo *Monitor) findOutages(ctx context.Context) error {
	now := mo.db.Now()
	silent := now.Add(-time.Duration(mo.settings.Get().NodeOfflineMinutes) * time.Minute)
	return mo.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var since time.Time
		err := tx.NewRaw(`INSERT INTO node_watch (id, since, looked_at) VALUES (1, ?0, ?0) ON CONFLICT (id)
			DO UPDATE SET looked_at = EXCLUDED.looked_at,
			since = CASE WHEN node_watch.looked_at BETWEEN ?1 AND ?0 THEN node_watch.since ELSE EXCLUDED.since END RETURNING since`,
			now, now.Add(-maxBreak)).Scan(ctx, &since)
		if err != nil {
			return err
		}
		var rows []struct {
			Node
			SeenAt   time.Time
			OutageID *int64
			BeganAt  *time.Time
		}
		err = tx.NewSelect().Model((*Node)(nil)).ColumnExpr("node.*, s.seen_at, o.id AS outage_id, o.began_at").
			Join("JOIN node_state AS s ON s.node_id = node.id").
			Join("LEFT JOIN node_outage AS o ON o.node_id = node.id AND o.ended_at IS NULL").
			Where("node.enabled AND (s.seen_at <= ?) <> (o.id IS NOT NULL)", silent).OrderExpr("node.id").
			Scan(ctx, &rows)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if r.OutageID == nil && since.After(silent) {
				continue
			}
			o := Outage{NodeID: r.ID, BeganAt: r.SeenAt}
			if r.OutageID == nil {
				_, err = tx.NewInsert().Model(&o).Exec(ctx)
			} else {
				o = Outage{ID: *r.OutageID, NodeID: r.ID, BeganAt: *r.BeganAt, EndedAt: &r.SeenAt}
				_, err = tx.NewUpdate().Model(&o).Column("ended_at").WherePK().Exec(ctx)
			}
			if err != nil {
				return err
			}
			for _, fn := range mo.onOutage {
				if err := fn(ctx, tx, r.Node, o); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Outages returns the node's outages since from, the newest first.
func (mo *Monitor) Outages(ctx context.Context, nodeID int64, from time.Time) ([]Outage, error) {
	var rows []Outage
	err := mo.db.NewSelect().Model(&rows).Where("node_id = ? AND (ended_at IS NULL OR ended_at > ?)", nodeID, from).
		OrderExpr("began_at DESC").Limit(1000).Scan(ctx)
	return rows, err
}
