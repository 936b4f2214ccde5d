// Package loki copies the logs of sign-ins, audit hits and link fetches to the operator's Grafana Loki: every line at
// least once, and in the order in which it was written.
package loki

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/eventlog"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

const (
	batch  = 1000               // lines of one push, far below the 4 MB that Loki takes
	oldest = 7 * 24 * time.Hour // Loki refuses older lines, unless it is told otherwise
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
		_, err := l.Export(ctx)
		if errors.Is(err, ErrOff) {
			return nil
		}
		return err
	})
}

// Export pushes all lines that Loki does not have, and gives how many they were.
func (l *Loki) Export(ctx context.Context) (lines int, err error) {
	s, err := l.server(ctx)
	if err != nil {
		return 0, err
	}
	for _, log := range logs {
		for {
			sent, err := l.next(ctx, s, log)
			lines += sent
			if err != nil {
				return lines, err
			}
			if sent < batch {
				break
			}
		}
	}
	return lines, nil
}

// next pushes the lines of a log that come next, a batch at the most.
func (l *Loki) next(ctx context.Context, s server, log log) (int, error) {
	var last []int64
	if err := l.db.NewRaw(`SELECT last_id FROM loki_cursor WHERE log = ?`, log.name).Scan(ctx, &last); err != nil {
		return 0, err
	}
	now := l.db.Now()
	part := eventlog.Span{From: now.Add(-oldest), Until: now.Add(-eventlog.Settled), Limit: batch}
	if len(last) > 0 {
		part.After = last[0]
	}
	lines, err := log.read(ctx, l.db, part)
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	err = s.push(ctx, map[string]string{"job": "airstrip", "site": l.site, "log": log.name}, lines)
	if refused := new(refusal); errors.As(err, &refused) && refused.forGood() {
		// Loki has taken the other lines of the push, and would refuse these again.
		slog.ErrorContext(ctx, "Loki refused lines, which are left out", "log", log.name, "lines", len(lines), "error",
			err)
		err = nil
	}
	if err != nil {
		return 0, ErrFailed.Because(err)
	}
	return len(lines), l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`INSERT INTO loki_cursor (log, last_id) VALUES (?, ?)
			ON CONFLICT (log) DO UPDATE SET last_id = EXCLUDED.last_id WHERE loki_cursor.last_id < EXCLUDED.last_id`,
			log.name, lines[len(lines)-1].id).Exec(ctx)
		return err
	})
}
