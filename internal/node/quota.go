package node

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Month is the period of a node's quota, and the traffic in it.
type Month struct {
	Begins time.Time
	Ends   time.Time
	Used   int64 // bytes, up and down together
}

// monthOf returns the first day of the quota's month that contains local, and that of the next month.
func monthOf(local time.Time, resetDay int) (begins, ends time.Time) {
	begin := func(months int) time.Time {
		last := time.Date(local.Year(), local.Month()+time.Month(months)+1, 0, 0, 0, 0, 0, local.Location()).Day()
		return time.Date(local.Year(), local.Month()+time.Month(months), min(resetDay, last), 0, 0, 0, 0,
			local.Location())
	}
	if begins = begin(0); local.Before(begins) {
		return begin(-1), begins
	}
	return begins, begin(1)
}

// dayOf returns the day in the form of the log by day, such as 20261231.
func dayOf(local time.Time) int64 {
	return int64(local.Year()*10_000 + int(local.Month())*100 + local.Day())
}

// LocalTime returns the time in the site's time zone.
func (ls *Limits) LocalTime() time.Time { return ls.db.Now().In(ls.settings.Get().Zone()) }

// Months returns the current month of each node's quota, by id, also of nodes without a quota.
func (ls *Limits) Months(ctx context.Context, nodes ...Node) (map[int64]Month, error) {
	return ls.months(ctx, ls.db, nodes...)
}

func (ls *Limits) months(ctx context.Context, idb bun.IDB, nodes ...Node) (map[int64]Month, error) {
	local := ls.LocalTime()
	ids := make([]int64, len(nodes))
	by := make(map[int64]Month, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
		begins, ends := monthOf(local, n.ResetDay)
		by[n.ID] = Month{Begins: begins, Ends: ends}
	}
	var rows []struct{ NodeID, Day, Used int64 }
	err := idb.NewSelect().TableExpr("node_day").ColumnExpr("node_id, day, up + down AS used").
		Where("node_id IN (?) AND day >= ?", bun.List(ids), dayOf(local.AddDate(0, 0, -31))).Scan(ctx, &rows)
	for _, r := range rows {
		if m := by[r.NodeID]; r.Day >= dayOf(m.Begins) {
			m.Used += r.Used
			by[r.NodeID] = m
		}
	}
	return by, err
}

// setDerived sets the fields that follow from the clock and from the counted traffic.
func (rg *Registry) setDerived(ctx context.Context, tx bun.Tx, n *Node) error {
	n.PublishedPermille, n.Spent = n.Rate(rg.limits.LocalTime()), false
	if n.QuotaBytes == nil || n.ID == 0 {
		return nil
	}
	months, err := rg.limits.months(ctx, tx, *n)
	n.Spent = months[n.ID].Used >= *n.QuotaBytes
	return err
}

// ApplyLimits closes the nodes whose quota is used up, opens those whose quota's month is over, and publishes rates
// that changed with the hour. Without ids it checks all nodes.
func (rg *Registry) ApplyLimits(ctx context.Context, ids ...int64) error {
	var nodes []Node
	q := rg.db.NewSelect().Model(&nodes).Where("(quota_bytes IS NOT NULL OR CAST(hour_rates AS TEXT) <> '[]')")
	if len(ids) > 0 {
		q = q.Where("id IN (?)", bun.List(ids))
	}
	if err := q.Scan(ctx); err != nil || len(nodes) == 0 {
		return err
	}
	months, err := rg.limits.Months(ctx, nodes...)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		spent := n.QuotaBytes != nil && months[n.ID].Used >= *n.QuotaBytes
		if spent == n.Spent && n.Rate(rg.limits.LocalTime()) == n.PublishedPermille {
			continue
		}
		if _, err := rg.Change(ctx, n.ID, func(*Node) {}); err != nil {
			return err
		}
	}
	return nil
}
