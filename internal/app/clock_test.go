package app

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"airstrip/internal/clock"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/shop"
)

// jumpingClock is a server on a machine whose wall clock the test moves.
type jumpingClock struct {
	*testServer
	ahead time.Duration
	user  testUser
}

// eachJumpingClock runs test on both databases, with one user who has a plan for a month.
func eachJumpingClock(t *testing.T, test func(t *testing.T, j *jumpingClock)) {
	eachEngine(t, func(t *testing.T, c Config) {
		j := &jumpingClock{testServer: newTestServer(t, c)}
		j.start(t)
		j.user = j.addUser(t, "user", 1000)
		if w := j.call(t.Context(), j.user, "POST", buy(j.sells(t, shop.KindPlan, 100)), "{}"); w.Code != 200 {
			t.Fatal(w.Body)
		}
		test(t, j)
	})
}

// start lets the clock of the machine be that of the test, as when the server starts.
func (j *jumpingClock) start(t *testing.T) {
	t.Helper()
	if err := j.DB.SetWallClock(t.Context(), func() time.Time { return time.Now().Add(j.ahead) }); err != nil {
		t.Fatal(err)
	}
}

// check compares the clocks, as Serve does every few seconds, and runs everything that is due.
func (j *jumpingClock) check(t *testing.T) {
	t.Helper()
	if err := j.DB.CheckClock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Queue.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// running reports whether the user's service runs.
func (j *jumpingClock) running(t *testing.T) bool {
	t.Helper()
	services, _, err := j.Services.List(t.Context(), j.user.id)
	if err != nil || len(services) != 1 {
		t.Fatalf("%d services, %v", len(services), err)
	}
	access, err := j.Services.Access(t.Context(), j.user.id)
	if err != nil {
		t.Fatal(err)
	}
	return services[0].Running(j.DB.Now()) && access.Allowed
}

func TestClock_JumpsAYearAheadAndBack_NothingEnds(t *testing.T) {
	eachJumpingClock(t, func(t *testing.T, j *jumpingClock) {
		j.check(t)
		for _, ahead := range []time.Duration{365 * 24 * time.Hour, -365 * 24 * time.Hour} {
			j.ahead = ahead
			j.check(t)
			if j.DB.ClockProblem() == nil {
				t.Fatalf("a clock that is %s ahead is trusted", ahead)
			}
			if err := j.Queue.Trigger(t.Context(), "service.expire"); !errors.Is(err, job.ErrClock) {
				t.Fatalf("the timetable answers %v, want %v", err, job.ErrClock)
			}
			if !j.running(t) {
				t.Fatalf("a service ended while the clock was %s ahead", ahead)
			}
			if now := j.DB.Now(); time.Until(now).Abs() > time.Minute {
				t.Fatalf("the server goes on with %s", now)
			}
			j.ahead = 0
			j.check(t)
			if p := j.DB.ClockProblem(); p != nil {
				t.Fatalf("the clock is right again, and the problem is %+v", p)
			}
			if err := j.Queue.Trigger(t.Context(), "service.expire"); err != nil {
				t.Fatal(err)
			}
			if !j.running(t) {
				t.Fatal("a service ended after the clock came back")
			}
		}
	})
}

// PostgreSQL on the machine of the server reads the same clock, so that its agreement confirms nothing.
func TestClock_JumpsWithTheDatabaseOnTheMachine_NothingEnds(t *testing.T) {
	c := config(t)
	c.DatabaseURL, c.SecretKey = dbtest.PostgresURL(t)+"&search_path=public,pg_catalog", keyText
	j := &jumpingClock{testServer: newTestServer(t, c)}
	for _, statement := range []string{
		`CREATE TABLE machine_clock (ahead INTERVAL NOT NULL)`, `INSERT INTO machine_clock VALUES ('0')`,
		`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
			'SELECT pg_catalog.clock_timestamp() + ahead FROM machine_clock'`,
	} {
		if _, err := j.DB.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	j.start(t)
	j.user = j.addUser(t, "user", 1000)
	if w := j.call(t.Context(), j.user, "POST", buy(j.sells(t, shop.KindPlan, 100)), "{}"); w.Code != 200 {
		t.Fatal(w.Body)
	}
	for _, ahead := range []time.Duration{32 * 24 * time.Hour, -3 * 24 * time.Hour, 0} {
		j.ahead = ahead
		if _, err := j.DB.NewRaw(`UPDATE machine_clock SET ahead = make_interval(secs => ?)`, ahead.Seconds()).
			Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		j.check(t)
		if p := j.DB.ClockProblem(); (p != nil) != (ahead != 0) || p != nil && p.Database != 0 {
			t.Fatalf("with both clocks %s ahead the problem is %+v", ahead, p)
		}
		if now := j.DB.Now(); time.Until(now).Abs() > time.Minute || !j.running(t) {
			t.Fatalf("with both clocks %s ahead the server goes on with %s; the service runs: %t", ahead, now, j.running(t))
		}
	}
}

// On PostgreSQL all servers of a site have the time of its clock, also one that starts with a clock that is wrong.
func TestClock_WrongAtTheStart_TheDatabasesTimeIsTaken(t *testing.T) {
	eachJumpingClock(t, func(t *testing.T, j *jumpingClock) {
		if j.DB.SQLite() {
			t.Skip("SQLite has no clock of its own")
		}
		for i, ahead := range []time.Duration{365 * 24 * time.Hour, -365 * 24 * time.Hour, -time.Hour} {
			j.ahead = ahead
			j.start(t)
			if now := j.DB.Now(); time.Until(now).Abs() > time.Minute {
				t.Fatalf("a server whose clock is %s ahead begins with %s", ahead, now)
			}
			j.check(t)
			buyer := j.addUser(t, fmt.Sprint("buyer", i), 1000)
			w := j.call(t.Context(), buyer, "POST", buy(j.sells(t, shop.KindPlan, 100)), "{}")
			services, _, err := j.Services.List(t.Context(), buyer.id)
			if w.Code != 200 || err != nil || len(services) != 1 ||
				time.Since(services[0].StartedAt).Abs() > time.Minute {
				t.Fatalf("a server whose clock is %s ahead sold %+v (%v), %s", ahead, services, err, w.Body)
			}
			if j.DB.ClockProblem() == nil || !j.running(t) {
				t.Fatalf("a clock that is %s ahead is trusted, or ended a service", ahead)
			}
			j.ahead = 0
			if j.check(t); j.DB.ClockProblem() != nil {
				t.Fatal("the clock is right again, and a problem")
			}
		}
	})
}

// SQLite has no clock. A server that starts on a machine without one, such as a board that begins with 1970, or on one
// whose clock is far ahead, goes on from when it ran last.
func TestClock_FarFromTheLastRun_GoesOnFromIt(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 40 * 24 * time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			c := config(t)
			before := newTestServer(t, c)
			last := time.Now().Add(-ahead).Truncate(time.Millisecond)
			before.DB.SetClock(func() time.Time { return last })
			if err := before.Queue.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, trusted := range []bool{false, true} {
				c.TrustClock = trusted
				after, err := Open(t.Context(), c, "test")
				if err != nil {
					t.Fatal(err)
				}
				defer after.Close()
				want := last
				if trusted || clock.Synchronised() { // A time server says that the former run's clock was wrong.
					want = time.Now()
				}
				if now := after.DB.Now(); now.Sub(want).Abs() > time.Minute {
					t.Errorf("Now is %s, want %s; trusted: %t", now, want, trusted)
				}
			}
		})
	}
}

func TestClock_Disagrees_NotifiesStaff(t *testing.T) {
	eachDuty(t, func(t *testing.T, d *duty) {
		d.notifyClock(t.Context(), clock.Problem{Since: d.now, Jump: time.Hour})
		d.says(t, ownerChat, "时钟")
	})
}
