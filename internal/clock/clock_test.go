package clock_test

import (
	"testing"
	"time"

	"airstrip/internal/clock"
)

// machine is a machine whose clocks the test moves.
type machine struct {
	wall         time.Time
	elapsed      time.Duration
	synchronised bool // by a time server
}

func newMachine() *machine {
	return &machine{wall: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), elapsed: time.Hour}
}

func (m *machine) clock() *clock.Clock {
	return clock.New(func() time.Time { return m.wall }, func() time.Duration { return m.elapsed },
		func() bool { return m.synchronised })
}

func (m *machine) pass(d time.Duration) { m.wall, m.elapsed = m.wall.Add(d), m.elapsed+d }

const year = 365 * 24 * time.Hour

func TestNow_WallClockJumps_GoesOnSteadilyAtOnce(t *testing.T) {
	for _, jump := range []time.Duration{year, -year, 6 * time.Minute, -6 * time.Minute} {
		m := newMachine()
		c, want := m.clock(), m.wall.Add(2*time.Minute)
		m.pass(time.Minute)
		m.wall = m.wall.Add(jump)
		m.pass(time.Minute)
		if now := c.Now(); !now.Equal(want) {
			t.Errorf("after a jump of %s Now is %s before the check, want %s", jump, now, want)
		}
		if p := c.Check(time.Time{}); p == nil || p.Jump != jump {
			t.Errorf("a jump of %s gives the problem %+v", jump, p)
		}
		m.pass(time.Minute)
		if now := c.Now(); !now.Equal(want.Add(time.Minute)) {
			t.Errorf("after a jump of %s Now is %s after the check, want %s", jump, now, want.Add(time.Minute))
		}
	}
}

func TestCheck_JumpThatIsTakenBack_EndsTheProblem(t *testing.T) {
	m := newMachine()
	c := m.clock()
	m.wall = m.wall.Add(year)
	for range 3 {
		m.pass(time.Minute)
		if c.Check(time.Time{}) == nil {
			t.Fatal("the jump is not a problem any more though the clock is still wrong")
		}
	}
	m.wall = m.wall.Add(-year)
	if p := c.Check(time.Time{}); p != nil {
		t.Fatalf("the clock is right again, and the problem is %+v", p)
	}
	if !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s, want %s", c.Now(), m.wall)
	}
}

func TestCheck_SmallSteps_AreFollowed(t *testing.T) {
	m := newMachine()
	c := m.clock()
	for range 10 {
		m.pass(time.Second)
		m.wall = m.wall.Add(4 * time.Minute)
		if p := c.Check(m.wall); p != nil {
			t.Fatalf("a step within the tolerance is the problem %+v", p)
		}
	}
	if !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s, want %s", c.Now(), m.wall)
	}
}

// readDatabase reads the clock of a database that is so far ahead of the machine.
func (m *machine) readDatabase(t *testing.T, c *clock.Clock, ahead time.Duration) {
	t.Helper()
	if _, err := c.ReadDatabase(func() (time.Time, error) {
		m.pass(time.Millisecond)
		at := m.wall.Add(ahead)
		m.pass(time.Millisecond)
		return at, nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestCheck_ClockOfAnotherMachineConfirmsAJumpAhead_IsFollowed(t *testing.T) {
	for _, drift := range []time.Duration{-20 * time.Millisecond, 20 * time.Millisecond} {
		m := newMachine()
		c := m.clock()
		c.Start(m.wall, true)
		m.readDatabase(t, c, drift)
		m.readDatabase(t, c, 0)
		m.wall = m.wall.Add(year) // The machine was paused.
		if p := c.Check(m.wall.Add(time.Second)); p != nil {
			t.Fatalf("the database agrees with the wall clock, and the problem is %+v", p)
		}
		if !c.Now().Equal(m.wall) {
			t.Fatalf("Now is %s, want %s", c.Now(), m.wall)
		}
	}
}

// The time would run backwards, and who is right is unknown.
func TestCheck_ClockOfAnotherMachineConfirmsAJumpBackwards_IsNotFollowed(t *testing.T) {
	m := newMachine()
	m.synchronised = true
	c, want := m.clock(), m.wall.Add(2*time.Millisecond)
	c.Start(m.wall, true)
	m.readDatabase(t, c, 20*time.Millisecond)
	m.wall = m.wall.Add(-72 * time.Hour)
	for range 10 {
		if p := c.Check(m.wall); p == nil || p.Jump != -72*time.Hour || !c.Now().Equal(want) {
			t.Fatalf("Now is %s, want %s; the problem is %+v", c.Now(), want, p)
		}
		m.pass(time.Minute)
		want = want.Add(time.Minute)
	}
	if p := c.Check(m.wall); p != nil || !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s though a time server stands by it, want %s; the problem is %+v", c.Now(), m.wall, p)
	}
}

func TestCheck_DatabaseHasTheClockOfTheMachine_ItsAgreementConfirmsNothing(t *testing.T) {
	for name, read := range map[string]func(t *testing.T, m *machine, c *clock.Clock){
		"the address is that of the machine": func(t *testing.T, m *machine, c *clock.Clock) {
			c.Start(m.wall, false)
			m.readDatabase(t, c, time.Second)
		},
		"a container with an address of its own": func(t *testing.T, m *machine, c *clock.Clock) {
			c.Start(m.wall, true)
			for _, ahead := range []time.Duration{0, time.Millisecond, -time.Millisecond} {
				m.readDatabase(t, c, ahead)
			}
		},
		"the clock is moved while it is read": func(t *testing.T, m *machine, c *clock.Clock) {
			c.Start(m.wall, true)
			if _, err := c.ReadDatabase(func() (time.Time, error) {
				m.wall = m.wall.Add(-time.Minute)
				return m.wall, nil
			}); err != nil {
				t.Fatal(err)
			}
			m.wall = m.wall.Add(time.Minute)
		},
		"the database is read after it was moved": func(t *testing.T, m *machine, c *clock.Clock) {
			c.Start(m.wall, true)
			m.readDatabase(t, c, year)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, jump := range []time.Duration{29 * 24 * time.Hour, -72 * time.Hour} {
				m := newMachine()
				c := m.clock()
				read(t, m, c)
				want := m.wall
				m.wall = m.wall.Add(jump)
				for range 3 {
					if p := c.Check(m.wall); p == nil || p.Jump != jump || !c.Now().Equal(want) {
						t.Fatalf("after a jump by %s Now is %s, want %s; the problem is %+v", jump, c.Now(), want, p)
					}
					m.pass(time.Minute)
					want = want.Add(time.Minute)
				}
				m.wall = m.wall.Add(-jump)
				if p := c.Check(m.wall); p != nil || !c.Now().Equal(want) {
					t.Fatalf("Now is %s after the jump was taken back, want %s; the problem is %+v", c.Now(), want, p)
				}
			}
		})
	}
}

// With a database on the machine as with SQLite.
func TestCheck_TimeServerSetsAClockThatNoneHadSet_TheDatabaseHasIt_IsFollowed(t *testing.T) {
	m := newMachine()
	c := m.clock()
	c.Start(m.wall, false)
	m.wall, m.synchronised = m.wall.Add(year), true
	if p := c.Check(m.wall); p != nil || !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s, want %s; the problem is %+v", c.Now(), m.wall, p)
	}
}

func TestCheck_DatabaseIsApart_IsAProblemUntilItAgrees(t *testing.T) {
	m := newMachine()
	c := m.clock()
	m.pass(time.Second)
	if p := c.Check(m.wall.Add(-year)); p == nil || p.Database != year || p.Jump != 0 {
		t.Fatalf("the problem is %+v", p)
	}
	if c.Problem() == nil {
		t.Fatal("Problem does not give what Check found")
	}
	m.pass(time.Second)
	if p := c.Check(m.wall); p != nil || c.Problem() != nil {
		t.Fatalf("the clocks agree, and the problem is %+v", p)
	}
}

func TestStart_WallClockIsWrong_TheDatabasesIsFollowed(t *testing.T) {
	for _, ahead := range []time.Duration{year, -year, 6 * time.Minute, -6 * time.Minute} {
		m := newMachine()
		m.wall = m.wall.Add(ahead)
		c, database := m.clock(), m.wall.Add(-ahead)
		c.Start(database, true)
		if p := c.Problem(); !c.Now().Equal(database) || p == nil || p.Database != ahead {
			t.Fatalf("Now is %s at once, want %s; the problem is %+v", c.Now(), database, p)
		}
		for range 3 {
			m.pass(time.Minute)
			database = database.Add(time.Minute)
			if !c.Now().Equal(database) || c.Check(database) == nil || !c.Now().Equal(database) {
				t.Fatalf("Now is %s while the wall clock is %s ahead, want %s", c.Now(), ahead, database)
			}
		}
		m.wall = database.Add(time.Second)
		if p := c.Check(database); p != nil || !c.Now().Equal(m.wall) {
			t.Fatalf("Now is %s after the correction, want %s; the problem is %+v", c.Now(), m.wall, p)
		}
	}
}

func TestStart_ClocksAgree_TheWallClockIsFollowed(t *testing.T) {
	m := newMachine()
	c := m.clock()
	c.Start(m.wall.Add(4*time.Minute), true)
	if p := c.Problem(); p != nil || !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s, want %s; the problem is %+v", c.Now(), m.wall, p)
	}
}

// A machine that boots with a wrong clock has it set by a time server a little later, while the server runs.
func TestCheck_TimeServerSetsAClockThatNoneHadSet_IsFollowed(t *testing.T) {
	for _, correction := range []time.Duration{year, -2 * time.Hour} {
		m := newMachine()
		c := m.clock()
		m.pass(time.Minute)
		c.Check(time.Time{})
		m.wall, m.synchronised = m.wall.Add(correction), true
		if p := c.Check(time.Time{}); p != nil || !c.Now().Equal(m.wall) {
			t.Errorf("after a correction by %s Now is %s, want %s; the problem is %+v", correction, c.Now(), m.wall, p)
		}
	}
}

func TestCheck_SynchronisedClockJumps_IsFollowedOnceTheTimeServerStandsByIt(t *testing.T) {
	m := newMachine()
	m.synchronised = true
	c := m.clock()
	m.wall = m.wall.Add(time.Hour)
	for range 10 {
		if c.Check(time.Time{}) == nil {
			t.Fatal("a jump of a clock that was right is followed at once")
		}
		m.pass(time.Minute)
	}
	if p := c.Check(time.Time{}); p != nil || !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s ten minutes later, want %s; the problem is %+v", c.Now(), m.wall, p)
	}
}

func TestStartAfter_WallClockIsBehind_GoesOnUntilItIsPast(t *testing.T) {
	m := newMachine()
	last := m.wall
	m.wall = m.wall.Add(-year)
	c := m.clock()
	c.StartAfter(last)
	m.pass(time.Minute)
	for range 2 {
		if want := last.Add(time.Minute); !c.Now().Equal(want) || c.Problem() == nil {
			t.Fatalf("Now is %s, want %s; the problem is %+v", c.Now(), want, c.Problem())
		}
		c.Check(time.Time{})
	}
	m.wall = last.Add(3 * time.Hour) // how long the machine was off
	if p := c.Check(time.Time{}); p != nil || !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s after the correction, want %s; the problem is %+v", c.Now(), m.wall, p)
	}
}

func TestStartAfter_WallClockIsFarAhead_GoesOnUntilItIsSetRight(t *testing.T) {
	for _, ahead := range []time.Duration{8 * 24 * time.Hour, year, 30 * year} {
		m := newMachine()
		last := m.wall
		m.wall = last.Add(ahead)
		c := m.clock()
		c.StartAfter(last)
		for i := range 4 {
			m.pass(5 * time.Second)
			want := last.Add(time.Duration(i+1) * 5 * time.Second)
			if c.Check(time.Time{}) == nil || !c.Now().Equal(want) {
				t.Fatalf("Now is %s, want %s; the problem is %+v", c.Now(), want, c.Problem())
			}
		}
		m.wall = last.Add(6 * 24 * time.Hour) // how long the machine was off
		if p := c.Check(time.Time{}); p != nil || !c.Now().Equal(m.wall) {
			t.Fatalf("Now is %s after the correction, want %s; the problem is %+v", c.Now(), m.wall, p)
		}
	}
}

func TestStartAfter_WallClockIsFarAhead_ATimeServerStandsByIt_IsFollowed(t *testing.T) {
	m := newMachine()
	c, last := m.clock(), m.wall.Add(-year)
	c.StartAfter(last)
	m.pass(5 * time.Second)
	if c.Check(time.Time{}) == nil {
		t.Fatal("a clock that is a year after the last run is trusted")
	}
	m.synchronised = true
	if p := c.Check(time.Time{}); p != nil || !c.Now().Equal(m.wall) {
		t.Fatalf("Now is %s, want %s; the problem is %+v", c.Now(), m.wall, p)
	}
}

func TestStartAfter_WallClockIsLaterOrATimeServers_IsTrusted(t *testing.T) {
	m := newMachine()
	c := m.clock()
	for _, last := range []time.Time{{}, m.wall.Add(-6 * 24 * time.Hour), m.wall} {
		c.StartAfter(last)
		if c.Problem() != nil || !c.Now().Equal(m.wall) {
			t.Errorf("a start after the last run at %s is not trusted: %+v", last, c.Problem())
		}
	}
	m.synchronised = true
	for _, last := range []time.Duration{year, -year} {
		c.StartAfter(m.wall.Add(last))
		if c.Problem() != nil || !c.Now().Equal(m.wall) {
			t.Errorf("a time server's clock is not trusted: %+v", c.Problem())
		}
	}
}

func TestElapsed_Grows(t *testing.T) {
	first := clock.Elapsed()
	if second := clock.Elapsed(); second < first {
		t.Fatalf("%s after %s", second, first)
	}
}
