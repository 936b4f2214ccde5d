package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

const gb = 1 << 30

func ptr[T any](v T) *T { return &v }

// world is a site with a clock that tests move.
type world struct {
	*testing.T
	db       *db.DB
	settings *setting.Settings
	services *service.Services
	queue    *job.Queue
	now      time.Time
}

func each(t *testing.T, test func(w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) { in(t, d, test) })
}

// onSQLite is each for reckonings in which the engine has no part.
func onSQLite(t *testing.T, test func(w *world)) {
	t.Helper()
	in(t, dbtest.SQLite(t), test)
}

func in(t *testing.T, d *db.DB, test func(w *world)) {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		T: t, db: d, settings: settings, services: service.New(d, seal.Key{1}, settings), queue: job.New(d),
		now: time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC),
	}
	d.SetClock(func() time.Time { return w.now })
	w.services.Register(w.queue)
	for _, id := range []int64{1, 2} {
		w.do(func(ctx context.Context, tx bun.Tx) error { return w.services.Open(ctx, tx, id) })
	}
	test(w)
}

func (w *world) do(fn func(context.Context, bun.Tx) error) {
	w.Helper()
	if err := w.db.Tx(w.Context(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) start(t service.Terms) *service.Service {
	w.Helper()
	var v *service.Service
	w.do(func(ctx context.Context, tx bun.Tx) (err error) { v, err = w.services.Start(ctx, tx, t); return err })
	return v
}

func (w *world) use(serviceID, cycle, bytes int64) {
	w.Helper()
	w.do(func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE service_cycle SET down = down + ?, billed = billed + ? WHERE service_id = ?
			AND cycle = ?`, bytes, bytes, serviceID, cycle).Exec(ctx)
		return err
	})
	w.do(func(ctx context.Context, tx bun.Tx) error { return w.services.Refresh(ctx, tx, 1) })
}

func (w *world) set(name string, value any) {
	w.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		err = w.settings.Set(w.Context(), map[string]json.RawMessage{name: raw})
	}
	if err != nil {
		w.Fatal(err)
	}
}

// at moves the clock and lets the timetable run.
func (w *world) at(t time.Time) {
	w.Helper()
	w.now = t
	if err := w.queue.Work(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) access(userID int64) service.Access {
	w.Helper()
	a, err := w.services.Access(w.Context(), userID)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

func TestAccess_NewUser_MayUseNothing(t *testing.T) {
	each(t, func(w *world) {
		a := w.access(1)
		if a.State != service.None || a.Allowed || a.Admits(0, 0) || a.RemainingBytes == nil || *a.RemainingBytes != 0 {
			w.Fatalf("a new user has %+v", a)
		}
		if len(a.Password) < 20 || a.UUID == w.access(2).UUID {
			w.Fatal("credentials are weak or shared")
		}
		if _, err := w.services.Access(w.Context(), 3); !errors.Is(err, service.ErrNoUser) {
			w.Fatalf("an unknown user: %v", err)
		}
	})
}

func TestAccess_LastsUntilTheServiceEnds(t *testing.T) {
	each(t, func(w *world) {
		v := w.start(service.Terms{
			UserID: 1, PlanID: 5, Name: "Basic", Class: 2, Groups: []int{7, 3},
			QuotaBytes: ptr(int64(10 * gb)), Reset: service.CalendarMonth, Months: 1, SpeedMbps: ptr(100),
		})
		a := w.access(1)
		if a.State != service.Active || !a.Admits(2, 3) || !a.Admits(0, 0) || a.Admits(3, 0) || a.Admits(1, 4) {
			w.Fatalf("the service opens %+v", a)
		}
		if *a.QuotaBytes != 10*gb || *a.RemainingBytes != 10*gb || *a.SpeedMbps != 100 || a.Devices != nil {
			w.Fatalf("the service gives %+v", a)
		}
		// 31 January 10:00 in Shanghai; February has no 31st.
		if want := time.Date(2026, 2, 28, 2, 0, 0, 0, time.UTC); !a.ExpiresAt.Equal(want) || !v.EndsAt.Equal(want) {
			w.Fatalf("it ends at %s", a.ExpiresAt)
		}
		w.at(v.EndsAt.Add(time.Second))
		if a = w.access(1); a.State != service.Expired || a.Admits(0, 0) || !a.Admitted(2, 3, w.now) ||
			a.Admitted(2, 3, w.now.Add(25*time.Hour)) {
			w.Fatalf("after its end %+v", a)
		}
		if a := w.access(2); a.Admitted(0, 0, w.now) {
			w.Fatal("somebody who never had a service is admitted")
		}
	})
}

func TestReset_BeginsCycleAndKeepsTheOldOne(t *testing.T) {
	each(t, func(w *world) {
		v := w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)),
			Reset: service.CalendarMonth, Months: 3,
		})
		w.use(v.ID, 1, 2*gb)
		if a := w.access(1); a.State != service.Exhausted || a.Allowed || *a.RemainingBytes != 0 ||
			a.UsedBytes != 2*gb {
			w.Fatalf("used up: %+v", a)
		}
		// Bought on the last of January, it takes February's quota with it. Midnight in Shanghai is 16:00 UTC the day
		// before.
		w.at(time.Date(2026, 1, 31, 16, 0, 0, 0, time.UTC))
		if a := w.access(1); a.State != service.Exhausted {
			w.Fatalf("a second quota for the first month: %+v", a)
		}
		w.at(time.Date(2026, 2, 28, 16, 0, 0, 0, time.UTC))
		a := w.access(1)
		if a.State != service.Active || *a.RemainingBytes != gb || a.UsedBytes != 0 {
			w.Fatalf("after the reset: %+v", a)
		}
		if want := time.Date(2026, 3, 31, 16, 0, 0, 0, time.UTC); !a.ResetsAt.Equal(want) {
			w.Fatalf("the next reset is at %s", a.ResetsAt)
		}
		var kept []int64
		if err := w.db.NewRaw(`SELECT billed FROM service_cycle ORDER BY cycle`).Scan(w.Context(), &kept); err != nil ||
			!slices.Equal(kept, []int64{2 * gb, 0}) {
			w.Fatalf("the cycles hold %v, %v", kept, err)
		}
	})
}

func TestAnniversary_ReturnsToItsDay(t *testing.T) {
	each(t, func(w *world) {
		w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.Anniversary,
			Months: 12,
		})
		for _, day := range []time.Time{
			time.Date(2026, 2, 28, 2, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 2, 0, 0, 0, time.UTC),
			time.Date(2026, 4, 30, 2, 0, 0, 0, time.UTC),
		} {
			if a := w.access(1); !a.ResetsAt.Equal(day) {
				w.Fatalf("the next reset is at %s, want %s", a.ResetsAt, day)
			}
			w.at(day)
		}
	})
}

func TestAccess_SeveralServices_AddUp(t *testing.T) {
	each(t, func(w *world) {
		w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "A", Class: 1, Groups: []int{1}, QuotaBytes: ptr(int64(gb)),
			SpeedMbps: ptr(10), Devices: ptr(2), Reset: service.Never, Months: 1,
		})
		w.start(service.Terms{
			UserID: 1, PlanID: 2, Name: "B", Class: 3, Groups: []int{2}, QuotaBytes: ptr(int64(gb)),
			SpeedMbps: nil, Devices: ptr(5), Reset: service.Never, Months: 2,
		})
		a := w.access(1)
		if a.Class != 3 || !slices.Equal(a.Groups, []int{1, 2}) || a.SpeedMbps != nil || *a.Devices != 5 ||
			*a.QuotaBytes != 2*gb {
			w.Fatalf("together they give %+v", a)
		}
		w.start(service.Terms{UserID: 1, PlanID: 3, Name: "C", Reset: service.Never, Months: 1})
		if a = w.access(1); a.QuotaBytes != nil || a.RemainingBytes != nil {
			w.Fatalf("with an unlimited one: %+v", a)
		}
	})
}

func TestRenew_ExtendsTheEndAndRevivesWhatEnded(t *testing.T) {
	each(t, func(w *world) {
		v := w.start(service.Terms{
			UserID: 1, OrderID: ptr(int64(1)), PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)),
			Reset: service.Never, Months: 1,
		})
		extend := func(userID int64, order int64) error {
			return w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.services.Extend(ctx, tx, service.Extension{
					UserID: userID, ServiceID: v.ID, OrderID: &order,
					Months: 1,
				})
			})
		}
		if err := extend(2, 9); !errors.Is(err, service.ErrNoService) {
			w.Fatalf("another user's service: %v", err)
		}
		if err := extend(1, 1); !errors.Is(err, service.ErrFulfilled) {
			w.Fatalf("an order fulfilled twice: %v", err)
		}
		var wg sync.WaitGroup
		for _, order := range []int64{2, 2, 3} {
			wg.Go(func() { _ = extend(1, order) })
		}
		wg.Wait()
		if a := w.access(1); !a.ExpiresAt.Equal(time.Date(2026, 4, 30, 2, 0, 0, 0, time.UTC)) {
			w.Fatalf("after two renewals it ends at %s", a.ExpiresAt)
		}
		w.use(v.ID, 1, gb)
		w.at(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
		if err := extend(1, 4); err != nil {
			w.Fatal(err)
		}
		a := w.access(1)
		if a.State != service.Active || *a.RemainingBytes != gb ||
			!a.ExpiresAt.Equal(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)) {
			w.Fatalf("revived: %+v", a)
		}
	})
}

func TestPackages_ServeUntilTheyExpire(t *testing.T) {
	each(t, func(w *world) {
		v := w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.Never,
			Months: 1,
		})
		w.use(v.ID, 1, gb)
		before := w.access(1)
		expires := w.now.Add(48 * time.Hour)
		w.do(func(ctx context.Context, tx bun.Tx) error {
			_, err := w.services.AddPackage(ctx, tx, service.PackageTerms{
				UserID: 1, Name: "5 GB", Kind: service.Bought,
				Bytes: 5 * gb, ExpiresAt: &expires,
			})
			return err
		})
		a := w.access(1)
		if a.State != service.Active || *a.RemainingBytes != 5*gb || *a.QuotaBytes != 6*gb ||
			a.Revision <= before.Revision {
			w.Fatalf("with a package: %+v", a)
		}
		w.at(expires)
		if a = w.access(1); a.State != service.Exhausted {
			w.Fatalf("when it expired: %+v", a)
		}
		if _, packages, err := w.services.List(w.Context(), 1); err != nil || len(packages) != 0 {
			w.Fatalf("packages left: %v, %v", packages, err)
		}
	})
}

func TestChanged_ReturnsChangesButNotUse(t *testing.T) {
	each(t, func(w *world) {
		v := w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.Never,
			Months: 1,
		})
		_, since, err := w.services.Changed(w.Context(), 0)
		if err != nil {
			w.Fatal(err)
		}
		w.use(v.ID, 1, 1000)
		if rows, _, err := w.services.Changed(w.Context(), since); err != nil || len(rows) != 0 {
			w.Fatalf("use changed the revision: %v, %v", rows, err)
		}
		w.do(func(ctx context.Context, tx bun.Tx) error { return w.services.SetBanned(ctx, tx, 1, true) })
		rows, next, err := w.services.Changed(w.Context(), since)
		if err != nil || len(rows) != 1 || rows[0].State != service.Banned || rows[0].Allowed || next <= since {
			w.Fatalf("a ban appears as %+v, %v", rows, err)
		}
		w.do(func(ctx context.Context, tx bun.Tx) error { return w.services.SetBanned(ctx, tx, 1, false) })
		before := w.access(1)
		w.do(func(ctx context.Context, tx bun.Tx) error { return w.services.ResetCredentials(ctx, tx, 1) })
		if a := w.access(1); a.UUID == before.UUID || a.Password == before.Password || a.Revision <= before.Revision {
			w.Fatalf("new credentials: %+v", a)
		}
	})
}
