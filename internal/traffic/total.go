package traffic

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Total is what was moved on one day of the site's time zone.
type Total struct {
	At     time.Time // that was asked for
	Begins time.Time // of the day that At lies in
	Up     int64
	Down   int64
	Billed int64
}

// NodeTotals returns what the node moved on the day of each of the times.
func (t *Traffic) NodeTotals(ctx context.Context, nodeID int64, at []time.Time) ([]Total, error) {
	return t.totals(ctx, "node_day", "node_id", nodeID, at)
}

// UserTotals returns what the user moved on the day of each of the times.
func (t *Traffic) UserTotals(ctx context.Context, userID int64, at []time.Time) ([]Total, error) {
	return t.totals(ctx, "traffic_day", "user_id", userID, at)
}

func (t *Traffic) totals(ctx context.Context, table, key string, id int64, at []time.Time) ([]Total, error) {
	zone := t.settings.Get().Zone()
	totals := make([]Total, len(at))
	days := make([]int64, len(at))
	for i, moment := range at {
		local := moment.In(zone)
		days[i] = dayOf(local)
		totals[i] = Total{At: moment, Begins: time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone).
			UTC()}
	}
	if len(at) == 0 {
		return totals, nil
	}
	var rows []struct{ Day, Up, Down, Billed int64 }
	err := t.db.NewSelect().TableExpr("?", bun.Ident(table)).ColumnExpr("day, up, down, billed").
		Where("? = ? AND day IN (?)", bun.Ident(key), id, bun.List(days)).Scan(ctx, &rows)
	for _, r := range rows {
		for i, day := range days {
			if day == r.Day {
				totals[i].Up, totals[i].Down, totals[i].Billed = r.Up, r.Down, r.Billed
			}
		}
	}
	return totals, err
}

// NodeDays returns the node's newest days with traffic, at most limit, the oldest first.
func (t *Traffic) NodeDays(ctx context.Context, nodeID, limit int64) ([]Point, error) {
	return t.days(ctx, "node_day", "node_id", nodeID, 0, dayOf(t.Now())+1, limit)
}

// Heavy is a user with what they moved on a node.
type Heavy struct {
	UserID int64
	Email  string
	Up     int64
	Down   int64
	Billed int64
}

// HeaviestOn returns the users who moved most on the node since from, at most limit, the most first.
func (t *Traffic) HeaviestOn(ctx context.Context, nodeID int64, from time.Time, limit int64) ([]Heavy, error) {
	var users []Heavy
	err := t.db.NewRaw(`SELECT u.user_id, coalesce(a.email, '') AS email, u.up, u.down, u.billed FROM
			(SELECT user_id, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down, CAST(sum(billed) AS BIGINT) AS billed
			FROM traffic_hour WHERE node_id = ? AND hour >= ? GROUP BY user_id ORDER BY sum(up + down) DESC, user_id
			LIMIT ?) AS u
		LEFT JOIN account AS a ON a.id = u.user_id
		ORDER BY u.up + u.down DESC, u.user_id`, nodeID, ceilHour(from), limit).Scan(ctx, &users)
	return users, err
}
