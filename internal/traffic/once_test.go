package traffic_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

func TestRecord_RepeatedInAnyOrder_CountsOnce(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		n := s.node(t, 1000, 0, 0)
		var reports []traffic.Report
		for i := range 10 {
			reports = append(reports, s.report(n, fmt.Sprint("boot:", i), traffic.Row{UserID: u, Up: 1 << i}))
		}
		random := rand.New(rand.NewPCG(1, 2))
		var counted, repeated int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 20 { // from as many connections
			order := random.Perm(500)
			wg.Go(func() {
				for _, i := range order {
					receipt, err := s.traffic.Record(context.Background(), reports[i%10])
					mu.Lock()
					if receipt.Repeated {
						repeated++
					} else if counted++; err != nil {
						t.Error(err)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if got := s.ints(t, `SELECT billed FROM service_cycle`); counted != 10 || repeated != 9_990 ||
			!slices.Equal(got, []int64{1023}) {
			t.Fatalf("10 reports, each sent 1,000 times: %d counted, %d repeated, %v billed", counted, repeated, got)
		}
	})
}

func TestRecord_ClockOfTheNodeJumps_CountsOnce(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		s.traffic.Register(s.queue)
		n := s.node(t, 1000, 0, 0)
		present := s.report(n, "boot:1", traffic.Row{UserID: u, Up: 10})
		future := s.report(n, "boot:2", traffic.Row{UserID: u, Up: 100}) // of a node whose clock is ahead
		future.From, future.To = s.now.AddDate(0, 0, 20), s.now.AddDate(0, 0, 20).Add(time.Minute)
		for day := range 70 {
			if err := s.queue.Trigger(t.Context(), "traffic.forget"); err != nil {
				t.Fatal(err)
			}
			for _, r := range []traffic.Report{present, future} {
				if receipt, err := s.traffic.Record(t.Context(), r); err != nil && !errors.Is(err, traffic.ErrTooOld) ||
					err == nil && receipt.Repeated != (day > 0) {
					t.Fatalf("day %d: %+v, %v", day, receipt, err)
				}
			}
			s.now = s.now.Add(24*time.Hour + 7*time.Minute)
		}
		if got := s.ints(t, `SELECT CAST(sum(billed) AS BIGINT) FROM service_cycle`); got[0] != 10 {
			t.Fatalf("counted %v", got)
		}
		if kept := s.ints(t, `SELECT count(*) FROM kept_batch`); kept[0] != 1 {
			t.Fatalf("%d batches wait for staff", kept[0])
		}
	})
}

// Windows that no clock can have are refused, and leave no keys behind.
func TestWindowsOfImpossibleYears_AreRefused(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		good := s.report(s.node(t, 1000, 0, 0), "boot:1", traffic.Row{UserID: u, Up: 10})
		for _, window := range [][2]time.Time{
			{good.From.AddDate(7000, 0, 0), good.To.AddDate(7000, 0, 0)},
			{good.From, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
			{{}, {}},
			{{}, good.To},
			{time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), good.To},
			{good.To, good.From},
		} {
			r := good
			r.From, r.To = window[0], window[1]
			if receipt, err := s.traffic.Record(t.Context(), r); !errors.Is(err, traffic.ErrWindow) {
				t.Errorf("from %s to %s: %+v, %v", r.From, r.To, receipt, err)
			}
		}
		if keys := s.ints(t, `SELECT count(*) FROM traffic_report`); keys[0] != 0 {
			t.Errorf("%d keys are left", keys[0])
		}
		if s.record(t, good).Repeated {
			t.Error("the good one was not counted")
		}
	})
}

// The server's clock is set right, by hours or by days, while nodes report and repeat what was not answered.
func TestRecord_ClockOfTheServerJumps_CountsOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.traffic.Register(s.queue)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, Months: 120})
		ours, foreign := s.node(t, 1000, 0, 0), s.node(t, 1000, 0, 0)
		const up, all = 1 << 30, 24
		var last traffic.Report // whose answer was lost
		for i := range all {
			s.now = s.now.Add([]time.Duration{
				time.Minute, 25 * time.Hour, -49 * time.Hour, 20 * 24 * time.Hour,
				2*time.Minute - 20*24*time.Hour, -time.Second, -26 * time.Hour, time.Hour,
			}[i%8])
			if err := s.queue.Trigger(t.Context(), "traffic.forget"); err != nil {
				t.Fatal(err)
			}
			if i > 0 && !s.record(t, last).Repeated {
				t.Fatalf("after jump %d a report that was repeated counted again", i)
			}
			last = s.report(ours, fmt.Sprint("boot:", i), traffic.Row{UserID: u, Up: up})
			body := sha256.Sum256([]byte(fmt.Sprint(i % 2))) // it may move as much as some minutes ago
			for name, r := range map[string]traffic.Report{"ours": last, "foreign": {
				Node: foreign, Hash: body,
				Rows: []traffic.Row{{UserID: u, Up: up}},
			}} {
				receipt, err := s.traffic.Record(t.Context(), r)
				if err != nil || receipt.Repeated || len(receipt.Refused) > 0 {
					t.Errorf("after jump %d a report of the %s node: %+v, %v", i, name, receipt, err)
				}
				if again, err := s.traffic.Record(t.Context(), r); err != nil || !again.Repeated {
					t.Errorf("after jump %d the same of the %s node again: %+v, %v", i, name, again, err)
				}
			}
		}
		if got := s.ints(t, `SELECT CAST(sum(billed) AS BIGINT) FROM service_cycle`); got[0] != 2*all*up {
			t.Fatalf("counted %d of %d", got[0], 2*all*up)
		}
	})
}

func TestRecord_ManyInvalidRows_CountsTheValidOnes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		var users []int64
		for range 50 {
			u := s.open(t)
			s.start(t, service.Terms{UserID: u, Months: 12})
			users = append(users, u)
		}
		n := s.node(t, 1000, 0, 0)
		random := rand.New(rand.NewPCG(3, 4))
		var rows []traffic.Row
		want := map[string]int{}
		for i, u := range users {
			rows = append(rows, traffic.Row{UserID: u, Up: int64(i), Down: 1000})
		}
		for len(rows) < 10_000 {
			who := users[random.IntN(len(users))]
			switch random.IntN(6) {
			case 0:
				rows, want["not_on_list"] = append(rows, traffic.Row{UserID: 1_000_000 + random.Int64N(1000), Up: 1}),
					want["not_on_list"]+1
			case 1:
				rows, want["not_on_list"] = append(rows, traffic.Row{UserID: -random.Int64N(100), Down: 1}),
					want["not_on_list"]+1
			case 2:
				rows, want["negative"] = append(rows, traffic.Row{UserID: who, Up: -1 - random.Int64N(math.MaxInt64)}),
					want["negative"]+1
			case 3:
				rows, want["absurd"] = append(rows, traffic.Row{UserID: who, Up: math.MaxInt64, Down: math.MaxInt64}),
					want["absurd"]+1
			case 4:
				rows, want["absurd"] = append(rows, traffic.Row{UserID: who, Down: 1 << 60}), want["absurd"]+1
			case 5:
				rows, want["duplicate_user"] = append(rows, traffic.Row{UserID: who, Up: 5, Down: 5}),
					want["duplicate_user"]+1
			}
		}
		report := traffic.Report{Node: n, Hash: sha256.Sum256([]byte("junk")), Rows: rows}
		got := map[string]int{}
		for _, r := range s.record(t, report).Refused {
			got[r.Code]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("refused %v, want %v", got, want)
		}
		if !s.record(t, report).Repeated {
			t.Error("the same body a moment later counted again")
		}
		for i, billed := range s.ints(t, `SELECT billed FROM service_cycle ORDER BY service_id`) {
			if billed != int64(i)+1000 {
				t.Errorf("user %d is billed %d", users[i], billed)
			}
		}
	})
}
