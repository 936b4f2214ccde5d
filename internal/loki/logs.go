package loki

import (
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/eventlog"
)

// line is one row of a log; text is JSON, and no two rows have the same.
type line struct {
	id   int64
	at   time.Time
	text string
}

// log is one that is copied.
type log struct {
	name string
	read func(ctx context.Context, d *db.DB, part eventlog.Span) ([]line, error)
}

var logs = []log{
	{"sign_in", lines(eventlog.SignIns)},
	{"audit_hit", lines(eventlog.AuditHits)},
	{"link_fetch", lines(eventlog.LinkFetches)},
}

// lines returns what reads the rows of a log as lines.
func lines[T eventlog.Row](
	read func(context.Context, *db.DB, eventlog.Span) ([]T, error),
) func(context.Context, *db.DB, eventlog.Span) ([]line, error) {
	return func(ctx context.Context, d *db.DB, part eventlog.Span) ([]line, error) {
		rows, err := read(ctx, d, part)
		out := make([]line, len(rows))
		for i, r := range rows {
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			out[i] = line{r.RowHead().ID, r.RowHead().At, string(text)}
		}
		return out, err
	}
}
