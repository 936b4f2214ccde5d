package clickhouse

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
)

// Progress is what a run did, and what is left for the next one.
type Progress struct {
	Rows      int64 `json:"rows"`      // of traffic or events that were sent
	Days      int64 `json:"days"`      // that were sent whole, or compared
	Healed    int64 `json:"healed"`    // of those, days that differed and were sent again
	Remaining int64 `json:"remaining"` // days that are left
}

// Status is what the last run of this process found.
type Status struct {
	Up        bool
	Waiting   int64 // days that are not sent whole yet
	Differing int64 // days that differ although they were sent again
	Healed    int64 // how often a day was found to differ, in all
}

// Status returns what the last run of this process found.
func (c *ClickHouse) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Register puts the copying on the timetable of q.
func (c *ClickHouse) Register(q *job.Queue) {
	q.Every("clickhouse.copy", func(ctx context.Context) error {
		if !c.On() {
			return nil
		}
		err := c.Copy(ctx)
		if errors.Is(err, job.ErrRunning) || errors.Is(err, ErrAway) || errors.Is(err, errLost) {
			return nil
		}
		return err
	})
}

// hasTime reports whether there is time for one more step before the deadline of ctx.
func hasTime(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() == nil && (!ok || time.Until(deadline) > stepTime)
}

// stepTime is what one step, a day's rows, may take before the deadline of a run.
const stepTime = 10 * time.Second

// Copy sends what is new, then what is missing, and compares what is due.
func (c *ClickHouse) Copy(ctx context.Context) error {
	return c.withLease(ctx, func(ctx context.Context, l *lease) error {
		if err := l.forget(ctx); err != nil {
			return err
		}
		if err := l.sendNew(ctx); err != nil {
			return err
		}
		if _, err := l.sendEvents(ctx); err != nil {
			return err
		}
		if err := l.sendNodes(ctx); err != nil {
			return err
		}
		if _, err := l.sendStates(ctx, false); err != nil {
			return err
		}
		if _, err := l.sendMissing(ctx); err != nil {
			return err
		}
		_, err := l.compare(ctx, false)
		return err
	})
}

// ImportTraffic sends the days that ClickHouse does not have whole, for as long as ctx allows.
func (c *ClickHouse) ImportTraffic(ctx context.Context) (done Progress, err error) {
	return done, c.withLease(ctx, func(ctx context.Context, l *lease) (err error) {
		done, err = l.sendMissing(ctx)
		return err
	})
}

// ImportEvents sends the events that ClickHouse does not have, and what users have now.
func (c *ClickHouse) ImportEvents(ctx context.Context) (done Progress, err error) {
	return done, c.withLease(ctx, func(ctx context.Context, l *lease) (err error) {
		if done.Rows, err = l.sendEvents(ctx); err != nil {
			return err
		}
		states, err := l.sendStates(ctx, true)
		done.Rows += states
		return err
	})
}

// CompareTraffic compares all days that were sent, those first that were compared longest ago, and sends those again
// that differ, for as long as ctx allows.
func (c *ClickHouse) CompareTraffic(ctx context.Context) (done Progress, err error) {
	return done, c.withLease(ctx, func(ctx context.Context, l *lease) (err error) {
		done, err = l.compare(ctx, true)
		return err
	})
}

// withLease runs fn under the lease, on tables of this program's version.
func (c *ClickHouse) withLease(ctx context.Context, fn func(ctx context.Context, l *lease) error) error {
	if !c.On() {
		return ErrOff
	}
	if err := c.ping(ctx); err != nil {
		return c.note(ctx, err)
	}
	l, err := c.take(ctx)
	if err != nil {
		return err
	}
	if err = l.prepare(ctx); err == nil {
		err = fn(ctx, l)
	}
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	return c.note(ctx, errors.Join(err, l.release(ctx, problem)))
}

func (c *ClickHouse) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout+queryTimeout)
	defer cancel()
	if err := c.conn.Ping(ctx); err != nil {
		return ErrAway.Because(err)
	}
	return nil
}

// prepare makes the tables and loads whom the sender leaves out. A database without tables gets everything anew.
func (l *lease) prepare(ctx context.Context) error {
	c := l.c
	if !c.ready {
		empty, err := c.migrate(ctx, l.site)
		if err != nil {
			return err
		}
		if empty {
			if err := l.reset(ctx); err != nil {
				return err
			}
		}
		c.ready = true
	}
	var ids []int64
	if err := c.DB.NewRaw(`SELECT user_id FROM clickhouse_forgotten`).Scan(ctx, &ids); err != nil {
		return err
	}
	l.forgotten = make(map[int64]bool, len(ids))
	for _, id := range ids {
		l.forgotten[id] = true
	}
	return nil
}

// reset forgets what was sent.
func (l *lease) reset(ctx context.Context) error {
	l.sentHour = 0
	l.c.sentStates, l.c.statesAt = nil, time.Time{}
	return l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, query := range []string{
			`DELETE FROM clickhouse_day`, `DELETE FROM clickhouse_event`, `UPDATE clickhouse_state SET sent_hour = 0`,
		} {
			if _, err := tx.NewRaw(query).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// note keeps what a run found for Status, tells the log when ClickHouse went away or came back, and returns the error
// that a caller sees.
func (c *ClickHouse) note(ctx context.Context, err error) error {
	status := Status{Up: err == nil || errors.Is(err, errLost)}
	var counts []struct{ Differing, Healed int64 }
	if err := c.DB.NewRaw(`SELECT CAST(coalesce(sum(CASE WHEN difference <> '' THEN 1 ELSE 0 END), 0) AS BIGINT)
		AS differing, CAST(coalesce(sum(healed), 0) AS BIGINT) AS healed FROM clickhouse_day`).
		Scan(ctx, &counts); err == nil && len(counts) > 0 {
		status.Differing, status.Healed = counts[0].Differing, counts[0].Healed
	}
	if missing, err := c.missing(ctx); err == nil {
		status.Waiting = int64(len(missing))
	}
	err = faultOf(err)
	c.mu.Lock()
	was := c.status
	c.status = status
	if errors.Is(err, ErrAway) {
		c.awayTil = time.Now().Add(awayPause)
	}
	c.mu.Unlock()
	switch {
	case !status.Up && was.Up:
		slog.WarnContext(ctx, "ClickHouse does not take what is sent; it will be sent later", "error", err)
	case status.Up && !was.Up:
		slog.InfoContext(ctx, "ClickHouse takes what is sent", "days_waiting", status.Waiting)
	}
	return err
}

// sendNew sends the hours of today that are open, or that were at the last run. Earlier days are sent whole.
func (l *lease) sendNew(ctx context.Context) error {
	now := l.c.DB.Now()
	hour, today := now.Unix()/3600, dayOf(now)
	from := max(l.sentHour, (today-1)*hoursOfDay)
	if _, err := l.send(ctx, from, hour+1); err != nil {
		return err
	}
	l.sentHour = hour - 1 // reports of the hour before still come
	return l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE clickhouse_state SET sent_hour = ?0 WHERE sent_hour < ?0`, l.sentHour).Exec(ctx)
		return err
	})
}

// missing returns the days that are over and were not sent whole, the oldest first.
func (c *ClickHouse) missing(ctx context.Context) ([]int64, error) {
	first, _, ok, err := c.Traffic.Bounds(ctx)
	if err != nil || !ok {
		return nil, err
	}
	var known []int64
	if err := c.DB.NewRaw(`SELECT day FROM clickhouse_day`).Scan(ctx, &known); err != nil {
		return nil, err
	}
	sent := make(map[int64]bool, len(known))
	for _, day := range known {
		sent[day] = true
	}
	var days []int64
	for day := first / hoursOfDay; day < dayOf(c.DB.Now().Add(-settledAfter)); day++ {
		if !sent[day] {
			days = append(days, day)
		}
	}
	return days, nil
}

// sendMissing sends the days that are missing, one after the other. What it did of a day is noted when the day is
// there, so that whoever goes on after it was killed sends that day again, which changes nothing.
func (l *lease) sendMissing(ctx context.Context) (done Progress, err error) {
	days, err := l.c.missing(ctx)
	if err != nil {
		return done, err
	}
	for i, day := range days {
		if !hasTime(ctx) {
			done.Remaining = int64(len(days) - i)
			return done, nil
		}
		rows, err := l.sendDay(ctx, day, false)
		if err != nil {
			return done, err
		}
		done.Days++
		done.Rows += int64(rows)
	}
	return done, nil
}

// sendNodes sends the names of nodes where they are not those that this process sent last.
func (l *lease) sendNodes(ctx context.Context) error {
	names, err := l.c.NodeNames(ctx)
	if err != nil || len(names) == 0 || maps.Equal(names, l.c.sentNodes) {
		return err
	}
	var ids, versions []uint64
	var texts []string
	for id, name := range names {
		ids, texts, versions = append(ids, uint64(id)), append(texts, name), append(versions, uint64(l.version))
	}
	if err := l.held(ctx, nil); err != nil {
		return err
	}
	if err := l.c.insert(ctx, "node (node_id, name, ver)", ids, texts, versions); err != nil {
		return err
	}
	l.c.sentNodes = names
	return nil
}
