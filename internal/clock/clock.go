// Package clock gives the server its time and notices when the machine's clock cannot be trusted. It compares the wall
// clock with the time that passed since the program started, and with the clock of the database where that has one of
// its own. While they disagree by more than Tolerance, Now goes on from the last time at which they agreed, or from the
// database's where they never did, and Problem says so: what ends, bills or deletes waits until they agree again.
package clock

import (
	"sync/atomic"
	"time"
)

// Tolerance is how far clocks may be apart. Timestamps that lie further ahead than anything writes them come from a
// clock that was wrong.
const Tolerance = 5 * time.Minute

// MaxOutage is how long a site without a time server may have been off before its wall clock is not believed.
const MaxOutage = 7 * 24 * time.Hour

// maxMisread is how far a reading of the clock of this machine may lie outside of the time in which it was read.
const maxMisread = time.Millisecond

// confirmAfter is how long a jump lasts before it is followed because a time server confirms it.
const confirmAfter = 10 * time.Minute

// Clock is a wall clock under supervision. It is safe for concurrent use.
type Clock struct {
	wall         func() time.Time
	elapsed      func() time.Duration // grows steadily, while the machine sleeps too
	synchronised func() bool
	state        atomic.Pointer[state]
	// isElsewhere says that the database's address is that of another machine, isOwn that its clock is none of this
	// machine: containers of one machine have addresses of their own.
	isElsewhere, isOwn bool
}

// state is what the last check found.
type state struct {
	at      time.Time // the time at elapsed
	elapsed time.Duration
	// unsynchronised says that no time server had set the wall clock when it was trusted. A correction is expected.
	unsynchronised bool
	lastRun        time.Time // the only thing known of the time; zero: more is known
	isAhead        bool      // the wall clock is too far ahead of lastRun
	problem        *Problem
}

// Problem describes clocks that disagree.
type Problem struct {
	Since time.Time // when it was noticed, by the time that the server goes on with
	// how far the wall clock is ahead of the time that passed since the last check; 0: it did not jump
	Jump time.Duration
	// how far the wall clock is ahead of the database's, or of the last time that the database has; 0: within Tolerance
	Database time.Duration
}

// New gives a clock that trusts wall as it is now. elapsed must grow steadily. synchronised tells whether a time server
// sets the wall clock at present; false where nobody knows.
func New(wall func() time.Time, elapsed func() time.Duration, synchronised func() bool) *Clock {
	c := &Clock{wall: wall, elapsed: elapsed, synchronised: synchronised}
	c.state.Store(&state{at: wall().Round(0), elapsed: elapsed(), unsynchronised: !synchronised()})
	return c
}

// Start compares the wall clock with database, the time of the database's clock, before anything reads Now. Where they
// disagree Now goes on from database, which all servers of a site share, until the wall clock is set right. isElsewhere
// reports whether the database's address is that of another machine; else its clock never confirms a jump.
func (c *Clock) Start(database time.Time, isElsewhere bool) {
	c.isElsewhere = isElsewhere
	if ahead := apart(c.wall(), database); ahead != 0 {
		c.state.Store(&state{at: database, elapsed: c.elapsed(), problem: &Problem{Since: database, Database: ahead}})
	}
}

// StartAfter compares the wall clock with the last time at which a server of the site ran, for a database without a
// clock of its own. Unless a time server set it, a wall clock that is behind or more than MaxOutage ahead is not
// believed: Now goes on from last until the wall clock is set right. last is zero where none has run.
func (c *Clock) StartAfter(last time.Time) {
	if last.IsZero() {
		return
	}
	ahead := apart(c.wall(), last)
	if (ahead < 0 || ahead > MaxOutage) && !c.synchronised() {
		c.state.Store(&state{
			at: last, elapsed: c.elapsed(), unsynchronised: true, lastRun: last, isAhead: ahead > 0,
			problem: &Problem{Since: last, Database: ahead},
		})
	}
}

// Now gives the time. A wall clock that jumped by more than Tolerance since the last check is not followed.
func (c *Clock) Now() time.Time {
	s := c.state.Load()
	wall, steady := c.wall().Round(0), s.at.Add(c.elapsed()-s.elapsed)
	if apart(wall, steady) != 0 {
		return steady
	}
	return wall
}

// ReadDatabase returns the database's time as read gives it. A time outside of that in which it was read comes from
// another clock than this machine's: only such a clock is asked whether a jump was a correction. Clocks that disagree
// are no such proof, since one that is moved may be read in between. It must not be called concurrently with Check.
func (c *Clock) ReadDatabase(read func() (time.Time, error)) (time.Time, error) {
	before, started := c.wall().Round(0), c.elapsed()
	database, err := read()
	after, took := c.wall().Round(0), c.elapsed()-started
	isSteady := (after.Sub(before) - took).Abs() < maxMisread
	isOutside := database.Before(before.Add(-2*maxMisread)) || database.After(after.Add(2*maxMisread))
	if err == nil && c.isElsewhere && isSteady && isOutside && apart(after, database) == 0 && c.Problem() == nil {
		c.isOwn = true
	}
	return database, err
}

// Check compares the clocks. database is the time of the database's clock, zero where it has none or does not answer.
//
// A clock of the database's own confirms a jump ahead, as after a pause of the machine, during which the time that
// passed here stood still. It does not confirm one backwards: the time that passed never runs too fast, so either the
// time that was given until now was wrong or both clocks are, and what was written would lie in the future.
//
// Check gives what is wrong, nil where the clocks agree. It must be called from one goroutine at a time.
func (c *Clock) Check(database time.Time) *Problem {
	was, elapsed, wall, synchronised := c.state.Load(), c.elapsed(), c.wall().Round(0), c.synchronised()
	steady := was.at.Add(elapsed - was.elapsed)
	next := &state{at: wall, elapsed: elapsed, unsynchronised: !synchronised}
	p := Problem{Since: steady, Jump: apart(wall, steady)}
	if was.problem != nil {
		p.Since = was.problem.Since
	}
	if !database.IsZero() {
		p.Database = apart(wall, database)
	}
	var isSetRight bool
	switch {
	case p.Database != 0:
	case !database.IsZero() && c.isOwn && p.Jump > 0:
		isSetRight = true
	case !was.lastRun.IsZero() && wall.After(was.lastRun.Add(-Tolerance)) &&
		(!was.isAhead || wall.Before(steady.Add(MaxOutage))):
		isSetRight = true
	case synchronised:
		isSetRight = was.unsynchronised || steady.Sub(p.Since) >= confirmAfter
	}
	if isSetRight {
		p.Jump = 0
	}
	if p.Jump != 0 || p.Database != 0 {
		next.problem, next.unsynchronised = &p, was.unsynchronised
		next.lastRun, next.isAhead = was.lastRun, was.isAhead
		if p.Jump != 0 {
			next.at = steady
		}
	}
	c.state.Store(next)
	return next.problem
}

// Problem gives what the last Check found, nil where the clocks agree.
func (c *Clock) Problem() *Problem { return c.state.Load().problem }

// apart gives how far a is ahead of b, 0 where that is within Tolerance.
func apart(a, b time.Time) time.Duration {
	if d := a.Sub(b); d.Abs() > Tolerance {
		return d
	}
	return 0
}
