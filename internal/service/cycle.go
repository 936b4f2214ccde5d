package service

import (
	"context"
	"iter"
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
	BilledUp      int64
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

// after returns the time that is months later at the same hour of the site's clock. Where the month has no such day it
// is the month's last.
func (s *Services) after(t time.Time, months int) time.Time {
	return addMonths(t.In(s.settings.Get().Zone()), months).UTC()
}

func addMonths(t time.Time, months int) time.Time { return addMonthsTo(t, months, t.Day()) }

// addMonthsTo returns the day of the month that is months after t, or its last one where it has no such day.
func addMonthsTo(t time.Time, months, day int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(),
		t.Location())
	return first.AddDate(0, 0, min(day, lastDay(first))-1)
}

// extended returns the end of a running service to which months and then days are added. A service that began on the
// 31st and ends on the last day of a shorter month comes back to the 31st.
func (s *Services) extended(v *Service, months, days int) time.Time {
	zone := s.settings.Get().Zone()
	start, end := v.StartedAt.In(zone), v.EndsAt.In(zone)
	day := end.Day()
	if day == lastDay(end) && sinceMidnight(start) == sinceMidnight(end) {
		day = max(day, start.Day())
	}
	if months > 0 {
		end = addMonthsTo(end, months, day)
	}
	return end.AddDate(0, 0, days).UTC()
}

// EndOfNew returns when a service that begins at that time for these months ends.
func (s *Services) EndOfNew(at time.Time, months int) time.Time { return s.later(at, months, 0) }

// EndOfRenewal returns when the service would end with as many months more, bought now.
func (s *Services) EndOfRenewal(v *Service, months int) time.Time {
	if now := s.db.Now(); !v.Running(now) {
		return s.later(now, months, 0)
	}
	return s.extended(v, months, 0)
}

func sinceMidnight(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
		time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
}

func lastDay(month time.Time) int {
	return time.Date(month.Year(), month.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// nextReset returns when the first cycle after the given time begins; nil where the service ends before.
func (s *Services) nextReset(v *Service, after time.Time) *time.Time {
	for begin := range s.cycleBegins(v, v.EndsAt) {
		if begin.After(after) && begin.After(v.StartedAt) {
			return &begin
		}
	}
	return nil
}

// cycleBegins yields when the cycles of the service's run begin and the anniversaries of the start that they belong to,
// for anniversaries before the given time; the first of both is the start. With calendar months a cycle begins on a
// first of the month: that before its anniversary, or that after it where the service began in the second half of a
// month. So each month bought brings one quota, and the first one lasts for half a month at least.
func (s *Services) cycleBegins(v *Service, before time.Time) iter.Seq2[time.Time, time.Time] {
	return func(yield func(begin, anniversary time.Time) bool) {
		start := v.StartedAt.In(s.settings.Get().Zone())
		late := 0
		if start.Day() > 15 {
			late = 1
		}
		for month := 0; ; month++ { // counted from the start, so the 31st comes back after February
			anniversary, last := addMonths(start, month), before
			if month > 0 {
				last = before.Add(-daylightSaving)
			}
			if !anniversary.Before(last) || month > 0 && v.Reset == Never {
				return
			}
			begin := anniversary
			if month > 0 && v.Reset == CalendarMonth {
				begin = time.Date(start.Year(), start.Month()+time.Month(month+late), 1, 0, 0, 0, 0, start.Location())
			}
			if !yield(begin.UTC(), anniversary.UTC()) {
				return
			}
		}
	}
}

// Register puts the end of services and packages and the beginning of cycles on the timetable.
func (s *Services) Register(q *job.Queue) {
	q.Every("service.expire", s.expire)
	q.Every("service.reset", s.reset)
	q.Every("service.restore", s.restore)
	q.Every("service.forget", s.forgetNotes)
}

// daylightSaving is by how much an anniversary in another time zone than that in which the service was sold is earlier.
const daylightSaving = time.Hour

// zoneChange is more than a change of the site's time zone moves the beginning of a cycle, from UTC-12 to UTC+14.
const zoneChange = 27 * time.Hour

// together is how many users one transaction of the timetable treats, so that others need not wait for a month's end.
const together = 500

// expire ends what is past its end and removes the right to use it.
func (s *Services) expire(ctx context.Context) error {
	return s.untilDone(ctx, func(ctx context.Context, tx bun.Tx, now time.Time) ([]int64, error) {
		var ended []Service
		if err := tx.NewRaw(`UPDATE service SET ended_at = ends_at, end_reason = 'expired' WHERE id IN (SELECT id
			FROM service WHERE ended_at IS NULL AND ends_at <= ? LIMIT ?)
			RETURNING *`, now, together).Scan(ctx, &ended); err != nil {
			return nil, err
		}
		if err := emitEnded(ctx, tx, ended, now); err != nil {
			return nil, err
		}
		var users, more []int64
		for i := range ended {
			users = append(users, ended[i].UserID)
		}
		if err := tx.NewRaw(`UPDATE package SET ended_at = expires_at WHERE id IN (SELECT id FROM package
			WHERE ended_at IS NULL AND expires_at <= ? LIMIT ?)
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
		if err := tx.NewRaw(`UPDATE service SET cycle = cycle + 1 WHERE id IN (SELECT id FROM service
			WHERE ended_at IS NULL AND next_reset_at <= ? LIMIT ?)
			RETURNING *`, now, together).Scan(ctx, &due); err != nil {
			return nil, err
		}
		var users []int64
		for i := range due {
			v := &due[i]
			at := *v.NextResetAt
			// One cycle after the other, so that no month bought is passed over. In a time zone that was changed since,
			// the beginning of this one may be some hours later.
			v.NextResetAt = s.nextReset(v, at.Add(zoneChange))
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
func (s *Services) untilDone(ctx context.Context, step func(context.Context, bun.Tx, time.Time) ([]int64,
	error),
) error {
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
