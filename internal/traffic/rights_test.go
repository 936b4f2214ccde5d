package traffic_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

// Nodes of a premium service are for its own traffic and for packages, not for that of a cheaper service.
func TestUsedUpService_LendsItsRightsToPackagesAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		premium := s.start(t, service.Terms{
			UserID: u, Class: 3, Groups: []int{7}, SpeedMbps: ptr(500),
			QuotaBytes: ptr(int64(100)), Months: 1,
		})
		cheap := s.start(t, service.Terms{
			UserID: u, Class: 1, Groups: []int{1}, SpeedMbps: ptr(50),
			QuotaBytes: ptr(int64(1000)), Months: 2,
		})
		premiumNode, cheapNode := s.node(t, 1000, 3, 7), s.node(t, 1000, 1, 1)
		billed := func(id int64) int64 {
			return s.ints(t, `SELECT billed FROM service_cycle WHERE service_id = `+strconv.FormatInt(id, 10))[0]
		}
		wantListed := func(when string, onPremium, onCheap bool) {
			t.Helper()
			for _, one := range []struct {
				node node.Node
				want bool
			}{{premiumNode, onPremium}, {cheapNode, onCheap}} {
				users, err := s.nodes.Admission.Users(t.Context(), one.node)
				if err != nil {
					t.Fatal(err)
				}
				if listed := slices.ContainsFunc(users,
					func(a service.Access) bool { return a.UserID == u }); listed != one.want {
					t.Errorf("%s: on the list of the node of class %d: %t, want %t", when, one.node.Class, listed,
						one.want)
				}
			}
		}
		wantListed("at first", true, true)
		receipt := s.record(t, s.report(premiumNode, "1", traffic.Row{UserID: u, Down: 120}))
		if billed(premium) != 120 || billed(cheap) != 0 || len(receipt.Stop) != 0 {
			t.Errorf("120 bytes of the premium node: premium %d, cheap %d, stop %v", billed(premium), billed(cheap),
				receipt.Stop)
		}
		wantListed("with the premium service used up", false, true)
		if a, err := s.services.Access(t.Context(), u); err != nil || a.Class != 1 || *a.SpeedMbps != 50 ||
			a.State != service.Active {
			t.Errorf("with the premium service used up: %+v, %v", a, err)
		}

		s.pack(t, u, 40)
		wantListed("with a package", true, true)
		s.record(t, s.report(cheapNode, "1", traffic.Row{UserID: u, Down: 10}))
		if billed(cheap) != 10 {
			t.Errorf("bytes of the cheap node went elsewhere before the package: %d", billed(cheap))
		}
		s.record(t, s.report(premiumNode, "2", traffic.Row{UserID: u, Down: 55}))
		if used := s.ints(t, `SELECT used FROM package`)[0]; used != 55 || billed(cheap) != 10 {
			t.Errorf("55 bytes of the premium node: package %d, cheap %d", used, billed(cheap))
		}
		wantListed("with the package used up", false, true)

		s.do(t, func(ctx context.Context, tx bun.Tx) error {
			return s.services.Extend(ctx, tx, service.Extension{UserID: u, ServiceID: premium, Months: 1})
		})
		wantListed("with the premium service renewed", true, true)
		s.record(t, s.report(cheapNode, "2", traffic.Row{UserID: u, Down: 2000}))
		wantListed("with the cheap service used up", true, false)
		s.record(t, s.report(premiumNode, "3", traffic.Row{UserID: u, Down: 80}))
		wantListed("with all used up", false, false)
	})
}
