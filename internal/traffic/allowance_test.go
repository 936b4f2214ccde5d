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

// slow returns a node with a link of 8 Mbit/s, which carries a million bytes a second.
func (s *site) slow(t rapid.TB) node.Node {
	t.Helper()
	return s.linked(t, 8)
}

func (s *site) linked(t rapid.TB, mbps int) node.Node {
	t.Helper()
	n, err := s.nodes.Change(context.Background(), s.node(t, 1000, 0, 0).ID, func(n *node.Node) { n.LinkMbps = mbps })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	aSecond = 1_000_000       // bytes that the slow node carries
	ahead   = 5 * time.Minute // of a new node's link that it may bill at once
)

// deliver records the reports, several at once, and insists that they count.
func (s *site) deliver(t rapid.TB, reports []traffic.Report, atOnce int) {
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
// itself, in any order, many reports at once, each as often as it is repeated, with a clock that is wrong, and with a
// link that is half as fast again as the operator said.
func TestAllowance_WhatTheLinkCarried_AlwaysCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		rapid.Check(t, func(t *rapid.T) {
			u := s.open(t)
			s.start(t, service.Terms{UserID: u, Months: 36})
			n := s.slow(t)
			skew := time.Duration(rapid.Int64Range(-4, 4).Draw(t, "minutes that the clock is ahead")) * time.Minute
			var waiting []traffic.Report
			var moved int64
			for i := range rapid.IntRange(1, 6).Draw(t, "times") {
				away := rapid.SampledFrom([]time.Duration{
					10 * time.Second, time.Minute, time.Hour, 20 * time.Hour,
					24 * time.Hour,
				}).Draw(t, "away")
				// The first of it in batches of a minute, the rest in one, as our agent does it.
				for j := range 5 {
					window := min(away/8, time.Minute)
					if j == 4 {
						window = away - 4*window
					}
					s.now = s.now.Add(window)
					most := int64(window.Seconds() * aSecond * 3 / 2)
					all := rapid.Int64Range(most*9/10, most).Draw(t, "bytes")
					row := traffic.Row{UserID: u, Up: rapid.Int64Range(0, all).Draw(t, "up")}
					row.Down = all - row.Up
					r := s.report(n, fmt.Sprintf("%d:%d:%d", n.ID, i, j), row)
					r.From, r.To = s.now.Add(skew-window), s.now.Add(skew)
					waiting, moved = append(waiting, r), moved+row.Up+row.Down
				}
				if rapid.Bool().Draw(t, "the server starts again") {
					s.restart()
				}
				if rapid.IntRange(0, 3).Draw(t, "still away") > 0 {
					repeated := slices.Concat(waiting, waiting[:rapid.IntRange(0, len(waiting)).
						Draw(t, "answers lost")])
					s.deliver(t, rapid.Permutation(repeated).Draw(t, "order"), rapid.IntRange(1, 8).Draw(t, "at once"))
					waiting = nil
				}
			}
			s.deliver(t, waiting, 1)
			if _, days := s.logged(t, u); days.Billed != moved {
				t.Fatalf("%d bytes were moved, %d are billed", moved, days.Billed)
			}
		})
	})
}

// The case that once failed at random: a report of 95 hours at nearly full speed and its repetition were on their way
// at the same time, each was charged for, and the second was refused as beyond the link.
func TestRepetitionsInFlight_AreChargedOnce(t *testing.T) {
	steps := []struct {
		away   time.Duration
		rows   [5][2]int64 // up and down of the first four eighths, a minute each at most, and of the rest
		order  []int
		atOnce int
	}{
		{
			10 * time.Second,
			[5][2]int64{{0, 1687500}, {0, 1687500}, {0, 1687500}, {0, 1687500}, {0, 6750000}},
			[]int{1, 0, 2, 0, 1, 3, 4},
			1,
		},
		{
			10 * time.Second,
			[5][2]int64{{0, 1687500}, {1, 1687500}, {1, 1687501}, {1, 1687501}, {1, 6750001}},
			[]int{1, 4, 3, 0, 2},
			5,
		},
		{
			time.Minute,
			[5][2]int64{{3, 10125000}, {4, 10133297}, {15, 10451274}, {1, 10125002}, {44580, 40500254}},
			[]int{4, 1, 3, 2, 1, 2, 0, 0, 3},
			3,
		},
		{
			time.Minute,
			[5][2]int64{{86, 10125055}, {32765, 10892896}, {6, 10544825}, {34, 10125052}, {14086, 40500001}},
			[]int{1, 2, 0, 4, 3},
			5,
		},
		{
			10 * time.Second,
			[5][2]int64{{0, 1699260}, {2, 1687571}, {81, 1822499}, {0, 1687500}, {1136202, 6750001}},
			[]int{2, 4, 0, 1, 3, 0, 2, 1},
			2,
		},
		{100 * time.Hour, [5][2]int64{
			{1, 81000113},
			{5, 81000018},
			{257, 81000001},
			{65218, 81002641},
			{539640000000, 485676000223},
		}, []int{2, 0, 4, 3, 4, 3, 2, 0, 1, 1}, 6},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, Months: 36})
		n := s.linked(t, 16)
		var moved int64
		for i, step := range steps {
			var reports []traffic.Report
			for j, row := range step.rows {
				window := min(step.away/8, time.Minute)
				if j == 4 {
					window = step.away - 4*window
				}
				s.now = s.now.Add(window)
				r := s.report(n, fmt.Sprintf("%d:%d", i, j), traffic.Row{UserID: u, Up: row[0], Down: row[1]})
				r.From = s.now.Add(-window)
				reports, moved = append(reports, r), moved+row[0]+row[1]
			}
			var sent []traffic.Report
			for _, j := range step.order {
				sent = append(sent, reports[j])
			}
			s.deliver(t, sent, step.atOnce)
		}
		if got := s.ints(t, `SELECT billed FROM service_cycle`); got[0] != moved {
			t.Fatalf("%d bytes were moved, %v are billed", moved, got)
		}
	})
}

// Whatever somebody reports who has a node's secret, to however many servers and however often those restart, all of it
// together is no more than one and a half times what the link can have carried since the node was made.
func TestAllowance_MoreThanTheLinkCarries_IsNotBilled(t *testing.T) {
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
				return s.ints(t,
					fmt.Sprintf(`SELECT CAST(coalesce(sum(up + down), 0) AS BIGINT) FROM node_day WHERE node_id = %d`,
						n.ID))[0]
			}
			for i := range rapid.IntRange(1, 30).Draw(t, "reports") {
				s.now = s.now.Add(time.Duration(rapid.Int64Range(0,
					int64(rapid.SampledFrom([]time.Duration{0, time.Minute, 50 * time.Hour}).Draw(t, "pause"))).
					Draw(t, "later")))
				r := traffic.Report{Node: n}
				size := rapid.SampledFrom([]int64{1 << 20, 1 << 33, 1 << 37, 1 << 62}).Draw(t, "size")
				for _, u := range users {
					r.Rows = append(r.Rows, traffic.Row{
						UserID: u, Up: rapid.Int64Range(0, size).Draw(t, "up"),
						Down: rapid.Int64Range(0, size).Draw(t, "down"),
					})
				}
				claimed := s.report(n, fmt.Sprintf("%d:%d", n.ID, i), r.Rows...)
				claimed.From, claimed.To = s.now.Add(-time.Duration(rapid.Int64Range(int64(200*time.Hour),
					int64(1000*time.Hour)).Draw(t, "window"))),
					s.now.Add(time.Duration(rapid.Int64Range(-int64(200*time.Hour), int64(time.Hour)).Draw(t, "ahead")))
				if rapid.Bool().Draw(t, "as a third-party agent") {
					claimed.ID, claimed.From, claimed.To = "", time.Time{}, time.Time{}
				}
				if rapid.Bool().Draw(t, "to a server that starts again") {
					s.restart()
				}
				before := billed()
				_, err := s.traffic.Record(context.Background(), claimed)
				if err != nil && !errors.Is(err, traffic.ErrBeyondLink) {
					t.Fatal(err)
				}
				most := int64((ahead + s.now.Sub(began)).Seconds() * aSecond * 3 / 2)
				if now := billed(); now > most || err != nil && now != before {
					t.Fatalf("after %s: %d bytes are billed, the link can have carried %d; %v", s.now.Sub(began), now,
						most, err)
				}
			}
		})
	})
}

func TestAllowance_BeyondTheLink_WaitsAndIsNotLost(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		n := s.slow(t)
		const hour = 3600 * aSecond * 3 / 2
		s.now = s.now.Add(24*time.Hour - ahead)
		first, second := s.report(n, "1", traffic.Row{UserID: u, Down: 11 * hour}),
			s.report(n, "2", traffic.Row{UserID: u, Down: 14 * hour})
		s.record(t, first)
		for range 10 {
			if !s.record(t, first).Repeated { // which costs nothing
				t.Fatal("counted again")
			}
		}
		var alarms []node.Alarm
		s.nodes.Monitor.OnAlarm(func(_ context.Context, _ bun.Tx, about node.Node, why node.Alarm) error {
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
