package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/service"
)

// A server that starts before its clock is set can run for a while at a time that has not come.
func TestTimetable_ServerRanWithAClockThatWasAhead_WhatEndedRunsAgain(t *testing.T) {
	each(t, func(w *world) {
		work := func() {
			w.Helper()
			if err := w.queue.Work(w.Context()); err != nil {
				w.Fatal(err)
			}
		}
		start := w.now
		v := w.start(service.Terms{
			UserID: 1, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.Anniversary, Months: 3,
		})
		long := w.start(service.Terms{
			UserID: 2, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.CalendarMonth, Months: 24,
		})
		expires := start.AddDate(0, 0, 30)
		w.do(func(ctx context.Context, tx bun.Tx) error {
			_, err := w.services.AddPackage(ctx, tx, service.PackageTerms{
				UserID: 1, Name: "T", Kind: service.Grant, Bytes: gb, ExpiresAt: &expires,
			})
			return err
		})
		work()

		w.now = start.AddDate(1, 0, 0)
		work()
		if got, err := w.services.Get(w.Context(), 1, v.ID); err != nil || got.Running(w.now) {
			w.Fatalf("a year later the service of three months runs: %+v, %v", got, err)
		}

		for _, at := range []time.Duration{time.Minute, 10 * time.Minute} {
			w.now = start.Add(at)
			work()
		}
		services, packages, err := w.services.List(w.Context(), 1)
		if err != nil || len(services) != 1 || !services[0].Running(w.now) || len(packages) != 1 {
			w.Fatalf("after the clock was set right the user has %+v and %+v, %v", services, packages, err)
		}
		if want := start.AddDate(0, 0, 28); !services[0].NextResetAt.Equal(want) {
			w.Errorf("the quota begins again at %s, want %s", services[0].NextResetAt, want)
		}
		a, err := w.services.Access(w.Context(), 1)
		if err != nil || !a.Allowed || a.State != service.Active {
			w.Errorf("the user's access is %+v, %v", a, err)
		}
		got, err := w.services.Get(w.Context(), 2, long.ID)
		if err != nil || got.NextResetAt == nil || got.NextResetAt.After(start.AddDate(0, 0, 31)) {
			w.Errorf("the quota of a service of two years begins again at %v, %v", got.NextResetAt, err)
		}
	})
}

// A quota that began again at a time that had not come goes on as the one before, with what was used since.
func TestTimetable_QuotaBeganAgainWithAClockThatWasAhead_GoesOn(t *testing.T) {
	each(t, func(w *world) {
		work := func() {
			w.Helper()
			if err := w.queue.Work(w.Context()); err != nil {
				w.Fatal(err)
			}
		}
		start := w.now
		terms := func(user int64) service.Terms {
			return service.Terms{
				UserID: user, PlanID: 1, Name: "P", QuotaBytes: ptr(int64(gb)), Reset: service.Anniversary, Months: 12,
			}
		}
		v, given := w.start(terms(1)), w.start(terms(2))
		work()
		w.use(v.ID, 1, 100)

		w.now = start.AddDate(0, 2, 3)
		work()
		w.use(v.ID, 2, 20)
		w.use(v.ID, 3, 3)
		w.do(func(ctx context.Context, tx bun.Tx) error {
			return w.services.ResetTraffic(ctx, tx, given.UserID, given.ID)
		})

		w.now = start.AddDate(0, 0, 1)
		for range 2 {
			work()
			w.now = w.now.Add(10 * time.Minute)
		}
		got, err := w.services.Get(w.Context(), 1, v.ID)
		next := v.NextResetAt
		if err != nil || got.Cycle != 1 || got.Billed != 123 || !got.NextResetAt.Equal(*next) ||
			!got.CycleBeganAt.Equal(v.StartedAt) {
			w.Errorf("the quota is in cycle %d since %s with %d used, until %s, %v; want cycle 1, 123 used, until %s",
				got.Cycle, got.CycleBeganAt, got.Billed, got.NextResetAt, err, next)
		}
		if n := w.cycles(v.ID); n != 1 {
			w.Errorf("the service has %d cycles", n)
		}
		if got, err := w.services.Get(w.Context(), 2, given.ID); err != nil || got.Cycle != 4 {
			w.Errorf("the quota that staff gave anew is in cycle %d, %v", got.Cycle, err)
		}
		broken, err := w.services.Check(w.Context())
		if err != nil || len(broken) > 0 {
			w.Errorf("the rules say %v, %v", broken, err)
		}
		w.now = *next
		work()
		if got, err := w.services.Get(w.Context(), 1, v.ID); err != nil || got.Cycle != 2 || got.Billed != 0 {
			w.Errorf("at its time the next quota is cycle %d with %d used, %v", got.Cycle, got.Billed, err)
		}
	})
}
