package traffic

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/setting"
)

// AnomalyOf says whose day it is.
type AnomalyOf string

// Whose day is compared with its usual.
const (
	OfUser AnomalyOf = "user"
	OfNode AnomalyOf = "node"
	// OfInterface is a node's day that has more than the network interface of its machine carried.
	OfInterface AnomalyOf = "interface"
)

// Anomaly is a day of a user or node that is far beyond its usual, or that of a node beyond its interface.
type Anomaly struct {
	Of    AnomalyOf
	ID    int64
	Day   time.Time // noon of a day of the site's calendar
	Bytes int64     // up and down, so far
	Usual int64     // the median of the days before with traffic; of an interface what it carried
}

const (
	// usualDays is how many days before are looked at, and minDays how many of them need traffic: before that nothing
	// is usual yet.
	usualDays = 14
	minDays   = 3
	// anomalyRetention is how long it is stored who was notified of what.
	anomalyRetention = 60 * 24 * time.Hour
	gigabyte         = 1 << 30
)

// OnAnomaly has fn called with anomalies that nobody was notified of, in the transaction that stores them: each user
// and node at most once for each day, the farthest beyond its usual first.
func (t *Traffic) OnAnomaly(fn func(ctx context.Context, tx bun.Tx, found []Anomaly) error) {
	t.onAnomaly = append(t.onAnomaly, fn)
}

// watchDays looks for anomalies of today, and of yesterday, since bytes of its last minutes come after its end.
func (t *Traffic) watchDays(ctx context.Context) error {
	site := t.settings.Get()
	if site.TrafficAnomalyFactor == 0 {
		return nil
	}
	now := t.db.Now().In(site.Zone())
	var found []Anomaly
	for _, back := range []int{1, 0} {
		// There is a noon on every day, but no midnight where the clocks go forward at it.
		day := time.Date(now.Year(), now.Month(), now.Day()-back, 12, 0, 0, 0, now.Location())
		users, err := t.userAnomalies(ctx, day, site)
		if err != nil {
			return err
		}
		nodes, err := t.nodeAnomalies(ctx, day, site)
		if err != nil {
			return err
		}
		beyond, err := t.interfaceAnomalies(ctx, day)
		if err != nil {
			return err
		}
		found = append(append(append(found, users...), nodes...), beyond...)
	}
	slices.SortStableFunc(found, func(a, b Anomaly) int { return cmp.Compare(b.times(), a.times()) })
	return t.storeAnomalies(ctx, now, found)
}

// storeAnomalies stores what was found, and notifies of what is new. The bytes of a day that was found before are
// stored again, since the day went on.
func (t *Traffic) storeAnomalies(ctx context.Context, now time.Time, found []Anomaly) error {
	return t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw(`DELETE FROM traffic_anomaly WHERE day < ?`, dayOf(now.Add(-anomalyRetention))).
			Exec(ctx); err != nil {
			return err
		}
		var fresh []Anomaly
		for _, a := range found {
			n, err := db.Changed(tx.NewRaw(`INSERT INTO traffic_anomaly (kind, object_id, day, bytes, usual)
				VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, object_id, day) DO NOTHING`, a.Of, a.ID, dayOf(a.Day), a.Bytes,
				a.Usual).Exec(ctx))
			if err != nil {
				return err
			}
			if n == 1 {
				fresh = append(fresh, a)
				continue
			}
			if _, err := tx.NewRaw(`UPDATE traffic_anomaly SET bytes = ?, usual = ? WHERE kind = ? AND object_id = ?
				AND day = ?`, a.Bytes, a.Usual, a.Of, a.ID, dayOf(a.Day)).Exec(ctx); err != nil {
				return err
			}
		}
		if len(fresh) == 0 {
			return nil
		}
		for _, fn := range t.onAnomaly {
			if err := fn(ctx, tx, fresh); err != nil {
				return err
			}
		}
		return nil
	})
}

// times is how many times its usual a day is.
func (a Anomaly) times() int64 { return a.Bytes / max(1, a.Usual) }

// beyond tells whether so many bytes are more than the usual times the factor.
func beyond(bytes, usual int64, factor int) bool {
	hi, lo := bits.Mul64(uint64(usual), uint64(factor))
	return hi == 0 && uint64(bytes) > lo
}

// usualOf returns the median of days with traffic; ok is false where they are too few.
func usualOf(days []int64) (usual int64, ok bool) {
	if len(days) < minDays {
		return 0, false
	}
	slices.Sort(days)
	return days[len(days)/2], true
}

// userAnomalies compares the day of each user who moved much with the days before it. On days on which few users moved
// anything it finds none: on a small site one person's weekend is far beyond the usual.
func (t *Traffic) userAnomalies(ctx context.Context, day time.Time, site setting.Site) (found []Anomaly, err error) {
	number := dayOf(day)
	sums, err := t.history.SumByUser(ctx, number, number+1)
	if err != nil {
		return nil, err
	}
	gone, err := t.history.Forgotten(ctx, t.db)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(sums, func(id int64, _ Amount) bool { return gone[id] })
	if len(sums) < site.TrafficAnomalyUsers {
		return nil, nil
	}
	first := dayOf(day.AddDate(0, 0, -usualDays))
	for id, sum := range sums {
		bytes := saturate(sum.Up, sum.Down)
		if bytes < int64(site.TrafficAnomalyUserGB)*gigabyte {
			continue
		}
		before, err := t.history.Days(ctx, id, first, number)
		if err != nil {
			return nil, err
		}
		days := make([]int64, len(before))
		for i, d := range before {
			days[i] = saturate(d.Up, d.Down)
		}
		if usual, ok := usualOf(days); ok && beyond(bytes, usual, site.TrafficAnomalyFactor) {
			found = append(found, Anomaly{OfUser, id, day, bytes, usual})
		}
	}
	slices.SortFunc(found, func(a, b Anomaly) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

// nodeAnomalies does the same for nodes.
func (t *Traffic) nodeAnomalies(ctx context.Context, day time.Time, site setting.Site) (found []Anomaly, err error) {
	var rows []struct{ NodeID, Day, Up, Down int64 }
	if err := t.db.NewRaw(`SELECT node_id, day, up, down FROM node_day WHERE day >= ? AND day <= ?
		ORDER BY node_id, day`, dayOf(day.AddDate(0, 0, -usualDays)), dayOf(day)).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	before := map[int64][]int64{}
	for _, r := range rows {
		bytes := saturate(r.Up, r.Down)
		if r.Day != dayOf(day) {
			before[r.NodeID] = append(before[r.NodeID], bytes)
			continue
		}
		usual, ok := usualOf(before[r.NodeID])
		if ok && bytes >= int64(site.TrafficAnomalyNodeGB)*gigabyte && beyond(bytes, usual, site.TrafficAnomalyFactor) {
			found = append(found, Anomaly{OfNode, r.NodeID, day, bytes, usual})
		}
	}
	return found, nil
}
