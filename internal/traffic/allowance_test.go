package traffic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

// slow gives a node with a link of 8 Mbit/s, which is a million bytes a second each way.
func (s *site) slow(t fataler) node.Node {
	t.Helper()
	n, err := s.nodes.Change(context.Background(), s.node(t, 1000, 0, 0).ID, func(n *node.Node) { n.LinkMbps = 8 })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const aSecond = 1_000_000 // bytes that the slow node carries each way

// deliver records the reports, several at once, and insists that they count.
func (s *site) deliver(t *rapid.T, reports []traffic.Report, atOnce int) {
	t.Helper()
	errs := make([]error, len(reports))
	for from := 0; from < len(reports); from += atOnce {
		var wg sync.WaitGroup
		for i := from; i < min(from+atOnce, len(reports)); i++ {
			wg.Go(func() {
				receipt, err := s.traffic.Record(context.Background(), reports[i])
				if len(receipt.Refused) > 0 {
					err = fmt.Errorf("refused %v", receipt.Refused)
				}
				errs[i] = err
			})
		}
		wg.Wait()
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Whatever an honest node's link carried counts: after however long an outage of the way to the server or of the server
// itself, in any order, many reports at once, each as often as it is repeated, with a clock that is wrong, and with a link
// that is half as fast again as the operator said.
func TestWhatALinkCarriedAlwaysCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		rapid.Check(t, func(t *rapid.T) {
			u := s.open(t)
			s.start(t, service.Terms{UserID: u, Months: 36})
			n := s.slow(t)
			skew := time.Duration(rapid.SampledFrom([]int64{0, -3 * 24, 3, 400 * 24, 90 * 365 * 24}).Draw(t, "hours that the clock is ahead")) * time.Hour
			var waiting []traffic.Report
			var moved int64
			for i := range rapid.IntRange(1, 6).Draw(t, "times") {
				away := rapid.SampledFrom([]time.Duration{10 * time.Second, time.Minute, time.Hour, 20 * time.Hour, 24 * time.Hour, 100 * time.Hour}).Draw(t, "away")
				// The first of it in batches of a minute, the rest in one, as our agent does it.
				for j := range 5 {
					window := min(away/8, time.Minute)
					if j == 4 {
						window = away - 4*window
					}
					s.now = s.now.Add(window)
					most := int64(window.Seconds() * aSecond * 3 / 2)
					row := traffic.Row{UserID: u, Up: rapid.Int64Range(0, most).Draw(t, "up"), Down: rapid.Int64Range(most*9/10, most).Draw(t, "down")}
					r := s.report(n, fmt.Sprintf("%d:%d:%d", n.ID, i, j), row)
					r.From, r.To = s.now.Add(skew-window), s.now.Add(skew)
					waiting, moved = append(waiting, r), moved+row.Up+row.Down
				}
				if rapid.Bool().Draw(t, "the server starts anew") {
					s.restart()
				}
				if rapid.IntRange(0, 3).Draw(t, "still away") > 0 {
					repeated := slices.Concat(waiting, waiting[:rapid.IntRange(0, len(waiting)).Draw(t, "answers lost")])
					s.deliver(t, rapid.Permutation(repeated).Draw(t, "order"), rapid.IntRange(1, 8).Draw(t, "at once"))
					waiting = nil
				}
			}
			s.deliver(t, waiting, 1)
			if got := s.ints(t, fmt.Sprintf(`SELECT CAST(sum(billed) AS BIGINT) FROM traffic_day WHERE user_id = %d`, u)); got[0] != moved {
				t.Fatalf("%d bytes were moved, %v are billed", moved, got)
			}
		})
	})
}

// Whatever somebody reports who has a node's secret, all of it together is no more than the link can have carried, both
// ways and half as much again, since a day before they began.
func TestNobodyBillsMoreThanALinkCarries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		rapid.Check(t, func(t *rapid.T) {
			var users []int64
			for range 3 {
				u := s.open(t)
				s.start(t, service.Terms{UserID: u, Months: 36})
				users = append(users, u)
			}
			n := s.slow(t)
			began := s.now
			billed := func() int64 {
				return s.ints(t, fmt.Sprintf(`SELECT CAST(coalesce(sum(up + down), 0) AS BIGINT) FROM node_day WHERE node_id = %d`, n.ID))[0]
			}
			for i := range rapid.IntRange(1, 30).Draw(t, "reports") {
				s.now = s.now.Add(time.Duration(rapid.Int64Range(0, int64(rapid.SampledFrom([]time.Duration{0, time.Minute, 50 * time.Hour}).Draw(t, "pause"))).Draw(t, "later")))
				r := traffic.Report{Node: n}
				size := rapid.SampledFrom([]int64{1 << 20, 1 << 33, 1 << 37, 1 << 62}).Draw(t, "size")
				for _, u := range users {
					r.Rows = append(r.Rows, traffic.Row{UserID: u, Up: rapid.Int64Range(0, size).Draw(t, "up"), Down: rapid.Int64Range(0, size).Draw(t, "down")})
				}
				claimed := s.report(n, fmt.Sprintf("%d:%d", n.ID, i), r.Rows...)
				claimed.From, claimed.To = s.now.Add(-time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "window"))), s.now.Add(time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "ahead")))
				if rapid.Bool().Draw(t, "as an agent of others") {
					claimed.ID, claimed.From, claimed.To = "", time.Time{}, time.Time{}
				}
				before := billed()
				_, err := s.traffic.Record(context.Background(), claimed)
				if err != nil && !errors.Is(err, traffic.ErrBeyondLink) {
					t.Fatal(err)
				}
				most := int64((24*time.Hour + s.now.Sub(began)).Seconds() * 3 * aSecond)
				if now := billed(); now > most || err != nil && now != before {
					t.Fatalf("after %s: %d bytes are billed, the link can have carried %d; %v", s.now.Sub(began), now, most, err)
				}
			}
		})
	})
}

func TestWhatIsBeyondALinkWaitsAndIsNotLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, Months: 12})
		n := s.slow(t)
		const hour = 3600 * 3 * aSecond
		first, second := s.report(n, "1", traffic.Row{UserID: u, Down: 11 * hour}), s.report(n, "2", traffic.Row{UserID: u, Down: 14 * hour})
		s.record(t, first)
		for range 10 {
			if !s.record(t, first).Repeated { // which costs nothing
				t.Fatal("counted again")
			}
		}
		var alarms []node.Alarm
		s.nodes.OnAlarm(func(_ context.Context, _ bun.Tx, about node.Node, why node.Alarm) error {
			alarms = append(alarms, why)
			return nil
		})
		for range 3 {
			if _, err := s.traffic.Record(t.Context(), second); !errors.Is(err, traffic.ErrBeyondLink) {
				t.Fatal(err)
			}
		}
		if !slices.Equal(alarms, []node.Alarm{node.BeyondLink}) {
			t.Errorf("alarms: %v", alarms)
		}
		s.now = s.now.Add(time.Hour)
		s.record(t, second)
		third := s.report(n, "3", traffic.Row{UserID: u, Down: hour})
		if _, err := s.traffic.Record(t.Context(), third); !errors.Is(err, traffic.ErrBeyondLink) {
			t.Fatal(err)
		}
		third.Node.LinkMbps = 1000 // the operator corrects it
		s.now = s.now.Add(time.Minute)
		s.record(t, third)
		if got := s.ints(t, `SELECT billed FROM service_cycle`); got[0] != 26*hour {
			t.Errorf("billed %v", got)
		}
	})
}
