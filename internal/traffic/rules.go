package traffic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/setting"
	"airstrip/internal/trafficlog"
)

// taken is what was taken from each user's services and packages. It compares counters of other packages with the log.
var taken = db.Rule{Name: "I14", Says: "what was taken from a user's services and packages is what the user's days count", Query: `
	SELECT user_id, CAST(SUM(up) AS BIGINT) AS up, CAST(SUM(down) AS BIGINT) AS down, CAST(SUM(billed) AS BIGINT) AS billed
	FROM (
		SELECT v.user_id, c.up, c.down, c.billed FROM service v JOIN service_cycle c ON c.service_id = v.id
		UNION ALL SELECT user_id, up, down, used FROM package
		UNION ALL SELECT user_id, up, down, billed FROM traffic_unbilled) AS all_counts
	GROUP BY user_id`}

// difference is by how much two counters differ; each is 0 where they agree.
type difference = map[int64]Amount

func add(to difference, key int64, a Amount) {
	b := to[key]
	to[key] = Amount{Up: b.Up + a.Up, Down: b.Down + a.Down, Billed: b.Billed + a.Billed}
}

func subtract(from difference, key int64, a Amount) {
	add(from, key, Amount{Up: -a.Up, Down: -a.Down, Billed: -a.Billed})
}

// check compares the counters of traffic in one snapshot.
type check struct {
	log       *trafficlog.Log
	hour, day int64 // the hours from which on, and the days, that are compared
	forgotten map[int64]bool

	days, users, hourUsers, hourNodes difference
	broken                            []db.Violation
}

// Check returns every place where the counters of traffic do not agree.
func Check(ctx context.Context, d *db.DB, settings *setting.Settings) ([]db.Violation, error) {
	c := &check{
		log: trafficlog.New(d), days: difference{}, users: difference{}, hourUsers: difference{},
		hourNodes: difference{},
	}
	err := d.LongReadTx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		if c.hour, c.day, err = initialFullDay(ctx, tx, c.log, d.Now(), settings.Get()); err != nil {
			return err
		}
		if c.forgotten, err = c.log.Forgotten(ctx, tx); err != nil {
			return err
		}
		if err := c.readNodes(ctx, tx); err != nil {
			return err
		}
		if err := c.readLog(ctx, tx); err != nil {
			return err
		}
		var rows []UserAmount
		if err := tx.NewRaw(taken.Query).Scan(ctx, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			subtract(c.users, c.owner(r.UserID), r.Amount)
		}
		return nil
	})
	c.expectNone(c.days, "the days of users and the days of nodes count the same bytes", "day")
	c.expectNone(c.users, taken.Says, "user")
	c.expectNone(c.hourUsers, "the hours and the days of a user count the same bytes", "user")
	c.expectNone(c.hourNodes, "the hours and the days of a node count the same bytes", "node")
	return c.broken, err
}

// owner is the user to whom the log adds a user's bytes: those of forgotten ones are together.
func (c *check) owner(user int64) int64 {
	if c.forgotten[user] {
		return 0
	}
	return user
}

func (c *check) readNodes(ctx context.Context, tx bun.Tx) error {
	var rows []struct {
		NodeID, Day int64
		Amount
	}
	if err := tx.NewRaw(`SELECT node_id, day, up, down, billed FROM node_day`).Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		add(c.days, r.Day, r.Amount)
		if r.Day >= c.day {
			subtract(c.hourNodes, r.NodeID, r.Amount)
		}
	}
	return nil
}

func (c *check) readLog(ctx context.Context, tx bun.Tx) error {
	months := difference{} // those whose days were removed
	err := c.log.Visit(ctx, tx, trafficlog.Visitor{
		Day: func(d trafficlog.UserDay) {
			subtract(c.days, d.Day, d.Amount)
			add(c.users, c.owner(d.UserID), d.Amount)
			if d.Day >= c.day {
				subtract(c.hourUsers, c.owner(d.UserID), d.Amount)
			}
		},
		Month: func(d trafficlog.UserDay) {
			add(months, d.Day, d.Amount)
			add(c.users, c.owner(d.UserID), d.Amount)
		},
		Row: func(r trafficlog.HourTotal) {
			if r.Hour >= c.hour {
				add(c.hourUsers, c.owner(r.UserID), r.Amount)
				add(c.hourNodes, r.NodeID, r.Amount)
			}
		},
		Broken: func(what string) {
			c.broken = append(c.broken, db.Violation{Rule: "I14: the log of traffic can be read", What: what})
		},
	})
	for day, a := range maps.Clone(c.days) {
		if _, folded := months[monthOf(day)]; folded {
			delete(c.days, day)
			subtract(months, monthOf(day), a)
		}
	}
	for month, a := range months {
		add(c.days, month, a)
	}
	return err
}

// shownDifferences is how many examples of a broken rule are named.
const shownDifferences = 20

func (c *check) expectNone(all difference, says, name string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all[key] == (Amount{}) {
			continue
		}
		if len(c.broken) > 0 && c.broken[len(c.broken)-1].Rule == "I14: "+says && len(c.broken) >= shownDifferences {
			return
		}
		c.broken = append(c.broken, db.Violation{Rule: "I14: " + says, What: fmt.Sprintf("%s %d", name, key)})
	}
}

// initialFullDay returns the first day of which all hours are there and follow the present time zone, and its first
// hour. Where midnight is within an hour, the hour's bytes belong to two days; then days are compared only while no
// hour was removed.
func initialFullDay(
	ctx context.Context, tx bun.Tx, log *trafficlog.Log, now time.Time, site setting.Site,
) (hour, day int64, err error) {
	firstHour, hasHours, err := log.FirstHour(ctx, tx)
	if err != nil {
		return 0, 0, err
	}
	firstDay, hasDays, err := log.FirstDay(ctx, tx)
	if err != nil {
		return 0, 0, err
	}
	var moved []time.Time
	if err := tx.NewRaw(`SELECT updated_at FROM setting WHERE name = ?`, "time_zone").Scan(ctx, &moved); err != nil {
		return 0, 0, err
	}
	zone := site.Zone()
	from := now.AddDate(0, 0, -site.TrafficLogDays)
	if hasHours {
		first := time.Unix(firstHour*3600, 0)
		if len(moved) == 0 && hasDays && firstDay == dayOf(first.In(zone)) && from.Before(first) {
			return 0, 0, nil
		}
		if first.After(from) {
			from = first
		}
	}
	if len(moved) > 0 && moved[0].After(from) {
		from = moved[0]
	}
	begins := startOfNext(from.In(zone))
	if begins.Unix()%3600 != 0 {
		begins = startOfNext(now.AddDate(1, 0, 0).In(zone))
	}
	return begins.Unix() / 3600, dayOf(begins), nil
}
