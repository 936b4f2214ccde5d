package traffic

import (
	"context"
	"slices"
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
	return t.totals(at, func(days []int64) (rows []dayAmount, err error) {
		err = t.db.NewRaw(`SELECT day, up, down, billed FROM node_day WHERE node_id = ? AND day IN (?)`, nodeID,
			bun.List(days)).Scan(ctx, &rows)
		return rows, err
	})
}

// dayAmount is what was moved on a day, which is written as 20260131.
type dayAmount struct {
	Day int64
	Amount
}

// UserTotals returns what the user moved on the day of each of the times.
func (t *Traffic) UserTotals(ctx context.Context, userID int64, at []time.Time) ([]Total, error) {
	return t.totals(at, func(days []int64) (rows []dayAmount, err error) {
		found, err := t.history.Days(ctx, userID, days[0], days[len(days)-1]+1)
		for _, d := range found {
			rows = append(rows, dayAmount{d.Day, d.Amount})
		}
		return rows, err
	})
}

func (t *Traffic) totals(at []time.Time, read func(days []int64) ([]dayAmount, error)) ([]Total, error) {
	zone := t.settings.Get().Zone()
	totals := make([]Total, len(at))
	days, of := make([]int64, len(at)), make([]int64, len(at))
	for i, moment := range at {
		local := moment.In(zone)
		days[i], of[i] = dayOf(local), dayOf(local)
		totals[i] = Total{At: moment, Begins: time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone).
			UTC()}
	}
	if len(at) == 0 {
		return totals, nil
	}
	slices.Sort(days)
	rows, err := read(slices.Compact(days))
	for _, r := range rows {
		for i, day := range of {
			if day == r.Day {
				totals[i].Up, totals[i].Down, totals[i].Billed = r.Up, r.Down, r.Billed
			}
		}
	}
	return totals, err
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
	sums, err := t.history.SumByUserOn(ctx, nodeID, ceilHour(from))
	if err != nil {
		return nil, err
	}
	ranked := ranking(sums)
	ranked = ranked[:min(int64(len(ranked)), max(0, limit))]
	ids := make([]int64, len(ranked))
	for i, u := range ranked {
		ids[i] = u.UserID
	}
	var found []struct {
		ID    int64
		Email string
	}
	if len(ids) > 0 {
		if err := t.db.NewRaw(`SELECT id, email FROM account WHERE id IN (?)`, bun.List(ids)).Scan(ctx, &found); err != nil {
			return nil, err
		}
	}
	emails := map[int64]string{}
	for _, f := range found {
		emails[f.ID] = f.Email
	}
	users := make([]Heavy, len(ranked))
	for i, u := range ranked {
		users[i] = Heavy{u.UserID, emails[u.UserID], u.Up, u.Down, u.Billed}
	}
	return users, nil
}

// LogSize returns what the traffic log takes in the database.
func (t *Traffic) LogSize(ctx context.Context) (bytes int64, err error) { return t.history.Size(ctx) }
