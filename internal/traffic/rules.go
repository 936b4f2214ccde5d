package traffic

import (
	"context"
	"fmt"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/setting"
)

var rules = []db.Rule{
	{Name: "I14", Says: "the days of users and the days of nodes count the same bytes", Query: `
		SELECT 'day ' || CAST(day AS TEXT) FROM (SELECT day, up, down, billed FROM traffic_day
		UNION ALL SELECT day, -up, -down, -billed FROM node_day) AS both_days
		GROUP BY day HAVING SUM(up) <> 0 OR SUM(down) <> 0 OR SUM(billed) <> 0`},
	{Name: "I14", Says: "what was taken from a user's services and packages is what the user's days count", Query: `
		SELECT 'user ' || CAST(user_id AS TEXT) FROM (
			SELECT v.user_id, c.up, c.down, c.billed FROM service v JOIN service_cycle c ON c.service_id = v.id
			UNION ALL SELECT user_id, up, down, used FROM package
			UNION ALL SELECT user_id, up, down, billed FROM traffic_unbilled
			UNION ALL SELECT user_id, -up, -down, -billed FROM traffic_day) AS both_counts
		GROUP BY user_id HAVING SUM(up) <> 0 OR SUM(down) <> 0 OR SUM(billed) <> 0`},
}

// hourRules compare the hours that are still there with the days from one on, of users and of nodes.
func hourRules(hour, day int64) (rules []db.Rule) {
	for _, of := range []struct{ id, days, name string }{
		{"user_id", "traffic_day", "user"},
		{"node_id", "node_day", "node"},
	} {
		rules = append(rules, db.Rule{Name: "I14", Says: "the hours and the days of a " + of.name + " count the same bytes", Query: fmt.Sprintf(`
			SELECT '%s ' || CAST(id AS TEXT) FROM (SELECT %s AS id, up, down, billed FROM traffic_hour WHERE hour >= %d
				UNION ALL SELECT %s, -up, -down, -billed FROM %s WHERE day >= %d) AS both_logs
			GROUP BY id HAVING SUM(up) <> 0 OR SUM(down) <> 0 OR SUM(billed) <> 0`, of.name, of.id, hour, of.id, of.days, day)})
	}
	return rules
}

// Check returns every place where the counters of traffic do not agree.
func Check(ctx context.Context, d *db.DB, settings *setting.Settings) ([]db.Violation, error) {
	hour, day, err := initialFullDay(ctx, d, settings)
	if err != nil {
		return nil, err
	}
	return db.Check(ctx, d, append(hourRules(hour, day), rules...)...)
}

// initialFullDay returns the first day of which all hours are there and follow the present time zone, and its first
// hour. Where midnight is within an hour, the hour's bytes belong to two days; then days are compared only while no
// hour was removed.
func initialFullDay(ctx context.Context, d *db.DB, settings *setting.Settings) (hour, day int64, err error) {
	var hours, days []int64
	if err := d.NewRaw(`SELECT hour FROM (SELECT MIN(hour) AS hour FROM traffic_hour) AS first WHERE hour IS NOT NULL`).
		Scan(ctx, &hours); err != nil {
		return 0, 0, err
	}
	if err := d.NewRaw(`SELECT day FROM (SELECT MIN(day) AS day FROM traffic_day) AS first WHERE day IS NOT NULL`).
		Scan(ctx, &days); err != nil {
		return 0, 0, err
	}
	var moved []time.Time
	if err := d.NewRaw(`SELECT updated_at FROM setting WHERE name = ?`, "time_zone").Scan(ctx, &moved); err != nil {
		return 0, 0, err
	}
	zone := settings.Get().Zone()
	from := d.Now().AddDate(0, 0, -settings.Get().TrafficLogDays)
	if len(hours) > 0 {
		first := time.Unix(hours[0]*3600, 0)
		if len(moved) == 0 && len(days) > 0 && days[0] == dayOf(first.In(zone)) && from.Before(first) {
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
		begins = startOfNext(d.Now().AddDate(1, 0, 0).In(zone))
	}
	return begins.Unix() / 3600, dayOf(begins), nil
}
