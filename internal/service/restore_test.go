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
