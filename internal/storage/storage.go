// Package storage records each day what the database takes, and says how fast it grows and for how many days more the
// disk has room. It knows the data of the database alone: what else grows on the same disk is part of what is free.
package storage

import (
	"context"
	"math"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/job"
)

const (
	// window is how far back growth looks: a month evens out the weekdays and follows a site that grows faster.
	window = 30 * 24 * time.Hour
	// minSpan is the time between two measurements below which their difference says nothing.
	minSpan   = 12 * time.Hour
	retention = 400 * 24 * time.Hour
)

// Storage measures the database.
type Storage struct {
	db  *db.DB
	log func(ctx context.Context) (bytes int64, err error)
}

// New returns the measurements of d. log returns what of it is the traffic log.
func New(d *db.DB, log func(ctx context.Context) (int64, error)) *Storage { return &Storage{d, log} }

// Register puts the measurement on the timetable.
func (s *Storage) Register(q *job.Queue) { q.Every("storage.measure", s.Measure) }

// Measure stores what the database takes now as that of the present UTC day.
func (s *Storage) Measure(ctx context.Context) error {
	size, err := s.db.Size(ctx)
	if err != nil {
		return err
	}
	log, err := s.log(ctx)
	if err != nil {
		return err
	}
	now := s.db.Now()
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw(`DELETE FROM storage_day WHERE day < ?`, dayOf(now.Add(-retention))).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw(`INSERT INTO storage_day (day, measured_at, data_bytes, log_bytes) VALUES (?, ?, ?, ?)
			ON CONFLICT (day) DO UPDATE SET measured_at = EXCLUDED.measured_at, data_bytes = EXCLUDED.data_bytes,
			log_bytes = EXCLUDED.log_bytes`, dayOf(now), now, size.Bytes-size.Free, log).Exec(ctx)
		return err
	})
}

func dayOf(t time.Time) int64 { return t.Unix() / (24 * 3600) }

// Growth is how the database grows.
type Growth struct {
	LogBytes int64 // of the traffic log, when it was last measured
	// Data and Log are bytes a day, on average over at most 30 days; nil: half a day was not seen yet.
	Data, Log *int64
}

// Growth compares the last measurement with the oldest of the last 30 days.
func (s *Storage) Growth(ctx context.Context) (g Growth, err error) {
	var rows []struct {
		MeasuredAt          time.Time
		DataBytes, LogBytes int64
	}
	if err := s.db.NewRaw(`SELECT measured_at, data_bytes, log_bytes FROM storage_day WHERE day >= ? ORDER BY day`,
		dayOf(s.db.Now().Add(-window))).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return g, err
	}
	first, last := rows[0], rows[len(rows)-1]
	g.LogBytes = last.LogBytes
	if span := last.MeasuredAt.Sub(first.MeasuredAt); span >= minSpan {
		data := perDay(last.DataBytes-first.DataBytes, span)
		log := perDay(last.LogBytes-first.LogBytes, span)
		g.Data, g.Log = &data, &log
	}
	return g, nil
}

func perDay(bytes int64, span time.Duration) int64 {
	return int64(math.Round(float64(bytes) * float64(24*time.Hour) / float64(span)))
}

// DaysLeft returns for how many days more the room suffices, at most 10 years; nil: nothing grows, or it is not known.
func (g Growth) DaysLeft(room int64) *int64 {
	if g.Data == nil || *g.Data <= 0 {
		return nil
	}
	days := min(room / *g.Data, 3650)
	return &days
}
