package db

import (
	"context"
	"log/slog"
	"time"

	"airstrip/internal/clock"
)

// Now returns the time to be stored in the database: UTC, whole milliseconds.
func (d *DB) Now() time.Time {
	if travel := d.testClock.Load(); travel != nil {
		return (*travel)().UTC().Truncate(time.Millisecond)
	}
	return d.clock.Now().UTC().Truncate(time.Millisecond)
}

// SetClock makes Now return the time of now, without supervision. It is for tests.
func (d *DB) SetClock(now func() time.Time) { d.testClock.Store(&now) }

// SetWallClock replaces the machine's wall clock under the supervision of clock.Clock, which begins again as when the
// database is opened. It is for tests.
func (d *DB) SetWallClock(ctx context.Context, wall func() time.Time) error {
	return d.startClock(ctx, wall)
}

func (d *DB) startClock(ctx context.Context, wall func() time.Time) error {
	d.clock = clock.New(wall, clock.Elapsed, clock.Synchronised)
	database, err := d.databaseTime(ctx)
	if err != nil || database.IsZero() {
		return err
	}
	isElsewhere, err := d.isElsewhere(ctx)
	d.clock.Start(database, isElsewhere)
	return err
}

// isElsewhere reports whether PostgreSQL's address is that of another machine. A Unix socket has none.
func (d *DB) isElsewhere(ctx context.Context) (yes bool, err error) {
	err = d.NewRaw(`SELECT COALESCE(inet_server_addr() <> inet_client_addr()
		AND NOT inet_server_addr() <<= inet '127.0.0.0/8' AND NOT inet_server_addr() <<= inet '::1', false)`).Scan(ctx, &yes)
	return yes, err
}

// StartClockAfter tells the clock when a server of the site ran last, before anything depends on Now; see
// [clock.Clock.StartAfter].
func (d *DB) StartClockAfter(last time.Time) { d.clock.StartAfter(last) }

// databaseTime returns the time of the database's clock, or the zero time where it has none.
func (d *DB) databaseTime(ctx context.Context) (time.Time, error) {
	if d.sqlite {
		return time.Time{}, nil
	}
	return d.clock.ReadDatabase(func() (now time.Time, err error) {
		err = d.NewRaw(`SELECT clock_timestamp()`).Scan(ctx, &now)
		return now, err
	})
}

// ClockProblem returns how the clocks disagreed at the last check; nil where they agreed.
func (d *DB) ClockProblem() *clock.Problem {
	if d.testClock.Load() != nil {
		return nil
	}
	return d.clock.Problem()
}

// CheckClock compares the clocks; ClockProblem returns the result. An error means that the database did not return its
// time.
func (d *DB) CheckClock(ctx context.Context) error {
	database, err := d.databaseTime(ctx)
	if err == nil {
		d.clock.Check(database)
	}
	return err
}

const (
	clockInterval = 5 * time.Second
	// clockReminder is how often the log repeats that the clocks still disagree.
	clockReminder = 10 * time.Minute
)

// FollowClock checks the clocks until ctx ends. It logs a disagreement when it begins, from time to time while it
// lasts, and when it is over, and calls began once for each.
func (d *DB) FollowClock(ctx context.Context, began func(context.Context, clock.Problem)) {
	tick := time.NewTicker(clockInterval)
	defer tick.Stop()
	var known *clock.Problem
	var logged time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := d.CheckClock(ctx); err != nil {
			if ctx.Err() == nil {
				slog.WarnContext(ctx, "could not read the database's clock", "error", err)
			}
			continue
		}
		p := d.ClockProblem()
		switch {
		case p == nil && known != nil:
			slog.InfoContext(ctx, "the clocks agree again; the timetable goes on")
		case p != nil && (known == nil || time.Since(logged) >= clockReminder):
			slog.ErrorContext(ctx, "the clocks disagree; nothing is ended, billed or deleted until they agree. "+
				"Set the machine's clock right, or restart the server where it is right; see docs/clock.md",
				"since", p.Since, "wall_clock_jumped", p.Jump, "wall_clock_ahead_of_database", p.Database)
			logged = time.Now()
		}
		if p != nil && known == nil {
			began(ctx, *p)
		}
		known = p
	}
}
