package traffic_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
	"airstrip/internal/trafficlog"
)

// Each step of the property tests is transactions on a real database; make stress gives -rapid.checks for longer runs.
func init() {
	if err := flag.Set("rapid.checks", "12"); err != nil {
		panic(err)
	}
}

// site is a server with a clock that tests move.
type site struct {
	db       *db.DB
	settings *setting.Settings
	services *service.Services
	nodes    *node.Nodes
	traffic  *traffic.Traffic
	queue    *job.Queue
	now      time.Time
	users    int64 // so many were opened
}

func newSite(t *testing.T, d *db.DB) *site {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{
		db: d, settings: settings, services: service.New(d, seal.Key{1}, settings), queue: job.New(d),
		now: time.Date(2026, 1, 15, 3, 0, 0, 0, time.UTC),
	}
	s.nodes = node.New(d, seal.Key{}, settings, s.services)
	s.restart()
	s.services.Register(s.queue)
	d.SetClock(func() time.Time { return s.now })
	return s
}

// eachWithUser runs test on both databases, with a user who has a service without a quota for a year.
func eachWithUser(t *testing.T, test func(t *testing.T, s *site, user int64)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		user := s.open(t)
		s.start(t, service.Terms{UserID: user, Months: 12})
		test(t, s, user)
	})
}

// restart replaces the traffic by one without the memory of the process.
func (s *site) restart() { s.traffic = traffic.New(s.db, s.settings, s.services, s.nodes) }

func (s *site) node(t rapid.TB, rate int64, class, group int) node.Node {
	t.Helper()
	n := node.Draft("n", node.Shadowsocks, "n.example", 443)
	n.RatePermille, n.Class, n.GroupID, n.Settings.Method = rate, class, group, "aes-128-gcm"
	n, _, err := s.nodes.Add(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *site) do(t rapid.TB, fn func(context.Context, bun.Tx) error) {
	t.Helper()
	if err := s.db.Tx(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func (s *site) open(t rapid.TB) int64 {
	t.Helper()
	s.users++
	s.do(t, func(ctx context.Context, tx bun.Tx) error { return s.services.Open(ctx, tx, s.users) })
	return s.users
}

func (s *site) start(t rapid.TB, terms service.Terms) int64 {
	t.Helper()
	terms.PlanID, terms.Name, terms.Months = 1, "P", max(terms.Months, 1)
	if terms.Reset == "" {
		terms.Reset = service.Never
	}
	var id int64
	s.do(t, func(ctx context.Context, tx bun.Tx) error {
		v, err := s.services.Start(ctx, tx, terms)
		if err == nil {
			id = v.ID
		}
		return err
	})
	return id
}

func (s *site) pack(t rapid.TB, userID, bytes int64) {
	t.Helper()
	s.do(t, func(ctx context.Context, tx bun.Tx) error {
		_, err := s.services.AddPackage(ctx, tx, service.PackageTerms{
			UserID: userID, Name: "p", Kind: service.Grant,
			Bytes: bytes,
		})
		return err
	})
}

// report returns the report of our agent called id.
func (s *site) report(n node.Node, id string, rows ...traffic.Row) traffic.Report {
	return traffic.Report{
		Node: n, ID: id, Hash: sha256.Sum256([]byte(fmt.Sprint(id, rows))),
		From: s.now.Add(-time.Minute), To: s.now, Rows: rows,
	}
}

func (s *site) record(t rapid.TB, r traffic.Report) traffic.Receipt {
	t.Helper()
	receipt, err := s.traffic.Record(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

func (s *site) ints(t rapid.TB, query string) []int64 {
	t.Helper()
	var out []int64
	if err := s.db.NewRaw(query).Scan(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// logged adds up the log of a user by hours and by days.
func (s *site) logged(t rapid.TB, user int64) (hours, days traffic.Amount) {
	t.Helper()
	ctx, end := context.Background(), s.now.AddDate(1, 0, 0)
	for _, of := range []struct {
		read func(context.Context, int64, time.Time, time.Time, int64) ([]traffic.Point, error)
		sum  *traffic.Amount
	}{{s.traffic.Hours, &hours}, {s.traffic.Days, &days}} {
		points, err := of.read(ctx, user, time.Time{}, end, math.MaxInt32)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			of.sum.Up, of.sum.Down, of.sum.Billed = of.sum.Up+p.Up, of.sum.Down+p.Down, of.sum.Billed+p.Billed
		}
	}
	return hours, days
}

func ptr[T any](v T) *T { return &v }

func TestRecord_ConsumesWhatEndsFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		late := s.start(t, service.Terms{UserID: u, Class: 1, QuotaBytes: ptr(int64(100)), Months: 2})
		soon := s.start(t, service.Terms{UserID: u, Class: 1, QuotaBytes: ptr(int64(50)), Months: 1})
		// does not open the node
		other := s.start(t, service.Terms{UserID: u, Class: 0, QuotaBytes: ptr(int64(1000)), Months: 1})
		s.pack(t, u, 30)
		n := s.node(t, 1000, 1, 0)
		billed := func(id int64) int64 {
			return s.ints(t, `SELECT billed FROM service_cycle WHERE service_id = `+strconv.FormatInt(id, 10))[0]
		}
		used := func() int64 { return s.ints(t, `SELECT used FROM package`)[0] }
		s.record(t, s.report(n, "1", traffic.Row{UserID: u, Up: 20, Down: 40}))
		if billed(soon) != 50 || billed(late) != 10 {
			t.Fatalf("60 bytes went %d to the one that ends first and %d to the other", billed(soon), billed(late))
		}
		s.record(t, s.report(n, "2", traffic.Row{UserID: u, Down: 100}))
		if billed(late) != 100 || used() != 10 || billed(other) != 0 {
			t.Fatalf("then %d, package %d, other %d", billed(late), used(), billed(other))
		}
		receipt := s.record(t, s.report(n, "3", traffic.Row{UserID: u, Down: 1019}))
		if used() != 1029 || billed(other) != 0 || len(receipt.Stop) != 0 {
			t.Fatalf("then package %d, other %d, stop %v", used(), billed(other), receipt.Stop)
		}
		receipt = s.record(t, s.report(s.node(t, 1000, 0, 0), "4", traffic.Row{UserID: u, Down: 1500}))
		if billed(other) != 1000 || billed(late) != 600 || !slices.Equal(receipt.Stop, []int64{u}) {
			t.Fatalf("overuse: other %d, late %d, stop %v", billed(other), billed(late), receipt.Stop)
		}
		raw := s.ints(t, `SELECT CAST((SELECT sum(up + down) FROM service_cycle) + (SELECT sum(up + down)
			FROM package) AS BIGINT)`)[0]
		if raw != 60+100+1019+1500 {
			t.Fatalf("the sources hold %d raw bytes", raw)
		}
		if a, err := s.services.Access(t.Context(), u); err != nil || a.State != service.Exhausted ||
			*a.RemainingBytes != 0 {
			t.Fatalf("the user is %+v, %v", a, err)
		}
	})
}

func TestRecord_BytesAfterLostRights_CountForADay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, Class: 2, Groups: []int{5}})
		n, foreign := s.node(t, 1000, 2, 5), s.node(t, 1000, 3, 0)
		s.do(t, func(ctx context.Context, tx bun.Tx) error { return s.services.SetBanned(ctx, tx, u, true) })
		row := traffic.Row{UserID: u, Up: 1, Down: 2}
		if r := s.record(t, s.report(n, "1", row)); len(r.Refused) != 0 ||
			!slices.Equal(s.ints(t, `SELECT billed FROM service_cycle`), []int64{3}) {
			t.Fatalf("the last bytes before a ban: %+v", r)
		}
		if r := s.record(t, s.report(foreign, "1", row)); len(r.Refused) != 1 || r.Refused[0].Code != "not_on_list" {
			t.Fatalf("on a node that was never open: %+v", r)
		}
		s.now = s.now.Add(25 * time.Hour)
		if r := s.record(t, s.report(n, "2", row)); len(r.Refused) != 1 {
			t.Fatalf("a day later: %+v", r)
		}
	})
}

func TestForeignReports_AreKnownByTheirBodyAndNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u})
		n, other := s.node(t, 1000, 0, 0), s.node(t, 1000, 0, 0)
		post := func(n node.Node, after time.Duration) bool {
			s.now = s.now.Add(after)
			return s.record(t, traffic.Report{
				Node: n, Hash: sha256.Sum256([]byte("body")),
				Rows: []traffic.Row{{UserID: u, Up: 1, Down: 1}},
			}).Repeated
		}
		if post(n, 0) || !post(n, time.Second) || !post(n, 28*time.Second) || post(other, 0) ||
			post(n, 131*time.Second) {
			t.Fatal("repetitions were not recognised")
		}
		if got := s.ints(t, `SELECT billed FROM service_cycle`); !slices.Equal(got, []int64{6}) {
			t.Fatalf("counted %v", got)
		}
	})
}

func TestRecord_Concurrent_CountsEachOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u})
		n := s.node(t, 1000, 0, 0)
		var wg sync.WaitGroup
		for i := range 60 { // each of 20 reports three times, one of them always in conflict
			wg.Go(func() {
				r := s.report(n, strconv.Itoa(i%20), traffic.Row{UserID: u, Up: 1, Down: 1})
				if i == 7 {
					r.Hash[0]++
				}
				if _, err := s.traffic.Record(context.Background(), r); err != nil &&
					!errors.Is(err, traffic.ErrConflict) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := s.ints(t, `SELECT billed FROM service_cycle`); !slices.Equal(got, []int64{40}) {
			t.Fatalf("counted %v", got)
		}
	})
}

func TestRowsOfFullCounters_AreRefusedAndOthersCount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		full, u := s.open(t), s.open(t)
		s.start(t, service.Terms{UserID: full})
		s.start(t, service.Terms{UserID: u})
		n := s.node(t, 1000, 0, 0)
		s.do(t, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE service_cycle SET billed = ? WHERE service_id = 1`, int64(math.MaxInt64-1)).
				Exec(ctx)
			return err
		})
		var wg sync.WaitGroup
		var refused atomic.Int64
		for i := range 20 {
			wg.Go(func() {
				rows := []traffic.Row{{UserID: u, Up: 1, Down: 1}}
				if i%4 == 0 {
					rows = append(rows, traffic.Row{UserID: full, Up: 1, Down: 1})
				}
				r, err := s.traffic.Record(context.Background(), s.report(n, strconv.Itoa(i), rows...))
				if err != nil {
					t.Error(err)
				}
				for _, row := range r.Refused {
					if refused.Add(1); row != (traffic.Refusal{UserID: full, Code: "counter_full"}) {
						t.Error(row)
					}
				}
			})
		}
		wg.Wait()
		if got := s.ints(t, `SELECT billed FROM service_cycle ORDER BY service_id`); refused.Load() != 5 ||
			!slices.Equal(got, []int64{math.MaxInt64 - 1, 40}) {
			t.Fatalf("%d were refused, counted %v", refused.Load(), got)
		}
		again := s.record(t, s.report(n, "0", traffic.Row{UserID: u, Up: 1, Down: 1}, traffic.Row{
			UserID: full, Up: 1,
			Down: 1,
		}))
		if !again.Repeated {
			t.Error("counted again")
		}
	})
}

// So it is with the counters of the log: of an hour, a day, a day of a node.
func TestFullCountersOfTheLog_RefuseTheirRowsAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		full, u := s.open(t), s.open(t)
		s.start(t, service.Terms{UserID: full, Months: 12})
		s.start(t, service.Terms{UserID: u, Months: 12})
		n := s.node(t, 1000, 0, 0)
		for i, c := range []struct {
			of  string
			all bool // rows of everybody are refused
		}{{"hour", false}, {"day", false}, {"node", true}} {
			s.now = s.now.AddDate(0, 0, 1)
			rows := []traffic.Row{{UserID: full, Up: 1, Down: 1}, {UserID: u, Up: 1, Down: 1}}
			s.record(t, s.report(n, strconv.Itoa(i), rows...))
			s.do(t, func(ctx context.Context, tx bun.Tx) error {
				most := map[int64]traffic.Amount{full: {Up: math.MaxInt64 - 1}}
				switch c.of {
				case "hour":
					slot := trafficlog.Slot{Hour: s.now.Unix() / 3600, NodeID: n.ID, RatePermille: 1000}
					return s.traffic.History().Add(ctx, tx, trafficlog.Addition{
						Hours: map[trafficlog.Slot]map[int64]traffic.Amount{slot: most},
					})
				case "day":
					day, err := strconv.ParseInt(s.traffic.Now().Format("20060102"), 10, 64)
					if err != nil {
						return err
					}
					return s.traffic.History().Add(ctx, tx, trafficlog.Addition{
						Days: map[int64]map[int64]traffic.Amount{day: most},
					})
				}
				_, err := tx.NewRaw(`UPDATE node_day SET up = ?`, int64(math.MaxInt64)).Exec(ctx)
				return err
			})
			r := s.record(t, s.report(n, "again "+strconv.Itoa(i), rows...))
			want := []traffic.Refusal{{UserID: full, Code: "counter_full"}}
			if c.all {
				want = append(want, traffic.Refusal{UserID: u, Code: "counter_full"})
			}
			if !slices.Equal(r.Refused, want) {
				t.Errorf("%s: %+v", c.of, r)
			}
		}
	})
}

func TestForget_RemovesHoursAndKeepsDays(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		s.traffic.Register(s.queue)
		n := s.node(t, 1000, 0, 0)
		for i := range 3 {
			s.record(t, s.report(n, strconv.Itoa(i), traffic.Row{UserID: u, Up: 1}))
			s.now = s.now.AddDate(0, 0, 50)
		}
		if err := s.queue.Trigger(t.Context(), "traffic.forget"); err != nil {
			t.Fatal(err)
		}
		if hours, err := s.traffic.Hours(t.Context(), u, time.Time{}, s.now, 100); err != nil || len(hours) != 1 {
			t.Fatalf("hours kept: %v, %v", hours, err)
		}
		if days, err := s.traffic.Days(t.Context(), u, time.Time{}, s.now, 100); err != nil || len(days) != 3 {
			t.Fatalf("days kept: %v, %v", days, err)
		}
		if keys := s.ints(t, `SELECT count(*) FROM traffic_report`); keys[0] != 0 {
			t.Fatalf("%d keys of old reports are left", keys[0])
		}
	})
}

func TestForget_DaysBecomeMonths(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		s.traffic.Register(s.queue)
		change := map[string]json.RawMessage{
			"traffic_log_days": json.RawMessage("20"), "traffic_daily_days": json.RawMessage("31"),
		}
		if err := s.settings.Set(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		n := s.node(t, 1000, 0, 0)
		for i := range 6 { // two in each of January, February and March
			s.record(t, s.report(n, strconv.Itoa(i), traffic.Row{UserID: u, Up: 10, Down: int64(i)}))
			s.now = s.now.AddDate(0, 0, 14)
			if err := s.queue.Trigger(t.Context(), "traffic.forget"); err != nil {
				t.Fatal(err)
			}
			if broken, err := traffic.Check(t.Context(), s.db, s.settings); err != nil || len(broken) > 0 {
				t.Fatal(broken, err)
			}
		}
		months, err := s.traffic.Chart(t.Context(), u, traffic.ChartQuery{To: s.now, Step: traffic.Monthly})
		if err != nil || len(months) != 3 || months[0].Up != 20 || months[2].Down != 9 {
			t.Fatalf("months kept: %v, %v", months, err)
		}
		days, err := s.traffic.Days(t.Context(), u, time.Time{}, s.now, 100)
		if err != nil || len(days) != 2 {
			t.Fatalf("days kept: %v, %v", days, err)
		}
	})
}

func TestClose_TakesTheUserOutOfTheLog(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		s.traffic.Register(s.queue)
		n := s.node(t, 1000, 0, 0)
		s.record(t, s.report(n, "a", traffic.Row{UserID: u, Up: 10, Down: 5}))
		s.now = s.now.AddDate(0, 0, 1)
		s.record(t, s.report(n, "b", traffic.Row{UserID: u, Up: 1}))
		s.do(t, func(ctx context.Context, tx bun.Tx) error { return s.traffic.Close(ctx, tx, u) })
		if err := s.queue.Trigger(t.Context(), "traffic.forget"); err != nil {
			t.Fatal(err)
		}
		if hours, days := s.logged(t, u); hours != (traffic.Amount{}) || days != (traffic.Amount{}) {
			t.Errorf("the log still has %v and %v of the user", hours, days)
		}
		nodes, err := s.traffic.SumByNode(t.Context(), s.now.AddDate(0, 0, -3), s.now.AddDate(0, 0, 1))
		if err != nil || len(nodes) != 1 || nodes[0].Up != 11 {
			t.Errorf("the node moved %v, %v", nodes, err)
		}
		if users, total, err := s.traffic.Ranking(t.Context(), s.now.AddDate(0, 0, -3), s.now.AddDate(0, 0, 1), 10,
			0); err != nil || total != 0 {
			t.Errorf("the ranking has %v, %v", users, err)
		}
		if broken, err := traffic.Check(t.Context(), s.db, s.settings); err != nil || len(broken) > 0 {
			t.Error(broken, err)
		}
	})
}

func TestDays_FollowTheSitesTimeZone(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		n := s.node(t, 1500, 0, 0)
		// In Shanghai these are 23:59 of 31 January and 00:00 of 1 February.
		for i, at := range []time.Time{time.Date(2026, 1, 31, 15, 59, 0, 0, time.UTC), time.Date(2026, 1, 31, 16, 0, 0,
			0, time.UTC)} {
			s.now = at
			s.record(t, s.report(n, strconv.Itoa(i), traffic.Row{UserID: u, Up: 10, Down: 1}))
		}
		days, err := s.traffic.Month(t.Context(), u, 2026, time.February)
		if err != nil || len(days) != 1 || !days[0].At.Equal(s.now) || days[0].Billed != 16 || days[0].Up != 10 {
			t.Fatalf("February holds %v, %v", days, err)
		}
		if today, err := s.traffic.Today(t.Context(), u); err != nil || today != 16 {
			t.Fatalf("today holds %d, %v", today, err)
		}
		hours, err := s.traffic.Hours(t.Context(), u, s.now.Add(-time.Hour), s.now.Add(time.Hour), 10)
		if err != nil || len(hours) != 2 || !hours[1].At.Equal(s.now) {
			t.Fatalf("the hours are %v, %v", hours, err)
		}
		records, err := s.traffic.Records(t.Context(), u, 1, 1)
		if err != nil || len(records) != 1 || !records[0].At.Equal(s.now.Add(-time.Hour)) ||
			records[0].RatePermille != 1500 {
			t.Fatalf("the second newest row is %v, %v", records, err)
		}
	})
}

// Whatever comes in whatever order, each accepted batch counts once at its node's rate, in the cycle in which it came,
// and nothing is ever set back.
func TestCounters_EqualTheAcceptedBatches(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		rapid.Check(t, func(t *rapid.T) {
			u := s.open(t)
			nodes := []node.Node{s.node(t, 1000, 0, 0), s.node(t, rapid.Int64Range(0, 3000).Draw(t, "rate"), 1, 0)}
			var wantUp, wantDown, wantBilled, cycles int64
			boot := rapid.StringMatching(`[a-z]{12}`).Draw(t, "boot")
			var sent []traffic.Report
			service1 := s.start(t, service.Terms{UserID: u, Class: 1, QuotaBytes: ptr(rapid.Int64Range(1, 5000).
				Draw(t, "quota")), Reset: service.Anniversary, Months: 12})
			where := ` WHERE user_id = ` + strconv.FormatInt(u, 10)
			sums := func() [3]int64 {
				var out [3]int64
				for i, c := range []struct{ cycle, pack string }{{"up", "up"}, {"down", "down"}, {"billed", "used"}} {
					out[i] = s.ints(t, `SELECT CAST(coalesce((SELECT sum(c.`+c.cycle+`) FROM service_cycle AS c
						JOIN service AS s ON s.id = c.service_id`+where+`), 0)
						+ coalesce((SELECT sum(`+c.pack+`) FROM package`+where+`), 0) AS BIGINT)`)[0]
				}
				return out
			}
			t.Repeat(map[string]func(*rapid.T){
				"report": func(t *rapid.T) {
					n := nodes[rapid.IntRange(0, 1).Draw(t, "node")]
					row := traffic.Row{UserID: u, Up: rapid.Int64Range(0, 2000).Draw(t, "up"), Down: rapid.Int64Range(0,
						2000).Draw(t, "down")}
					r := s.report(n, fmt.Sprintf("%s:%d", boot, len(sent)), row)
					sent = append(sent, r)
					if got := s.record(t, r); got.Repeated || len(got.Refused) > 0 {
						t.Fatal("refused", got)
					}
					wantUp, wantDown, wantBilled = wantUp+row.Up, wantDown+row.Down,
						wantBilled+(row.Up+row.Down)*n.RatePermille/1000
				},
				"repeat": func(t *rapid.T) {
					if len(sent) == 0 {
						t.Skip()
					}
					if r := rapid.SampledFrom(sent).Draw(t, "again"); s.now.Sub(r.To) < 30*24*time.Hour &&
						!s.record(t, r).Repeated {
						t.Fatal("counted again")
					}
				},
				"reset": func(t *rapid.T) {
					if cycles++; cycles > 10 {
						t.Skip()
					}
					s.now = s.now.AddDate(0, 0, 31)
					if err := s.queue.Work(context.Background()); err != nil {
						t.Fatal(err)
					}
				},
				"renew": func(t *rapid.T) {
					s.do(t, func(ctx context.Context, tx bun.Tx) error {
						return s.services.Extend(ctx, tx, service.Extension{UserID: u, ServiceID: service1, Months: 12})
					})
				},
				"package": func(t *rapid.T) { s.pack(t, u, rapid.Int64Range(1, 3000).Draw(t, "bytes")) },
				"": func(t *rapid.T) {
					if got := sums(); got != [3]int64{wantUp, wantDown, wantBilled} {
						t.Fatalf("the sources hold %v, accepted were %v", got, []int64{wantUp, wantDown, wantBilled})
					}
					want := traffic.Amount{Up: wantUp, Down: wantDown, Billed: wantBilled}
					if hours, days := s.logged(t, u); hours != want || days != want {
						t.Fatalf("the hours hold %v and the days %v of %v", hours, days, want)
					}
					a, err := s.services.Access(context.Background(), u)
					if err != nil || a.Allowed != (*a.RemainingBytes > 0) {
						t.Fatalf("allowed %v with %d left, %v", a.Allowed, *a.RemainingBytes, err)
					}
				},
			})
		})
	})
}
