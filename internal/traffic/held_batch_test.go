package traffic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

func TestBatchesRefusedForTheirTime_AreKeptAndCountedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, Months: 12, Reset: service.CalendarMonth})
		n := s.node(t, 2000, 0, 0)
		old, ahead := s.report(n, "b:1", traffic.Row{UserID: u, Up: 1, Down: 2}),
			s.report(n, "b:2", traffic.Row{UserID: u, Up: 10, Down: 20})
		s.now = s.now.AddDate(0, 0, 20) // the next month
		if err := s.queue.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		ahead.From, ahead.To = s.now, s.now.Add(time.Hour)
		for range 3 {
			if r := s.record(t, old); r.Repeated == (r.Kept == traffic.TooOld) {
				t.Fatalf("too old: %+v", r)
			}
			if r := s.record(t, ahead); r.Repeated == (r.Kept == traffic.Future) {
				t.Fatalf("of the future: %+v", r)
			}
		}
		kept, total, err := s.traffic.HeldBatches(t.Context(), traffic.HeldQuery{NodeID: n.ID, Limit: 10})
		if err != nil || total != 2 || len(kept) != 2 || kept[1].Up != 1 || kept[1].Down != 2 || kept[1].RowCount != 1 {
			t.Fatalf("%+v, %v", kept, err)
		}
		one := traffic.Decision{BatchID: kept[1].ID, NodeID: n.ID, Note: "a dead clock", By: &u}
		counted, refused, err := s.traffic.CountHeld(t.Context(), one, 1500, true)
		if err != nil || len(refused) > 0 || counted.State != "counted" || *counted.RatePermille != 1500 ||
			*counted.OwnCycle != 1 ||
			counted.Note != one.Note || *counted.DecidedBy != u {
			t.Fatal(counted, refused, err)
		}
		if _, _, err := s.traffic.CountHeld(t.Context(), traffic.Decision{BatchID: kept[1].ID}, 1500,
			true); !errors.Is(err, traffic.ErrHeldDecided) {
			t.Fatal(err)
		}
		if _, err := s.traffic.DismissHeld(t.Context(), traffic.Decision{BatchID: kept[0].ID, By: &u}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.traffic.CountHeld(t.Context(), traffic.Decision{BatchID: kept[0].ID}, 1500,
			true); !errors.Is(err, traffic.ErrHeldDecided) {
			t.Fatal(err)
		}
		if _, _, err := s.traffic.CountHeld(t.Context(), traffic.Decision{BatchID: 99}, 1500, true); !errors.Is(err,
			traffic.ErrNoHeldBatch) {
			t.Fatal(err)
		}
		// 1.5 and 3, rounded apart
		if got := s.ints(t, `SELECT billed FROM service_cycle ORDER BY cycle`); !slices.Equal(got, []int64{4, 0}) {
			t.Fatalf("billed %v", got)
		}
	})
}

// Whoever has a node's secret cannot fill the database with batches for staff.
func TestKeptBatches_AreBounded(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		n := s.node(t, 1000, 0, 0)
		full := 0
		for i := range 510 {
			r := s.report(n, fmt.Sprint("b:", i), traffic.Row{UserID: u, Up: 1})
			r.From, r.To = s.now.AddDate(0, 0, -9), s.now.AddDate(0, 0, -8)
			if _, err := s.traffic.Record(t.Context(), r); errors.Is(err, traffic.ErrKeptFull) {
				full++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if full != 10 {
			t.Errorf("%d were turned away", full)
		}
	})
}

// Late bytes count in the hour, the cycle and at the rate of their window, also those of a service that ended
// meanwhile.
func TestLateBytes_CountWhereTheyWereMoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.now = time.Date(2026, 1, 5, 3, 0, 0, 0, time.UTC)
		u, ended := s.open(t), s.open(t)
		s.start(t, service.Terms{UserID: u, Months: 12, Reset: service.CalendarMonth})
		s.start(t, service.Terms{UserID: ended, Months: 12})
		s.now = time.Date(2026, 1, 30, 3, 0, 0, 0, time.UTC)
		n := s.node(t, 1000, 0, 0)
		n.HourRates = make([]int64, 24)
		n.HourRates[11] = 3000 // 03:00 UTC on the site's clock
		late := s.report(n, "b:1", traffic.Row{UserID: u, Up: 10}, traffic.Row{UserID: ended, Down: 5})
		s.now = s.now.Add(time.Hour)
		s.do(t, func(ctx context.Context, tx bun.Tx) error { return s.services.Close(ctx, tx, ended) })
		s.now = s.now.AddDate(0, 0, 5).Add(5 * time.Hour)
		if err := s.queue.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.record(t, late); len(r.Refused) > 0 || r.Kept != "" {
			t.Fatalf("%+v", r)
		}
		if got := s.ints(t, `SELECT billed FROM service_cycle ORDER BY service_id, cycle`); !slices.Equal(got,
			[]int64{30, 0, 15}) {
			t.Errorf("billed by cycle: %v", got)
		}
		for _, id := range []int64{u, ended} {
			hours, err := s.traffic.Hours(t.Context(), id, time.Time{}, s.now, 10)
			if err != nil || len(hours) != 1 || !hours[0].At.Equal(late.To.Truncate(time.Hour)) {
				t.Errorf("the hours of user %d are %v, %v", id, hours, err)
			}
			days, err := s.traffic.Days(t.Context(), id, time.Time{}, s.now, 10)
			midnight := time.Date(2026, 1, 29, 16, 0, 0, 0, time.UTC) // in Shanghai
			if err != nil || len(days) != 1 || !days[0].At.Equal(midnight) {
				t.Errorf("the days of user %d are %v, %v", id, days, err)
			}
		}
		if days := s.ints(t, `SELECT DISTINCT day FROM node_day`); !slices.Equal(days, []int64{20260130}) {
			t.Errorf("days of the node %v", days)
		}
	})
}

// Whatever is logged for a user is billed to something that the user had, also where it had ended long before the
// server noticed, or began only later.
func TestLateBytes_AreAlwaysBilledToSomething(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		noticed, packaged, later := s.open(t), s.open(t), s.open(t)
		n := s.node(t, 1000, 0, 0)
		s.start(t, service.Terms{UserID: noticed, Months: 1})
		s.pack(t, packaged, 100)
		ended := s.now.AddDate(0, 1, 0)
		s.now = ended.AddDate(0, 0, 4) // the server was away when the service ended
		if err := s.queue.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE package SET ended_at = ?`, ended).Exec(ctx)
			if err != nil {
				return err
			}
			return s.services.Refresh(ctx, tx, packaged)
		})
		s.record(t, s.report(n, "b:1", traffic.Row{UserID: noticed, Up: 1, Down: 2}, traffic.Row{
			UserID: packaged,
			Up:     1, Down: 2,
		}))
		was := s.report(n, "b:2", traffic.Row{UserID: later, Up: 1, Down: 2}, traffic.Row{
			UserID: noticed, Up: 1,
			Down: 2,
		})
		s.now = s.now.Add(time.Hour)
		s.start(t, service.Terms{UserID: later, Months: 1})
		if r := s.record(t, was); len(r.Refused) > 0 {
			t.Fatalf("%+v", r)
		}
		taken := s.ints(t, `SELECT billed FROM service_cycle ORDER BY service_id`)
		if used := s.ints(t, `SELECT used FROM package`); !slices.Equal(taken, []int64{6, 3}) ||
			!slices.Equal(used, []int64{3}) {
			t.Errorf("services have %v, the package %v", taken, used)
		}
		if broken, err := traffic.Check(t.Context(), d, s.settings); err != nil || len(broken) > 0 {
			t.Errorf("%v, %v", broken, err)
		}
	})
}
