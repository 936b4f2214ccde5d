package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/service"
)

func TestToRenew_NamesTheOneServiceThatARenewalCanMean(t *testing.T) {
	each(t, func(w *world) {
		check := func(when string, want int64) {
			w.Helper()
			got, err := w.services.ToRenew(w.Context(), 1)
			if err != nil {
				w.Fatal(err)
			}
			have := int64(0) // none
			if got != nil {
				have = *got
			}
			if have != want {
				w.Errorf("%s a renewal is for service %d, want %d", when, have, want)
			}
		}
		begin := func(name string, months int) int64 {
			return w.start(service.Terms{UserID: 1, PlanID: 1, Name: name, Reset: service.Never, Months: months}).ID
		}
		check("of one who never had a service", 0)
		first := begin("A", 1)
		check("of the only service", first)
		second := begin("B", 2)
		check("where two run, one of which has to be chosen,", 0)
		w.at(time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC))
		check("after the first has expired", second)
		w.at(time.Date(2026, 5, 10, 0, 0, 0, 0, time.UTC))
		check("after both have expired, the last of them,", second)
		third := begin("C", 1)
		check("of a new one beside those that expired", third)
		w.do(func(ctx context.Context, tx bun.Tx) error {
			_, _, err := w.services.GiveBack(ctx, tx, service.Item{UserID: 1, ServiceID: &third}, w.now,
				service.Return{Reason: service.ByRefund})
			return err
		})
		check("after the refund of the new one, which cannot be renewed,", second)
	})
}
