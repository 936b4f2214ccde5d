package service_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// site is a database with servers that consume traffic on it.
type site struct {
	t       *testing.T
	db      *db.DB
	now     time.Time
	servers []*service.Services
}

func newSite(t *testing.T, d *db.DB, servers int) *site {
	t.Helper()
	s := &site{t: t, db: d, now: time.Date(2026, 1, 10, 2, 0, 0, 0, time.UTC)}
	d.SetClock(func() time.Time { return s.now })
	for range servers {
		s.servers = append(s.servers, s.server())
	}
	return s
}

// server returns one that remembers nothing yet.
func (s *site) server() *service.Services {
	s.t.Helper()
	settings, err := setting.New(s.t.Context(), s.db)
	if err != nil {
		s.t.Fatal(err)
	}
	return service.New(s.db, seal.Key{1}, settings)
}

func (s *site) do(fn func(context.Context, bun.Tx) error) {
	s.t.Helper()
	if err := s.db.Tx(s.t.Context(), fn); err != nil {
		s.t.Fatal(err)
	}
}

var errRolledBack = errors.New("rolled back")

// consume counts uses in a transaction, rolled back where fail is set, and returns the users with nothing left.
func (s *site) consume(on *service.Services, uses []service.Use, fail bool) (spent []int64) {
	s.t.Helper()
	var committed func()
	err := s.db.Tx(s.t.Context(), func(ctx context.Context, tx bun.Tx) error {
		revision, err := db.Bump(ctx, tx, "traffic")
		if err != nil {
			return err
		}
		if spent, committed, err = on.ConsumeTraffic(ctx, tx, revision, uses); err == nil && fail {
			err = errRolledBack
		}
		return err
	})
	if fail {
		if !errors.Is(err, errRolledBack) {
			s.t.Fatal(err)
		}
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	committed()
	return spent
}

// counters returns all that was counted.
func (s *site) counters() (rows [][]int64) {
	s.t.Helper()
	var found []struct{ ID, Cycle, Up, Down, Billed, Ended int64 }
	if err := s.db.NewRaw(`SELECT service_id AS id, cycle, up, down, billed, 0 AS ended FROM service_cycle
		UNION ALL SELECT -id, 0, up, down, used, CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END FROM package
		ORDER BY 1, 2`).Scan(s.t.Context(), &found); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range found {
		rows = append(rows, []int64{f.ID, f.Cycle, f.Up, f.Down, f.Billed, f.Ended})
	}
	return rows
}

// change makes one change to what a user holds, the same on each site for the same numbers.
func (s *site) change(ctx context.Context, tx bun.Tx, kind int, user, n int64) error {
	on := s.servers[0]
	var ids []int64
	if err := tx.NewRaw(`SELECT id FROM service WHERE user_id = ? ORDER BY id`, user).Scan(ctx, &ids); err != nil {
		return err
	}
	switch {
	case kind == 0:
		quota := n * 1000
		_, err := on.Start(ctx, tx, service.Terms{
			UserID: user, PlanID: 1, Name: "p", Class: int(n % 2), QuotaBytes: &quota, Days: int(n%9) + 1,
			Reset: []service.Reset{service.CalendarMonth, service.Anniversary, service.Never}[n%3],
		})
		return err
	case kind == 1:
		p := service.PackageTerms{UserID: user, Name: "p", Kind: service.Grant, Bytes: n * 500}
		if n%2 == 0 {
			p.ExpiresAt = new(s.now.Add(time.Duration(n) * time.Hour))
		}
		_, err := on.AddPackage(ctx, tx, p)
		return err
	case kind == 2 && len(ids) > 0:
		return on.Extend(ctx, tx, service.Extension{UserID: user, ServiceID: ids[n%int64(len(ids))], Days: 3})
	case kind == 3 && n%5 == 0:
		return on.Close(ctx, tx, user)
	case kind == 4 && len(ids) > 0:
		late := service.Use{UserID: user, Up: n, Down: n, BilledUp: n, BilledDown: n}
		return on.ConsumeLateTraffic(ctx, tx, s.now.Add(-time.Hour), []service.Use{late})
	}
	return nil
}

// TestConsume_WhatIsRemembered_CountsAsWhatIsRead does the same at random to two sites: on one, two servers that
// remember what users hold take turns, and some of their transactions are rolled back; on the other each report comes
// to a server that has just been started.
func TestConsume_WhatIsRemembered_CountsAsWhatIsRead(t *testing.T) {
	const users, steps = 6, 250
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		random := rand.New(rand.NewPCG(17, 4))
		one, other := newSite(t, d, 2), newSite(t, dbtest.SQLite(t), 1)
		for _, s := range []*site{one, other} {
			s.do(func(ctx context.Context, tx bun.Tx) error {
				for id := range int64(users) {
					if err := s.servers[0].Open(ctx, tx, id+1); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for step := range steps {
			kind, user, n := random.IntN(12), random.Int64N(users)+1, random.Int64N(40)+1
			hours := random.IntN(20) / 19 * random.IntN(100)
			var uses []service.Use
			for id := range int64(users) {
				if random.IntN(3) > 0 {
					b := random.Int64N(400)
					uses = append(uses, service.Use{
						UserID: id + 1, Class: random.IntN(2), Up: b, Down: 2 * b, BilledUp: b, BilledDown: 2 * b,
					})
				}
			}
			turn, fail := random.IntN(2), random.IntN(8) == 0
			if random.IntN(3) > 0 {
				turn = 0 // so that one of them is often right
			}
			for _, s := range []*site{one, other} {
				s.now = s.now.Add(time.Minute + time.Duration(hours)*time.Hour)
				changed := s.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
					return s.change(ctx, tx, kind, user, n)
				})
				if changed != nil && !errors.Is(changed, service.ErrGivenBack) {
					t.Fatal(step, kind, changed)
				}
			}
			if fail {
				one.consume(one.servers[turn], uses, true)
			}
			got := one.consume(one.servers[turn], uses, false)
			want := other.consume(other.server(), uses, false)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d: %v have nothing left, want %v", step, got, want)
			}
			if got, want := one.counters(), other.counters(); !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d: counted\n%v\nwant\n%v", step, got, want)
			}
		}
	})
}

// What a transaction changes that is still running while a report is counted counts from the next report on.
func TestConsume_PurchaseCommitsLater_IsFound(t *testing.T) {
	s := newSite(t, dbtest.Postgres(t), 1)
	quota := int64(3 << 39) // one byte less is no level lower, of which nodes would be notified
	s.do(func(ctx context.Context, tx bun.Tx) error {
		for user := int64(1); user <= 2; user++ {
			if err := s.servers[0].Open(ctx, tx, user); err != nil {
				return err
			}
			if _, err := s.servers[0].AddPackage(ctx, tx, service.PackageTerms{
				UserID: user, Name: "p", Kind: service.Grant, Bytes: quota,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	use := []service.Use{{UserID: 1, Down: 1, BilledDown: 1}}
	s.consume(s.servers[0], use, false)
	s.do(func(ctx context.Context, tx bun.Tx) error {
		// It ends before the other and is taken first, and it is small.
		if _, err := s.servers[0].AddPackage(ctx, tx, service.PackageTerms{
			UserID: 1, Name: "q", Kind: service.Grant, Bytes: 1000, ExpiresAt: new(s.now.Add(time.Hour)),
		}); err != nil {
			return err
		}
		// A note of a transaction that began later is read before this one commits.
		s.do(func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO holding_change (transaction_id, user_id)
				VALUES (pg_current_xact_id()::text::bigint, 2)`)
			return err
		})
		s.consume(s.servers[0], use, false)
		return nil
	})
	s.consume(s.servers[0], use, false)
	var used []int64
	if err := s.db.NewRaw(`SELECT used FROM package WHERE user_id = 1 ORDER BY id`).Scan(t.Context(), &used); err != nil {
		t.Fatal(err)
	}
	if want := []int64{2, 1}; !reflect.DeepEqual(used, want) {
		t.Errorf("the packages were used for %v, want %v", used, want)
	}
}

func TestHoldingNotes_AreRemovedAnHourLater(t *testing.T) {
	each(t, func(w *world) {
		count := func() (n int) {
			w.Helper()
			if err := w.db.NewRaw(`SELECT count(*) FROM holding_change`).Scan(w.Context(), &n); err != nil {
				w.Fatal(err)
			}
			return n
		}
		quota := int64(gb)
		w.start(service.Terms{UserID: 1, PlanID: 1, Name: "p", QuotaBytes: &quota, Reset: service.Never, Months: 1})
		w.at(w.now.Add(time.Minute))
		if count() == 0 {
			w.Fatal("a purchase left no note")
		}
		w.at(w.now.Add(2 * time.Hour))
		if n := count(); n > 0 {
			w.Errorf("%d notes are left", n)
		}
	})
}
