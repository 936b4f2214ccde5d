package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/service"
)

func (w *world) extend(serviceID int64, months int) {
	w.Helper()
	w.do(func(ctx context.Context, tx bun.Tx) error {
		return w.services.Extend(ctx, tx, service.Extension{UserID: 1, ServiceID: serviceID, Months: months})
	})
}

func (w *world) cycles(serviceID int64) (n int) {
	w.Helper()
	if err := w.db.NewRaw(`SELECT COUNT(*) FROM service_cycle WHERE service_id = ?`, serviceID).
		Scan(w.Context(), &n); err != nil {
		w.Fatal(err)
	}
	return n
}

// Whatever the day on which somebody buys or renews, each month bought brings one quota.
func TestReset_BringsOneQuotaForEachMonth(t *testing.T) {
	for _, reset := range []service.Reset{service.CalendarMonth, service.Anniversary} {
		for _, day := range []int{1, 2, 14, 15, 16, 17, 29, 31} {
			t.Run(fmt.Sprintf("%s from the %d.", reset, day), func(t *testing.T) {
				t.Parallel()
				onSQLite(t, func(w *world) {
					w.now = time.Date(2026, 1, day, 2, 0, 0, 0, time.UTC)
					v := w.start(service.Terms{
						UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)),
						Reset: reset, Months: 1,
					})
					for months := 1; months < 4; months++ {
						ends := *w.access(1).ExpiresAt
						w.at(ends.Add(-time.Minute))
						if n := w.cycles(v.ID); n != months {
							t.Fatalf("%d months brought %d quotas", months, n)
						}
						w.extend(v.ID, 1)
					}
					ends := *w.access(1).ExpiresAt
					if want := time.Date(2026, 5, min(day, 31), 2, 0, 0, 0, time.UTC); !ends.Equal(want) {
						t.Errorf("after four months it ends at %s, want %s", ends, want)
					}
					w.at(ends.Add(-time.Minute))
					if n := w.cycles(v.ID); n != 4 {
						t.Errorf("4 months brought %d quotas", n)
					}
				})
			})
		}
	}
}

// A beginning of a month that comes again, since the site's time zone was changed, brings nothing.
func TestReset_AfterAChangeOfTheTimeZone_BringsNoFurtherQuota(t *testing.T) {
	for _, reset := range []service.Reset{service.CalendarMonth, service.Anniversary} {
		for _, change := range [][2]string{
			{"Asia/Shanghai", "America/New_York"},
			{"America/New_York", "Asia/Shanghai"},
			{"Pacific/Kiritimati", "Pacific/Pago_Pago"},
			{"Pacific/Pago_Pago", "Pacific/Kiritimati"},
		} {
			t.Run(fmt.Sprintf("%s, %s to %s", reset, change[0], change[1]), func(t *testing.T) {
				t.Parallel()
				onSQLite(t, func(w *world) {
					w.set("time_zone", change[0])
					w.now = time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC)
					v := w.start(service.Terms{
						UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: reset, Months: 3,
					})
					for w.cycles(v.ID) == 1 {
						w.at(w.now.Add(time.Hour))
					}
					w.set("time_zone", change[1])
					for ends := *w.access(1).ExpiresAt; w.now.Before(ends.Add(-2 * time.Hour)); {
						w.at(w.now.Add(time.Hour))
					}
					if n := w.cycles(v.ID); n != 3 {
						t.Errorf("3 months brought %d quotas", n)
					}
				})
			})
		}
	}
}

func TestRenewal_AddsTheQuotaThatNeverResets(t *testing.T) {
	each(t, func(w *world) {
		v := w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(10 * gb)),
			Reset: service.Never, Months: 1,
		})
		w.use(v.ID, 1, 11*gb)
		if a := w.access(1); a.State != service.Exhausted {
			w.Fatalf("used up: %+v", a)
		}
		before := w.access(1).Revision
		w.extend(v.ID, 1)
		if a := w.access(1); a.State != service.Active || *a.RemainingBytes != 9*gb || *a.QuotaBytes != 20*gb ||
			a.Revision == before {
			w.Errorf("after a renewal: %+v", a)
		}
		w.do(func(ctx context.Context, tx bun.Tx) error { // a gift key of the plan
			_, err := w.services.Grant(ctx, tx, service.Terms{
				UserID: 1, PlanID: 1, Name: "P",
				QuotaBytes: ptr(int64(10 * gb)), Reset: service.Never, Days: 3,
			})
			return err
		})
		if a := w.access(1); *a.RemainingBytes != 19*gb {
			w.Errorf("after a gift: %+v", a)
		}
		w.at(w.access(1).ExpiresAt.Add(time.Hour))
		w.extend(v.ID, 1)
		if a := w.access(1); *a.RemainingBytes != 10*gb || *a.QuotaBytes != 10*gb {
			w.Errorf("renewed after its end: %+v", a)
		}
	})
}

// The first quota of a service that began on the 16th of a July lasts for 47 days, which no job takes for a mistake.
func TestRestore_EndsWithLongFirstCyclesAndServicesOfTheFuture(t *testing.T) {
	each(t, func(w *world) {
		w.now = time.Date(2026, 7, 15, 17, 0, 0, 0, time.UTC)
		w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.CalendarMonth,
			Months: 3,
		})
		for _, at := range []time.Time{w.now, w.now.AddDate(0, -3, 0)} {
			w.at(at)
			if a, want := w.access(1), time.Date(2026, 8, 31, 16, 0, 0, 0, time.UTC); a.ResetsAt == nil ||
				!a.ResetsAt.Equal(want) {
				w.Errorf("at %s the reset is at %v, want %s", at, a.ResetsAt, want)
			}
		}
	})
}
