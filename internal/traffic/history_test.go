package traffic_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

// logged is what the log of a user should hold, newest first.
type logged []traffic.Record

func (l logged) sorted() logged {
	slices.SortFunc(l, func(a, b traffic.Record) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.NodeID, a.NodeID), cmp.Compare(b.RatePermille, a.RatePermille))
	})
	return l
}

func (l logged) only(f traffic.LogFilter) (out logged) {
	for _, r := range l {
		if (f.From.IsZero() || !r.At.Before(f.From)) && (f.To.IsZero() || r.At.Before(f.To)) &&
			(f.NodeID == 0 || r.NodeID == f.NodeID) {
			out = append(out, r)
		}
	}
	return out
}

func (l logged) sum() (a traffic.Amount) {
	for _, r := range l {
		a.Up, a.Down, a.Billed = a.Up+r.Up, a.Down+r.Down, a.Billed+r.Billed
	}
	return a
}

// fillLog records reports of random hours on three nodes and gives what each user's log should hold.
func fillLog(t *testing.T, s *site, users []int64, hours int) map[int64]logged {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	rows := map[int64]map[[3]int64]traffic.Record{}
	for _, rate := range []int64{1000, 1500, 0} {
		n := s.node(t, rate, 0, 0)
		at := s.now
		for hour := range hours {
			s.now = at.Add(time.Duration(hour) * time.Hour)
			for _, u := range users {
				if random.IntN(3) == 0 {
					continue
				}
				row := traffic.Row{UserID: u, Up: random.Int64N(1000), Down: random.Int64N(100_000) + 1}
				s.record(t, s.report(n, "r"+strconv.FormatInt(u, 10)+"-"+strconv.Itoa(hour), row))
				began := s.now.Truncate(time.Hour)
				key := [3]int64{began.Unix(), n.ID, rate}
				if rows[u] == nil {
					rows[u] = map[[3]int64]traffic.Record{}
				}
				rows[u][key] = traffic.Record{
					NodeID: n.ID, At: began, RatePermille: rate, Up: row.Up, Down: row.Down,
					Billed: (row.Up + row.Down) * rate / 1000,
				}
			}
		}
		s.now = at
	}
	s.now = s.now.Add(time.Duration(hours) * time.Hour)
	out := map[int64]logged{}
	for u, by := range rows {
		for _, r := range by {
			out[u] = append(out[u], r)
		}
		out[u] = out[u].sorted()
	}
	return out
}

func TestLog_ReadsWhatWasCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		var users []int64
		for range 2 {
			u := s.open(t)
			users = append(users, u)
			s.start(t, service.Terms{UserID: u, Months: 12})
		}
		want := fillLog(t, s, users, 60)
		from := s.now.Add(-50 * time.Hour).Truncate(time.Hour)
		for _, u := range users {
			for _, f := range []traffic.LogFilter{
				{}, {NodeID: 2}, {From: from}, {From: from, To: from.Add(20 * time.Hour), NodeID: 1}, {NodeID: 99},
			} {
				expectLog(t, s, u, f, want[u].only(f))
			}
		}
		expectTotals(t, s, want)
		expectSums(t, s, want)
	})
}

// expectLog reads the rows in each way there is.
func expectLog(t *testing.T, s *site, u int64, f traffic.LogFilter, want logged) {
	t.Helper()
	ctx := t.Context()
	var each logged
	if err := s.traffic.Each(ctx, u, f, func(r traffic.Record) error {
		each = append(each, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(each, want) {
		t.Errorf("user %d, %+v: Each gives %d rows, not these %d:\n%v\n%v", u, f, len(each), len(want), each, want)
	}
	var paged logged
	after := ""
	for {
		p, err := s.traffic.Page(ctx, u, traffic.PageQuery{LogFilter: f, Limit: 7, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if p.Count != int64(len(want)) || p.Amount != want.sum() {
			t.Errorf("user %d, %+v: the totals are %d and %v, not %d and %v", u, f, p.Count, p.Amount, len(want),
				want.sum())
		}
		paged = append(paged, p.Records...)
		if after = p.Next; after == "" {
			break
		}
	}
	if !slices.Equal(paged, want) {
		t.Errorf("user %d, %+v: the pages give %d rows, not these %d", u, f, len(paged), len(want))
	}
	for _, offset := range []int{0, 1, 30, len(want) + 1} {
		p, err := s.traffic.Page(ctx, u, traffic.PageQuery{LogFilter: f, Limit: 10, Offset: int64(offset)})
		first := min(offset, len(want))
		part := want[first:min(first+10, len(want))]
		if err != nil || !slices.Equal(logged(p.Records), part) {
			t.Errorf("user %d, %+v: from %d on there are %v, %v; not %v", u, f, offset, p.Records, err, part)
		}
		if last := first+10 >= len(want); (p.Next == "") != last {
			t.Errorf("user %d, %+v: the page from %d of %d continues at %q", u, f, offset, len(want), p.Next)
		}
	}
}

func expectTotals(t *testing.T, s *site, want map[int64]logged) {
	t.Helper()
	type key struct{ hour, user, node, rate int64 }
	totals, wanted := map[key]traffic.Amount{}, map[key]traffic.Amount{}
	first, last, ok, err := s.traffic.Bounds(t.Context())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for hour := first; hour <= last; hour++ {
		if err := s.traffic.Totals(t.Context(), hour, hour+1, func(h traffic.HourTotal) error {
			k := key{h.Hour, h.UserID, h.NodeID, h.RatePermille}
			if _, twice := totals[k]; twice {
				return errors.New("twice")
			}
			totals[k] = h.Amount
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for u, rows := range want {
		for _, r := range rows {
			k := key{r.At.Unix() / 3600, u, r.NodeID, r.RatePermille}
			a := wanted[k]
			wanted[k] = traffic.Amount{Up: a.Up + r.Up, Down: a.Down + r.Down, Billed: a.Billed + r.Billed}
		}
	}
	if len(totals) != len(wanted) {
		t.Errorf("%d totals, not %d", len(totals), len(wanted))
	}
	for k, a := range wanted {
		if totals[k] != a {
			t.Errorf("%v has %v, not %v", k, totals[k], a)
		}
	}
}

func expectSums(t *testing.T, s *site, want map[int64]logged) {
	t.Helper()
	ctx, from, to := t.Context(), s.now.AddDate(0, -1, 0), s.now.AddDate(0, 0, 1)
	nodes := map[int64]traffic.Amount{}
	users, total, err := s.traffic.Ranking(ctx, from, to, 10, 0)
	if err != nil || total != int64(len(want)) || len(users) != len(want) {
		t.Fatal(users, total, err)
	}
	for i, u := range users {
		if u.Amount != want[u.UserID].sum() || i > 0 && u.Up+u.Down > users[i-1].Up+users[i-1].Down {
			t.Errorf("the ranking has %v at %d, of %v", u, i, want[u.UserID].sum())
		}
		for _, r := range want[u.UserID] {
			a := nodes[r.NodeID]
			nodes[r.NodeID] = traffic.Amount{Up: a.Up + r.Up, Down: a.Down + r.Down, Billed: a.Billed + r.Billed}
		}
	}
	sums, err := s.traffic.SumByNode(ctx, from, to)
	if err != nil || len(sums) != len(nodes) {
		t.Fatal(sums, err)
	}
	for _, n := range sums {
		if n.Amount != nodes[n.NodeID] {
			t.Errorf("node %d has %v, not %v", n.NodeID, n.Amount, nodes[n.NodeID])
		}
	}
	for u, rows := range want {
		expectCharts(t, s, u, rows)
	}
}

func expectCharts(t *testing.T, s *site, u int64, rows logged) {
	t.Helper()
	from, to := s.now.AddDate(0, -2, 0), s.now.AddDate(0, 2, 0)
	for _, node := range []int64{0, 1} {
		for _, step := range []traffic.Step{traffic.Hourly, traffic.Daily, traffic.Monthly} {
			q := traffic.ChartQuery{From: from, To: to, Step: step, NodeID: node}
			points, err := s.traffic.Chart(t.Context(), u, q)
			if err != nil {
				t.Fatal(err)
			}
			var sum traffic.Amount
			for i, p := range points {
				sum.Up, sum.Down, sum.Billed = sum.Up+p.Up, sum.Down+p.Down, sum.Billed+p.Billed
				if i > 0 && !p.At.After(points[i-1].At) {
					t.Errorf("%s: %v comes after %v", step, p.At, points[i-1].At)
				}
			}
			if want := rows.only(traffic.LogFilter{NodeID: node}).sum(); sum != want {
				t.Errorf("user %d, node %d by %s: the points sum up to %v, not %v", u, node, step, sum, want)
			}
		}
	}
	days, err := s.traffic.MonthByNode(t.Context(), u, 2026, time.January)
	if err != nil || len(days) == 0 {
		t.Fatal(days, err)
	}
	for _, d := range days {
		var sum traffic.Amount
		for _, n := range d.Nodes {
			sum.Up, sum.Down, sum.Billed = sum.Up+n.Up, sum.Down+n.Down, sum.Billed+n.Billed
		}
		if sum != (traffic.Amount{Up: d.Up, Down: d.Down, Billed: d.Billed}) {
			t.Errorf("%v: the nodes sum up to %v", d, sum)
		}
	}
}

func TestPage_RefusesAForeignCursor(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		for _, after := range []string{"x", "1", "1.2", "1.2.3.4", "1.2.3 ", "01.2.3", "1.2.99999999999999999999"} {
			_, err := s.traffic.Page(t.Context(), u, traffic.PageQuery{Limit: 1, After: after})
			if !errors.Is(err, traffic.ErrCursor) {
				t.Errorf("%q: %v", after, err)
			}
		}
	})
}

func TestChangedHours_NamesLateHoursAgain(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		n := s.node(t, 1000, 0, 0)
		s.record(t, s.report(n, "a", traffic.Row{UserID: u, Up: 1}))
		first := s.now.Unix() / 3600
		s.now = s.now.Add(3 * time.Hour)
		s.record(t, s.report(n, "b", traffic.Row{UserID: u, Up: 1}))
		changed := func(after int64) (hours []int64, last int64) {
			t.Helper()
			found, err := s.traffic.ChangedHours(context.Background(), after, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				hours, last = append(hours, c.Hour), c.Revision
			}
			return hours, last
		}
		hours, last := changed(0)
		if !slices.Equal(hours, []int64{first, first + 3}) {
			t.Fatal(hours)
		}
		late := s.report(n, "c", traffic.Row{UserID: u, Up: 1})
		late.From, late.To = late.From.Add(-3*time.Hour), late.To.Add(-3*time.Hour)
		s.record(t, late)
		if hours, _ = changed(last); !slices.Equal(hours, []int64{first}) {
			t.Fatal(hours)
		}
	})
}
