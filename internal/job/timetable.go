package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/fault"

	"github.com/uptrace/bun"
)

// Timetable lists everything that runs by the clock, and how often. The package that is named before the dot registers
// the function with Queue.Every. Entries that run once an hour or less often are maintenance and run one after the
// other; each other entry runs by itself.
var Timetable = map[string]time.Duration{
	"account.bans":        5 * time.Second,
	"account.challenges":  10 * time.Minute,
	"account.forget":      24 * time.Hour,
	"announcement.resume": time.Minute,
	"audit.seal":          10 * time.Second,
	"bulk.run":            5 * time.Second,
	"bulk.forget":         10 * time.Minute,
	"captcha.forget":      time.Hour,
	"cdkey.forget":        24 * time.Hour,
	"clickhouse.copy":     time.Minute,
	"console.correct":     24 * time.Hour,
	"console.hours":       10 * time.Minute,
	"doctor":              24 * time.Hour,
	"emby.follow":         time.Minute,
	"idempotency.forget":  time.Hour,
	"invite.release":      10 * time.Minute,
	"job.forget":          24 * time.Hour,
	"job.repair":          time.Minute,
	"link.forget":         6 * time.Hour,
	"link.watch":          15 * time.Minute,
	"loki.export":         time.Minute,
	"mail.forget":         24 * time.Hour,
	"mailbox.fetch":       time.Minute,
	"node.follow":         time.Minute,
	"node.forget":         time.Hour,
	"node.link_groups":    5 * time.Minute,
	"node.unblock":        time.Minute,
	"node.watch":          time.Minute,
	"payment.check":       30 * time.Second,
	"payment.expire":      30 * time.Second,
	"payment.forget":      24 * time.Hour,
	"payment.refund":      30 * time.Second,
	"push.forget":         time.Hour,
	"renewal.remind":      5 * time.Minute,
	"renewal.renew":       time.Minute,
	"service.forget":      time.Hour,
	"service.expire":      15 * time.Second,
	"service.reset":       15 * time.Second,
	"service.restore":     5 * time.Minute,
	"shareaccount.forget": 24 * time.Hour,
	"storage.measure":     6 * time.Hour,
	"telegram.forget":     time.Hour,
	"ticket.forget":       10 * time.Minute,
	"traffic.anomalies":   15 * time.Minute,
	"traffic.forget":      24 * time.Hour,
	"traffic.move":        5 * time.Minute,
	"traffic.seal":        10 * time.Minute,
	"wallet.seal":         10 * time.Minute,
	"checkin.forget":      24 * time.Hour,
	"webhook.forget":      24 * time.Hour,
}

const (
	// maintenancePeriod is the period from which on an entry is maintenance.
	maintenancePeriod = time.Hour

	// How long a run of an entry may take. maxRun is longer than a db.LongTx may take.
	minRun = 5 * time.Minute
	maxRun = 35 * time.Minute
)

// ErrUnknown is returned by Trigger for a name that is not on the timetable.
var ErrUnknown = errors.New("job: no such entry on the timetable")

// ErrClock refuses timed work while the clocks disagree.
var ErrClock = fault.Unavailable("clocks_disagree",
	"服务器的时钟有误，涉及到期、扣费和删除的任务已暂停；请校正系统时间，若当前时间无误请重启服务",
	"The clocks disagree, so nothing is ended, billed or deleted; please set the server's clock right, or restart "+
		"the server "+
		"if its present time is right").After(time.Minute)

// entry is work that runs by the clock. next returns the time after t at which it runs again.
type entry struct {
	name string
	next func(t time.Time) time.Time
	run  func(context.Context) error
}

// period returns the time between two runs.
func (e entry) period(now time.Time) time.Duration {
	next := e.next(now)
	return e.next(next).Sub(next)
}

// Every registers the function of an entry of the Timetable. It panics where the timetable has no such entry.
func (q *Queue) Every(name string, fn func(context.Context) error) {
	period, ok := Timetable[name]
	if !ok {
		panic("job: " + name + " is not in the timetable")
	}
	q.Schedule(name, Interval(period), fn)
}

// Schedule adds an entry to the timetable of this queue. next returns the time after t at which it runs again; of
// several processes one runs it. The context of each run has a deadline.
func (q *Queue) Schedule(name string, next func(t time.Time) time.Time, fn func(context.Context) error) {
	q.entries = append(q.entries, entry{name, next, fn})
}

// Interval returns a next for Schedule that runs at each multiple of d on the clock.
func Interval(d time.Duration) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.Truncate(d).Add(d) }
}

// Entries returns the names of the entries that the queue runs, in the order in which they were added.
func (q *Queue) Entries() []string {
	names := make([]string, len(q.entries))
	for i, e := range q.entries {
		names[i] = e.name
	}
	return names
}

// Has reports whether the queue runs an entry.
func (q *Queue) Has(name string) bool {
	return slices.ContainsFunc(q.entries, func(e entry) bool { return e.name == name })
}

// lanes returns the entries that run apart from each other: each by itself, and all maintenance in one lane.
func (q *Queue) lanes() [][]entry {
	var lanes [][]entry
	var maintenance []entry
	for _, e := range q.entries {
		if e.period(q.db.Now()) >= maintenancePeriod {
			maintenance = append(maintenance, e)
		} else {
			lanes = append(lanes, []entry{e})
		}
	}
	return append(lanes, maintenance)
}

// runDue runs those of the entries that are due, one after the other. None is due while the clocks disagree: most of
// them end, bill or delete something by the time. Jobs have a cause of their own and go on.
func (q *Queue) runDue(ctx context.Context, entries []entry) error {
	for _, e := range entries {
		if q.db.ClockProblem() != nil {
			return nil
		}
		due, err := q.claimRun(ctx, e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if due {
			failure := q.runEntry(ctx, e)
			if failure != nil {
				slog.ErrorContext(ctx, "a timed job failed", "job", e.name, "error", failure)
			}
			if err := q.noteRun(ctx, e.name, failure); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
	}
	return nil
}

// claimRun moves the next run of e forward by compare-and-set, so that only one process sees true. An entry that lies
// further ahead than its own period was written while the clock was ahead, and counts as due.
func (q *Queue) claimRun(ctx context.Context, e entry) (due bool, err error) {
	now := q.db.Now()
	next := e.next(now)
	latest := next.Add(clock.Tolerance)
	var waits []time.Time
	if err := q.db.NewRaw(`SELECT next_at FROM job_timetable WHERE name = ? AND next_at > ? AND next_at <= ?`,
		e.name, now, latest).Scan(ctx, &waits); err != nil {
		return false, err
	}
	if len(waits) > 0 {
		return false, nil
	}
	err = q.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewRaw(`INSERT INTO job_timetable (name, next_at, last_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET next_at = EXCLUDED.next_at, last_at = EXCLUDED.last_at
			WHERE job_timetable.next_at <= EXCLUDED.last_at
			OR job_timetable.next_at > ?`, e.name, next, now, latest).Exec(ctx))
		due = n == 1
		return err
	})
	return due, err
}

// LastRun returns the last time at which an entry of the timetable began to run; zero: none ever did.
func LastRun(ctx context.Context, d *db.DB) (time.Time, error) {
	var last []time.Time
	err := d.NewRaw(`SELECT last_at FROM job_timetable WHERE last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1`).
		Scan(ctx, &last)
	if err != nil || len(last) == 0 {
		return time.Time{}, err
	}
	return last[0], nil
}

// runEntry runs an entry with a deadline of its period, but at least minRun and at most maxRun.
func (q *Queue) runEntry(ctx context.Context, e entry) error {
	ctx, cancel := context.WithTimeout(ctx, min(max(e.period(q.db.Now()), minRun), maxRun))
	defer cancel()
	return recovered(func() error { return e.run(ctx) })
}

// Trigger runs the entry called name now, independently of its timetable.
func (q *Queue) Trigger(ctx context.Context, name string) error {
	if q.db.ClockProblem() != nil {
		return ErrClock
	}
	i := slices.IndexFunc(q.entries, func(e entry) bool { return e.name == name })
	if i < 0 {
		return ErrUnknown
	}
	return q.runEntry(ctx, q.entries[i])
}
