package trafficlog_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/trafficlog"
)

// rowKey is where the bytes of a row belong.
type rowKey struct{ user, hour, node, rate int64 }

// dayKey is where the bytes of a day belong.
type dayKey struct{ user, day int64 }

// model is what the log should hold.
type model struct {
	t      *testing.T
	db     *db.DB
	log    *trafficlog.Log
	random *rand.Rand
	now    time.Time
	rows   map[rowKey]trafficlog.Amount
	days   map[dayKey]trafficlog.Amount
	users  []int64
}

func newModel(t *testing.T, d *db.DB, seed uint64) *model {
	m := &model{
		t: t, db: d, log: trafficlog.New(d), random: rand.New(rand.NewPCG(seed, 0)),
		now:  time.Date(2026, 1, 30, 3, 0, 0, 0, time.UTC),
		rows: map[rowKey]trafficlog.Amount{}, days: map[dayKey]trafficlog.Amount{},
		users: []int64{1, 2, 1023, 1024, 5000},
	}
	d.SetClock(func() time.Time { return m.now })
	return m
}

func dayOf(hour int64) int64 {
	at := time.Unix(hour*3600, 0).UTC()
	return int64(at.Year()*10_000 + int(at.Month())*100 + at.Day())
}

// some draws the rows of a report in an hour.
func (m *model) some(hour int64) (trafficlog.Slot, map[int64]trafficlog.Amount) {
	slot := trafficlog.Slot{
		Hour: hour, NodeID: m.random.Int64N(4) + 1, RatePermille: []int64{0, 1000, 1500}[m.random.IntN(3)],
	}
	of := map[int64]trafficlog.Amount{}
	for _, user := range m.users {
		if m.random.IntN(3) > 0 {
			a := trafficlog.Amount{Up: m.random.Int64N(1000) + 1, Down: m.random.Int64N(1 << 30)}
			a.Billed = (a.Up + a.Down) * slot.RatePermille / 1000
			of[user] = a
		}
	}
	return slot, of
}

// count adds to the model what was written.
func (m *model) count(slot trafficlog.Slot, of map[int64]trafficlog.Amount) {
	for user, a := range of {
		row := rowKey{user, slot.Hour, slot.NodeID, slot.RatePermille}
		m.rows[row] = plus(m.rows[row], a)
		day := dayKey{user, dayOf(slot.Hour)}
		m.days[day] = plus(m.days[day], a)
	}
}

func plus(a, b trafficlog.Amount) trafficlog.Amount {
	return trafficlog.Amount{Up: a.Up + b.Up, Down: a.Down + b.Down, Billed: a.Billed + b.Billed}
}

// report writes rows of this hour, or of one up to ten days ago.
func (m *model) report() {
	m.t.Helper()
	hour := m.now.Unix() / 3600
	if m.random.IntN(3) == 0 {
		hour -= m.random.Int64N(240)
	}
	slot, of := m.some(hour)
	if err := write(m.t.Context(), m.db, m.log, slot, of); err != nil {
		m.t.Fatal(err)
	}
	m.count(slot, of)
}

func write(
	ctx context.Context, d *db.DB, log *trafficlog.Log, slot trafficlog.Slot, of map[int64]trafficlog.Amount,
) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, trafficlog.Revision); err != nil {
			return err
		}
		return log.Add(ctx, tx, trafficlog.Addition{
			Hours: map[trafficlog.Slot]map[int64]trafficlog.Amount{slot: of},
			Days:  map[int64]map[int64]trafficlog.Amount{dayOf(slot.Hour): of},
		})
	})
}

// earlier fills the tables of earlier versions with rows.
func (m *model) earlier(hours int) {
	m.t.Helper()
	rows, days := map[rowKey]trafficlog.Amount{}, map[dayKey]trafficlog.Amount{}
	for i := range hours {
		slot, of := m.some(m.now.Unix()/3600 - int64(i))
		m.count(slot, of)
		for user, a := range of {
			key := rowKey{user, slot.Hour, slot.NodeID, slot.RatePermille}
			rows[key] = plus(rows[key], a)
			day := dayKey{user, dayOf(slot.Hour)}
			days[day] = plus(days[day], a)
		}
	}
	m.do(func(ctx context.Context, tx bun.Tx) error {
		for k, a := range rows {
			if _, err := tx.NewRaw(`INSERT INTO traffic_hour_row (node_id, hour, user_id, rate_permille, up, down, billed)
				VALUES (?, ?, ?, ?, ?, ?, ?)`, k.node, k.hour, k.user, k.rate, a.Up, a.Down, a.Billed).Exec(ctx); err != nil {
				return err
			}
		}
		for k, a := range days {
			if _, err := tx.NewRaw(`INSERT INTO traffic_day_row (day, user_id, up, down, billed) VALUES (?, ?, ?, ?, ?)`,
				k.day, k.user, a.Up, a.Down, a.Billed).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw(`UPDATE traffic_move SET next_user = 0, next_day = 0`).Exec(ctx)
		return err
	})
}

func (m *model) do(fn func(context.Context, bun.Tx) error) {
	m.t.Helper()
	if err := m.db.Tx(m.t.Context(), fn); err != nil {
		m.t.Fatal(err)
	}
}

// cut runs a job and ends its context at some moment, as the end of the process does.
func (m *model) cut(job func(context.Context) error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Duration(m.random.Int64N(int64(15*time.Millisecond))))
	defer cancel()
	if err := job(ctx); err != nil && ctx.Err() == nil {
		m.t.Fatal(err)
	}
	if m.random.IntN(2) == 0 {
		m.log = trafficlog.New(m.db) // nothing that a process remembers is needed
		if err := m.log.Open(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *model) run(job func(context.Context) error) {
	m.t.Helper()
	if err := job(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
}

// forget closes the account of a user.
func (m *model) forget(user int64) {
	m.t.Helper()
	m.do(func(ctx context.Context, tx bun.Tx) error { return trafficlog.ForgetUser(ctx, tx, user, m.now) })
	m.users = slices.DeleteFunc(m.users, func(u int64) bool { return u == user })
}

// forgotten is what the log should hold once the user's bytes are those of nobody.
func (m *model) forgotten(user int64) {
	for k, a := range m.rows {
		if k.user == user {
			delete(m.rows, k)
			k.user = 0
			m.rows[k] = plus(m.rows[k], a)
		}
	}
	for k, a := range m.days {
		if k.user == user {
			delete(m.days, k)
			k.user = 0
			m.days[k] = plus(m.days[k], a)
		}
	}
}

// expect compares all ways to read the log with the model.
func (m *model) expect(user int64) {
	m.t.Helper()
	var want []trafficlog.Record
	var sum trafficlog.Amount
	hours := map[int64]trafficlog.Amount{}
	for k, a := range m.rows {
		if k.user == user {
			want = append(want, trafficlog.Record{
				NodeID: k.node, At: time.Unix(k.hour*3600, 0).UTC(), RatePermille: k.rate, Up: a.Up, Down: a.Down,
				Billed: a.Billed,
			})
			hours[k.hour], sum = plus(hours[k.hour], a), plus(sum, a)
		}
	}
	slices.SortFunc(want, func(a, b trafficlog.Record) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.NodeID, a.NodeID), cmp.Compare(b.RatePermille, a.RatePermille))
	})
	ctx, all := m.t.Context(), trafficlog.Filter{To: math.MaxInt64}
	var each []trafficlog.Record
	if err := m.log.Each(ctx, user, all, func(r trafficlog.Record) error {
		each = append(each, r)
		return nil
	}); err != nil || !slices.Equal(each, want) {
		m.t.Fatalf("user %d: the rows are\n%v, %v, not\n%v", user, each, err, want)
	}
	page, err := m.log.Page(ctx, user, trafficlog.PageQuery{Filter: all, Limit: 5, Offset: int64(len(want) / 2)})
	shown := want[len(want)/2 : min(len(want), len(want)/2+5)]
	if err != nil || page.Count != int64(len(want)) || page.Amount != sum || !slices.Equal(page.Records, shown) {
		m.t.Fatalf("user %d: a page is\n%+v, %v, not\n%v of %d with %v", user, page, err, shown, len(want), sum)
	}
	points, err := m.log.Hours(ctx, user, all)
	if err != nil || len(points) != len(hours) {
		m.t.Fatalf("user %d: %d hours, not %d, %v", user, len(points), len(hours), err)
	}
	for _, p := range points {
		if p.Amount != hours[p.Hour] {
			m.t.Fatalf("user %d: the hour %d has %v, not %v", user, p.Hour, p.Amount, hours[p.Hour])
		}
	}
	m.expectMonths(user)
}

func (m *model) expectMonths(user int64) {
	m.t.Helper()
	want := map[int64]trafficlog.Amount{}
	for k, a := range m.days {
		if k.user == user {
			want[k.day/100] = plus(want[k.day/100], a)
		}
	}
	months, err := m.log.Months(m.t.Context(), user, 0, 999_912)
	if err != nil || len(months) != len(want) {
		m.t.Fatalf("user %d: the months are %v, %v, not %v", user, months, err, want)
	}
	for _, got := range months {
		if got.Amount != want[got.Day] {
			m.t.Fatalf("user %d: the month %d has %v, not %v", user, got.Day, got.Amount, want[got.Day])
		}
	}
}

// expectTotals compares what copies elsewhere are made from.
func (m *model) expectTotals() {
	m.t.Helper()
	type key struct{ hour, user, node, rate int64 }
	want, got := map[key]trafficlog.Amount{}, map[key]trafficlog.Amount{}
	for k, a := range m.rows {
		of := key{k.hour, k.user, k.node, k.rate}
		want[of] = plus(want[of], a)
	}
	if err := m.log.Totals(m.t.Context(), 0, math.MaxInt64, func(h trafficlog.HourTotal) error {
		of := key{h.Hour, h.UserID, h.NodeID, h.RatePermille}
		if _, twice := got[of]; twice {
			return fmt.Errorf("%v comes twice", of)
		}
		got[of] = h.Amount
		return nil
	}); err != nil {
		m.t.Fatal(err)
	}
	if len(got) != len(want) {
		m.t.Fatalf("%d totals, not %d", len(got), len(want))
	}
	for k, a := range want {
		if got[k] != a {
			m.t.Fatalf("%v is %v, not %v", k, got[k], a)
		}
	}
	if err := m.db.LongReadTx(m.t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return m.log.Visit(ctx, tx, trafficlog.Visitor{
			Day: func(trafficlog.UserDay) {}, Month: func(trafficlog.UserDay) {}, Row: func(trafficlog.HourTotal) {},
			Broken: func(what string) { m.t.Errorf("broken: %s", what) },
		})
	}); err != nil {
		m.t.Fatal(err)
	}
}

// Whatever comes in whatever order, and wherever a job is cut off, the log holds what was written.
func TestLog_HoldsWhatWasWritten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		m := newModel(t, d, 7)
		m.earlier(60)
		for _, user := range m.users {
			m.expect(user)
		}
		for step := range 150 {
			switch m.random.IntN(9) {
			case 0:
				m.cut(m.log.Seal)
			case 1:
				m.cut(m.log.Move)
			case 2:
				m.cut(func(ctx context.Context) error { return m.log.FoldDays(ctx, dayOf(m.now.Unix()/3600)/100) })
			case 3:
				m.now = m.now.Add(time.Duration(m.random.Int64N(20)) * time.Hour)
			default:
				m.report()
			}
			if step%10 == 0 {
				for _, user := range m.users {
					m.expect(user)
				}
				m.expectTotals()
			}
		}
		m.run(m.log.Move)
		m.run(m.log.Seal)
		const gone = 1023
		m.forget(gone)
		for range 3 {
			m.cut(m.log.ForgetUsers)
		}
		m.run(m.log.ForgetUsers)
		m.forgotten(gone)
		for _, user := range append(m.users, 0, gone) {
			m.expect(user)
		}
		m.expectTotals()
	})
}

func TestDropHours_RemovesWholeDaysAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		m := newModel(t, d, 3)
		for range 40 {
			m.report()
			m.now = m.now.Add(5 * time.Hour)
		}
		m.now = m.now.AddDate(0, 0, 1)
		m.run(m.log.Seal)
		before := m.now.AddDate(0, 0, -4).Unix() / 3600
		if err := m.log.DropHours(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		for k := range m.rows {
			if k.hour < before/24*24 {
				delete(m.rows, k)
			}
		}
		if len(m.rows) == 0 {
			t.Fatal("nothing is left")
		}
		for _, user := range m.users {
			m.expect(user)
		}
		m.expectTotals()
	})
}
