// Package loki copies the logs of sign-ins, audit hits and link fetches to the operator's Grafana Loki: every line
// once, in the order in which it was written. Where a push was taken but its answer was lost, the same lines are sent
// again with the same times, which Loki knows as the same.
package loki

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/eventlog"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

const (
	batch      = 1000    // lines of one push
	batchBytes = 1 << 20 // of them; Loki takes 4 MB, and 3 MB of a log each second
	// Loki refuses lines that are older than a week, unless it is told otherwise. An hour is for those on their way.
	oldest = 7*24*time.Hour - time.Hour

	firstPause, maxPause = time.Minute, 32 * time.Minute // after a push that failed
)

// Faults of the export.
var (
	ErrOff    = fault.NotFound("loki_not_configured", "尚未配置 Loki", "No Loki is set up")
	ErrFailed = fault.Unavailable("loki_failed", "Loki 没有接收日志", "Loki did not take the logs")
)

// Loki is the operator's.
type Loki struct {
	db       *db.DB
	settings *setting.Settings
	secrets  *secret.Secrets
	site     string
}

// New returns the Loki of the settings. site is the address that users see; lines bear it as a label.
func New(d *db.DB, settings *setting.Settings, secrets *secret.Secrets, site string) *Loki {
	return &Loki{d, settings, secrets, site}
}

// Register puts the export on the timetable of q.
func (l *Loki) Register(q *job.Queue) {
	q.Every("loki.export", func(ctx context.Context) error {
		if paused, err := l.paused(ctx); err != nil || paused {
			return err
		}
		_, err := l.Export(ctx)
		if errors.Is(err, ErrOff) {
			return nil
		}
		return err
	})
}

// Export pushes all lines that Loki does not have, and gives how many they were. Where that fails the timetable leaves
// Loki alone for a while, twice as long each time.
func (l *Loki) Export(ctx context.Context) (lines int, err error) {
	s, err := l.server(ctx)
	if err != nil {
		return 0, err
	}
	lines, err = l.export(ctx, s)
	if ctx.Err() == nil && (err == nil || errors.Is(err, ErrFailed)) {
		err = errors.Join(err, l.pause(ctx, err != nil))
	}
	return lines, err
}

// paused reports whether Loki is left alone.
func (l *Loki) paused(ctx context.Context) (paused bool, err error) {
	now := l.db.Now()
	err = l.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM loki_pause WHERE until > ? AND until <= ?)`, now,
		now.Add(maxPause+clock.Tolerance)).Scan(ctx, &paused)
	return paused, err
}

// pause notes whether the last push failed.
func (l *Loki) pause(ctx context.Context, failed bool) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if !failed {
			_, err := tx.NewRaw(`DELETE FROM loki_pause`).Exec(ctx)
			return err
		}
		var failures int64
		if err := tx.NewRaw(`INSERT INTO loki_pause (one, failures, until) VALUES (1, 1, ?)
			ON CONFLICT (one) DO UPDATE SET failures = loki_pause.failures + 1 RETURNING failures`, l.db.Now()).
			Scan(ctx, &failures); err != nil {
			return err
		}
		pause := maxPause
		if failures < 6 {
			pause = min(pause, firstPause<<(failures-1))
		}
		_, err := tx.NewRaw(`UPDATE loki_pause SET until = ?`, l.db.Now().Add(pause)).Exec(ctx)
		return err
	})
}

func (l *Loki) export(ctx context.Context, s server) (lines int, err error) {
	for _, log := range logs {
		for {
			sent, err := l.next(ctx, s, log)
			lines += sent
			if err != nil {
				return lines, err
			}
			if sent == 0 {
				break
			}
		}
	}
	return lines, nil
}

// next pushes the lines of a log that come next, a batch at the most.
func (l *Loki) next(ctx context.Context, s server, log log) (int, error) {
	var last []struct {
		LastID int64
		LastAt time.Time // zero: not noted
	}
	if err := l.db.NewRaw(`SELECT last_id, last_at FROM loki_cursor WHERE log = ?`, log.name).
		Scan(ctx, &last); err != nil {
		return 0, err
	}
	var lastAt time.Time
	now := l.db.Now()
	part := eventlog.Span{From: now.Add(-oldest), Until: now.Add(-eventlog.Settled), Limit: batch}
	if len(last) > 0 {
		part.After, lastAt = last[0].LastID, last[0].LastAt
	}
	lines, err := log.read(ctx, l.db, part)
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	lines = fitting(lines)
	inOrder(lines, lastAt)
	err = s.push(ctx, map[string]string{"job": "airstrip", "site": l.site, "log": log.name}, lines)
	if refused := new(refusal); errors.As(err, &refused) && refused.ofLines() {
		// Loki has taken the other lines of the push, and would refuse these again.
		slog.ErrorContext(ctx, "Loki refused lines, which are left out", "log", log.name, "lines", len(lines), "error",
			err)
		err = nil
	}
	if err != nil {
		return 0, ErrFailed.Because(err)
	}
	return len(lines), l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		end := lines[len(lines)-1]
		_, err := tx.NewRaw(`INSERT INTO loki_cursor (log, last_id, last_at) VALUES (?, ?, ?)
			ON CONFLICT (log) DO UPDATE SET last_id = EXCLUDED.last_id, last_at = EXCLUDED.last_at
			WHERE loki_cursor.last_id < EXCLUDED.last_id`, log.name, end.id, end.at).Exec(ctx)
		return err
	})
}

// fitting returns the first lines, so many as one push holds.
func fitting(lines []line) []line {
	size := 0
	for i, l := range lines {
		if size += len(l.text); size > batchBytes && i > 0 {
			return lines[:i]
		}
	}
	return lines
}

// inOrder gives a line that was written later with an earlier time, as by a server whose clock is behind, the time of
// the one before it: Loki may refuse what is far behind the newest line. The text says the time that was written.
func inOrder(lines []line, last time.Time) {
	for i := range lines {
		if lines[i].at.Before(last) {
			lines[i].at = last
		}
		last = lines[i].at
	}
}
