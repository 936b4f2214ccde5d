package service

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
)

type cycle struct {
	bun.BaseModel `bun:"table:service_cycle"`
	ServiceID     int64 `bun:",pk"`
	Cycle         int64 `bun:",pk"`
	StartedAt     time.Time
	EndedAt       *time.Time
	Up            int64
	Down          int64
	Billed        int64
}

func beginCycle(ctx context.Context, tx bun.Tx, serviceID, number int64, at time.Time) error {
	_, err := tx.NewInsert().Model(&cycle{ServiceID: serviceID, Cycle: number, StartedAt: at}).Exec(ctx)
	return err
}

func endCycle(ctx context.Context, tx bun.Tx, serviceID, number int64, at time.Time) error {
	_, err := tx.NewUpdate().Model((*cycle)(nil)).Set("ended_at = ?", at).
		Where("service_id = ? AND cycle = ? AND ended_at IS NULL", serviceID, number).Exec(ctx)
	return err
}

// after gives the time that is months later at the same hour of the site's clock. Where the month has no such day it is
// the month's last.
func (s *Services) after(t time.Time, months int) time.Time {
	return addMonths(t.In(s.settings.Get().Zone()), months).UTC()
}

func addMonths(t time.Time, months int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
	return first.AddDate(0, 0, min(t.Day(), lastDay(first))-1)
}

func lastDay(month time.Time) int {
	return time.Date(month.Year(), month.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// nextReset gives when the service's quota begins anew after now; nil where it does not before the service ends.
func (s *Services) nextReset(v *Service, now time.Time) *time.Time {
	zone := s.settings.Get().Zone()
	var next time.Time
	switch v.Reset {
	case CalendarMonth:
		local := now.In(zone)
		next = time.Date(local.Year(), local.Month()+1, 1, 0, 0, 0, 0, zone).UTC()
	case Anniversary:
		start := v.StartedAt.In(zone)
		for months := 1; !next.After(now); months++ { // counted from the start, so the 31st comes back after February
			next = addMonths(start, months).UTC()
		}
	default:
		return nil
	}
	if !next.Before(v.EndsAt) {
		return nil
	}
	return &next
}

// Register puts the end of services and packages and the beginning of cycles on the timetable.
func (s *Services) Register(q *job.Queue) {
	q.Every("service.expire", job.Interval(15*time.Second), s.expire)
	q.Every("service.reset", job.Interval(15*time.Second), s.reset)
}

// together is how many users one transaction of the timetable treats, so that others need not wait for a month's end.
const together = 500

// expire ends what is past its end and takes the right to use it away.
func (s *Services) expire(ctx context.Context) error {
	return s.untilDone(ctx, func(ctx context.Context, tx bun.Tx, now time.Time) ([]int64, error) {
		var users, more []int64
		if err := tx.NewRaw(`UPDATE service SET ended_at = ends_at WHERE id IN (SELECT id FROM service WHERE ended_at IS NULL AND ends_at <= ? LIMIT ?)
			RETURNING user_id`, now, together).Scan(ctx, &users); err != nil {
			return nil, err
		}
		if err := tx.NewRaw(`UPDATE package SET ended_at = expires_at WHERE id IN (SELECT id FROM package WHERE ended_at IS NULL AND expires_at <= ? LIMIT ?)
			RETURNING user_id`, now, together).Scan(ctx, &more); err != nil {
			return nil, err
		}
		return append(users, more...), nil
	})
}

// reset begins the next cycle of services whose time has come. What was counted stays with the cycle it was counted in.
func (s *Services) reset(ctx context.Context) error {
	return s.untilDone(ctx, func(ctx context.Context, tx bun.Tx, now time.Time) ([]int64, error) {
		var due []Service
		if err := tx.NewRaw(`UPDATE service SET cycle = cycle + 1 WHERE id IN (SELECT id FROM service WHERE ended_at IS NULL AND next_reset_at <= ? LIMIT ?)
			RETURNING *`, now, together).Scan(ctx, &due); err != nil {
			return nil, err
		}
		var users []int64
		for i := range due {
			v := &due[i]
			at := *v.NextResetAt
			v.NextResetAt = s.nextReset(v, now)
			if _, err := tx.NewUpdate().Model(v).Column("next_reset_at").WherePK().Exec(ctx); err != nil {
				return nil, err
			}
			if err := endCycle(ctx, tx, v.ID, v.Cycle-1, at); err != nil {
				return nil, err
			}
			if err := beginCycle(ctx, tx, v.ID, v.Cycle, at); err != nil {
				return nil, err
			}
			users = append(users, v.UserID)
		}
		return users, nil
	})
}

// untilDone repeats a step, each in a transaction of its own with what it means for the users, until it finds none.
func (s *Services) untilDone(ctx context.Context, step func(context.Context, bun.Tx, time.Time) ([]int64, error)) error {
	for {
		var users []int64
		err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
			if users, err = step(ctx, tx, s.db.Now()); err != nil || len(users) == 0 {
				return err
			}
			return s.Refresh(ctx, tx, users...)
		})
		if err != nil || len(users) == 0 {
			return err
		}
	}
}
