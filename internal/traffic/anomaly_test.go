package traffic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

const gigabyte = 1 << 30

// watched is a site with three users who move 1 GB each on each of the five days before today, all on one
// node, and that tells what staff is notified of. There is an anomaly from 6 GB of a user and from 30 GB of the node
// on.
type watched struct {
	*site
	t       *testing.T
	node    node.Node
	people  []int64
	found   []string
	reports int
}

func eachWatched(t *testing.T, zone string, test func(w *watched)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := &watched{site: newSite(t, d), t: t}
		w.traffic.Register(w.queue)
		w.set("time_zone", zone)
		w.set("traffic_anomaly_factor", 5)
		w.set("traffic_anomaly_user_gb", 6)
		w.set("traffic_anomaly_node_gb", 30)
		w.set("traffic_anomaly_users", 2)
		w.node = w.site.node(t, 1000, 0, 0)
		for range 3 {
			u := w.open(t)
			w.people = append(w.people, u)
			w.start(t, service.Terms{UserID: u, Months: 12})
		}
		w.traffic.OnAnomaly(func(_ context.Context, _ bun.Tx, found []traffic.Anomaly) error {
			for _, f := range found {
				w.found = append(w.found, fmt.Sprintf("%s %d %s: %d, not %d", f.Of, f.ID, f.Day.Format(time.DateOnly),
					f.Bytes/gigabyte, f.Usual/gigabyte))
			}
			return nil
		})
		today := w.now
		for back := 5; back > 0; back-- {
			w.now = today.AddDate(0, 0, -back)
			for _, u := range w.people {
				w.move(u, 1)
			}
			w.expect()
		}
		w.now = today
		test(w)
	})
}

func (w *watched) set(name string, value any) {
	w.t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = w.settings.Set(w.t.Context(), map[string]json.RawMessage{name: text})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// move has a user move so many GB, half of them up.
func (w *watched) move(user, gb int64) {
	w.t.Helper()
	w.reports++
	half := gb * gigabyte / 2
	w.record(w.t, w.report(w.node, fmt.Sprint("b:", w.reports), traffic.Row{UserID: user, Up: half, Down: half}))
}

// expect watches twice and insists on what is found.
func (w *watched) expect(want ...string) {
	w.t.Helper()
	w.found = nil
	for range 2 {
		if err := w.queue.Trigger(w.t.Context(), "traffic.anomalies"); err != nil {
			w.t.Fatal(err)
		}
	}
	if !slices.Equal(w.found, want) {
		w.t.Errorf("at %v staff is notified of %q, want %q", w.now, w.found, want)
	}
}

func TestAnomalies_NotifyOnceADay(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		w.move(w.people[0], 5) // not more than five times
		w.move(w.people[1], 1)
		w.expect()
		w.move(w.people[0], 1)
		w.expect("user 1 2026-01-15: 6, not 1")
		w.move(w.people[0], 30)
		w.expect("node 1 2026-01-15: 37, not 3")
		w.now = w.now.AddDate(0, 0, 1)
		w.expect()
		w.move(w.people[0], 40)
		w.move(w.people[1], 8)
		w.expect("user 1 2026-01-16: 40, not 1", "node 1 2026-01-16: 48, not 3", "user 2 2026-01-16: 8, not 1")
	})
}

func TestAnomalies_BySettings(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		w.move(w.people[0], 40)
		w.expect("node 1 2026-01-15: 40, not 3") // one user alone is a small site
		w.move(w.people[1], 10)
		w.set("traffic_anomaly_factor", 0)
		w.expect()
		w.set("traffic_anomaly_factor", 50)
		w.expect()
		w.set("traffic_anomaly_factor", 5)
		w.set("traffic_anomaly_user_gb", 41)
		w.expect()
		w.set("traffic_anomaly_user_gb", 40)
		w.expect("user 1 2026-01-15: 40, not 1")
	})
}

func TestAnomalies_DefaultsAreSilentOnSmallSites(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		defaults := setting.Defaults()
		w.set("traffic_anomaly_factor", defaults.TrafficAnomalyFactor)
		w.set("traffic_anomaly_user_gb", defaults.TrafficAnomalyUserGB)
		w.set("traffic_anomaly_node_gb", defaults.TrafficAnomalyNodeGB)
		w.set("traffic_anomaly_users", defaults.TrafficAnomalyUsers)
		for _, u := range w.people {
			w.move(u, 600)
		}
		w.expect()
	})
}

func TestAnomalies_NothingIsUsualOfNewUsers(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		fresh := w.open(t)
		w.start(w.t, service.Terms{UserID: fresh, Months: 12})
		for range 3 {
			w.move(fresh, 1)
			w.move(w.people[0], 1)
			w.expect()
			w.now = w.now.AddDate(0, 0, 1)
		}
		w.move(w.people[0], 1)
		w.move(fresh, 9)
		w.expect("user 4 2026-01-18: 9, not 1")
	})
}

// Days are those of the site's calendar, and what a report of the last minutes brings after midnight is of today.
func TestAnomalies_AtMidnight(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		midnight := time.Date(2026, 1, 15, 16, 0, 0, 0, time.UTC)
		w.now = midnight.Add(-time.Second)
		w.move(w.people[0], 4)
		w.move(w.people[1], 1)
		w.expect()
		w.now = midnight
		w.move(w.people[0], 4) // 8 GB within two seconds, and of neither day too many
		w.move(w.people[1], 1)
		w.expect()
		w.now = midnight.Add(24*time.Hour - time.Second)
		w.move(w.people[0], 20)
		w.now = midnight.Add(24 * time.Hour) // nobody looked on the day itself
		w.expect("user 1 2026-01-16: 24, not 1")
		w.now = midnight.Add(23 * time.Hour) // the clock is set back
		w.expect()
	})
}

// At the midnight before 6 September 2026 the clocks of Chile go forward: the day begins at 01:00.
func TestAnomalies_OnADayWithoutMidnight(t *testing.T) {
	eachWatched(t, "America/Santiago", func(w *watched) {
		begins := time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC)
		for back := 5; back > 0; back-- {
			w.now = begins.AddDate(0, 0, -back)
			for _, u := range w.people {
				w.move(u, 1)
			}
			w.expect()
		}
		w.now = begins
		w.move(w.people[0], 9)
		w.move(w.people[1], 1)
		w.expect("user 1 2026-09-06: 9, not 1")
		w.now = begins.Add(23*time.Hour - time.Second) // the day has 23 hours
		w.move(w.people[1], 8)
		w.now = begins.Add(23 * time.Hour)
		w.expect("user 2 2026-09-06: 9, not 1")
	})
}

func TestAnomalies_ForgetClosedUsers(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		w.move(w.people[0], 9)
		w.move(w.people[1], 9)
		w.expect("user 1 2026-01-15: 9, not 1", "user 2 2026-01-15: 9, not 1")
		w.do(w.t, func(ctx context.Context, tx bun.Tx) error { return w.traffic.Close(ctx, tx, w.people[0]) })
		w.expect() // nobody is notified anew of who is gone
		if left := w.ints(w.t, `SELECT object_id FROM traffic_anomaly`); !slices.Equal(left, []int64{w.people[1]}) {
			t.Errorf("days of %v are stored", left)
		}
		w.now = w.now.AddDate(0, 0, 62)
		w.expect()
		if left := w.ints(w.t, `SELECT object_id FROM traffic_anomaly`); len(left) != 0 {
			t.Errorf("days of %v are stored for ever", left)
		}
	})
}
