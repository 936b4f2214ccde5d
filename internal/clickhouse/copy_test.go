package clickhouse_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"airstrip/internal/clickhouse"
	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/job"
	"airstrip/internal/traffic"
)

func TestCopy_NewLateAndOldHours_AreThereOnceWithTheirTotals(t *testing.T) {
	each(t, func(w *world) {
		for ago := range int64(24 * 12) {
			for user := range int64(3) {
				w.log.count(key{w.hour(ago), user + 1, 1 + user%2, 1000}, 10+ago, 20)
			}
		}
		w.log.count(key{w.hour(0), 1, 1, 500}, 7, 8) // another rate
		w.nodes[1], w.nodes[2] = "Tokyo", "Paris 'B'"
		w.copy()
		w.has()

		w.log.count(key{w.hour(0), 1, 1, 1000}, 1000, 0) // the open hour grows
		w.log.count(key{w.hour(1), 9, 1, 1000}, 1, 1)    // the hour before gets a late row
		w.copy()
		w.has()

		w.log.count(key{w.hour(24 * 5), 1, 1, 1000}, 5, 5) // days late
		w.now = w.now.Add(2 * time.Hour)
		w.copy()
		w.has()
		if s := w.c.Status(); s != (clickhouse.Status{Up: true, Healed: 1}) {
			w.Errorf("status %+v, want one healed day and nothing that waits or differs", s)
		}

		w.now = w.now.Add(12 * time.Hour) // over midnight
		w.copy()
		w.has()
		if got := w.query(`SELECT name FROM node FINAL ORDER BY node_id`); !slices.Equal(got, []string{
			"Tokyo",
			"Paris 'B'",
		}) {
			w.Error(got)
		}
	})
}

func TestCopy_ClickHouseWasAway_FallsBackAndSendsTheBacklogLater(t *testing.T) {
	each(t, func(w *world) {
		w.log.count(key{w.hour(1), 1, 1, 1000}, 1, 2)
		w.copy()
		w.net.setCut(true)
		for range 24 * 4 {
			w.now = w.now.Add(time.Hour)
			w.log.count(key{w.hour(0), 1, 1, 1000}, 3, 4)
		}
		if err := w.c.Copy(w.Context()); !errors.Is(err, clickhouse.ErrAway) {
			w.Fatalf("the error is %v, want ErrAway", err)
		}
		q := clickhouse.Query{UserID: 1, From: noon.AddDate(0, 0, -2), To: w.now, Limit: 1000}
		records, source, err := w.c.Records(w.Context(), q)
		if err != nil || source != clickhouse.FromDatabase || len(records) != 97 {
			w.Errorf("%d records from %s, %v; want 97 of the database", len(records), source, err)
		}
		w.states = []clickhouse.State{{UserID: 1, Up: 7}}
		states, source, err := w.c.History(w.Context(), q)
		if err != nil || source != clickhouse.FromDatabase || len(states) != 1 || states[0].Up != 7 {
			w.Errorf("%v from %s, %v; want the present state of the database", states, source, err)
		}
		w.net.setCut(false)
		w.copy()
		w.has()
		if s := w.c.Status(); s != (clickhouse.Status{Up: true}) {
			w.Errorf("status %+v", s)
		}
	})
}

func TestRecords_FromClickHouse_AreThoseOfTheDatabase(t *testing.T) {
	each(t, func(w *world) {
		for ago := range int64(50) {
			w.log.count(key{w.hour(ago), 1, 1, 1500}, ago, 20)
			w.log.count(key{w.hour(ago), 1, 2, 1000}, ago, 20)
			w.log.count(key{w.hour(ago), 2, 2, 1000}, ago, 20)
		}
		w.copy()
		q := clickhouse.Query{UserID: 1, From: w.now.Add(-30 * time.Hour), To: w.now, Limit: 20, Offset: 5}
		want, _ := w.log.Page(w.Context(), 1, traffic.PageQuery{
			LogFilter: traffic.LogFilter{From: q.From, To: q.To}, Limit: q.Limit, Offset: q.Offset,
		})
		got, source, err := w.c.Records(w.Context(), q)
		if err != nil || source != clickhouse.FromClickHouse || fmt.Sprint(got) != fmt.Sprint(want.Records) {
			w.Errorf("from %s, %v:\n%v\nwant\n%v", source, err, got, want.Records)
		}
	})
}

func TestCompare_RowsThatShallNotBeThereOrAreMissing_AreHealedAndCounted(t *testing.T) {
	each(t, func(w *world) {
		for ago := range int64(24 * 20) {
			w.log.count(key{w.hour(ago), 1, 1, 1000}, 10, 20)
		}
		w.copy()
		for _, change := range []string{
			`INSERT INTO traffic SELECT 99, toDateTime('2026-03-01 04:00:00', 'UTC'), 1, 1000, 1, 1, 1, 1`,
			`ALTER TABLE traffic DELETE WHERE at < toDateTime('2026-02-25 00:00:00', 'UTC')`,
		} {
			if err := w.ch.Conn.Exec(w.Context(), change); err != nil {
				w.Fatal(err)
			}
		}
		for w.query(`SELECT toString(count()) FROM system.mutations WHERE NOT is_done
			AND database = currentDatabase()`)[0] != "0" {
			time.Sleep(20 * time.Millisecond)
		}
		done, err := w.c.CompareTraffic(w.Context())
		if err != nil || done.Days != 20 || done.Healed != 8 || done.Remaining != 0 {
			w.Errorf("%+v, %v; want 20 days of which 8 differed", done, err)
		}
		w.has()
		if s := w.c.Status(); s != (clickhouse.Status{Up: true, Healed: 8}) {
			w.Errorf("status %+v", s)
		}
	})
}

func TestLease_HolderIsFrozen_AnotherSendsAndTheLateRowsCountForNothing(t *testing.T) {
	each(t, func(w *world) {
		for ago := range int64(30) {
			w.log.count(key{w.hour(ago), 1, 1, 1000}, 1, 1)
		}
		w.copy() // the tables are there
		w.log.count(key{w.hour(0), 1, 1, 1000}, 10, 0)

		// The holder has read its totals and sends them, but nothing arrives.
		var resume func()
		stalled := make(chan struct{})
		w.log.afterReading(func() {
			resume = w.net.stall()
			close(stalled)
		})
		frozen := make(chan error, 1)
		go func() { frozen <- w.c.Copy(w.Context()) }()
		<-stalled
		defer resume()
		direct := w.open(clickhouse.Config{URL: w.ch.URL, Password: chtest.Password})
		if err := direct.Copy(w.Context()); !errors.Is(err, job.ErrRunning) {
			w.Fatalf("while another holds the lease: %v, want ErrRunning", err)
		}
		w.now = w.now.Add(3 * time.Minute)
		w.log.count(key{w.hour(0), 1, 1, 1000}, 100, 0)
		if err := direct.Copy(w.Context()); err != nil {
			w.Fatal(err)
		}
		w.has()
		resume()
		<-frozen // whatever it says, what it sent late changes nothing
		w.has()
		w.log.count(key{w.hour(0), 1, 1, 1000}, 1000, 0)
		if err := direct.Copy(w.Context()); err != nil {
			w.Fatal(err)
		}
		w.has()
	})
}
