package service

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
)

// maxCycle is longer than any cycle of a quota: the first one of a calendar month begins on the 16th at the earliest
// where it lasts beyond the next month's first.
const maxCycle = 48 * 24 * time.Hour

// restore reverts what the timetable did while the clock was ahead: what expired at a time that lies in the future runs
// again, a cycle that began by itself goes on as the one before, and one that would begin later than the one after this
// begins on its day. It does nothing on a server whose clock was always right.
func (s *Services) restore(ctx context.Context) error {
	for _, step := range []func(context.Context, bun.Tx, time.Time) ([]int64, error){
		restoreServices, restorePackages, s.restoreCycles, s.restoreResets, restoreAccess,
	} {
		if err := s.untilDone(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

func restoreServices(ctx context.Context, tx bun.Tx, now time.Time) (users []int64, err error) {
	err = tx.NewRaw(`UPDATE service SET ended_at = NULL, end_reason = NULL WHERE id IN (
			SELECT id FROM service WHERE end_reason = ? AND ended_at > ? LIMIT ?)
		RETURNING user_id`, ByExpiry, now.Add(clock.Tolerance), together).Scan(ctx, &users)
	return users, err
}

func restorePackages(ctx context.Context, tx bun.Tx, now time.Time) (users []int64, err error) {
	err = tx.NewRaw(`UPDATE package SET ended_at = NULL WHERE id IN (
			SELECT id FROM package WHERE ended_at = expires_at AND ended_at > ? LIMIT ?)
		RETURNING user_id`, now.Add(clock.Tolerance), together).Scan(ctx, &users)
	return users, err
}

// restoreCycles takes back the cycles that the timetable began too early. What was counted in them counts in the one
// before. A cycle that staff or an order began stays.
func (s *Services) restoreCycles(ctx context.Context, tx bun.Tx, now time.Time) (users []int64, err error) {
	var early []Service
	if err := tx.NewRaw(`SELECT v.* FROM service_cycle AS c JOIN service AS v ON v.id = c.service_id AND v.cycle = c.cycle
		WHERE c.ended_at IS NULL AND c.started_at > ? AND c.cycle > 1 AND v.ended_at IS NULL LIMIT ?`,
		now.Add(clock.Tolerance), together).Scan(ctx, &early); err != nil {
		return nil, err
	}
	for i := range early {
		v := &early[i]
		restored, err := s.restoreCycle(ctx, tx, v, now)
		if err != nil {
			return nil, err
		}
		if restored {
			users = append(users, v.UserID)
		}
	}
	return users, nil
}

// restoreCycle takes back the cycle of a service that runs, unless it began otherwise than by the timetable.
func (s *Services) restoreCycle(ctx context.Context, tx bun.Tx, v *Service, now time.Time) (restored bool, err error) {
	var early cycle
	if err := tx.NewSelect().Model(&early).Where("service_id = ? AND cycle = ?", v.ID, v.Cycle).Scan(ctx); err != nil {
		return false, err
	}
	byTimetable := false
	for begin := range s.cycleBegins(v, v.EndsAt) {
		byTimetable = byTimetable || begin.After(v.StartedAt) && begin.Equal(early.StartedAt)
	}
	if !byTimetable {
		return false, nil
	}
	if _, err := tx.NewRaw(`UPDATE service_cycle SET ended_at = NULL, up = up + ?, down = down + ?, billed = billed + ?,
			billed_up = billed_up + ? WHERE service_id = ? AND cycle = ?`,
		early.Up, early.Down, early.Billed, early.BilledUp, v.ID, v.Cycle-1).Exec(ctx); err != nil {
		return false, err
	}
	if _, err := tx.NewDelete().Model(&early).WherePK().Exec(ctx); err != nil {
		return false, err
	}
	v.Cycle, v.NextResetAt = v.Cycle-1, s.nextReset(v, now)
	_, err = tx.NewUpdate().Model(v).Column("cycle", "next_reset_at").WherePK().Exec(ctx)
	return err == nil, err
}

func (s *Services) restoreResets(ctx context.Context, tx bun.Tx, now time.Time) (users []int64, err error) {
	var late []Service
	if err := tx.NewRaw(`SELECT * FROM service WHERE ended_at IS NULL AND next_reset_at > ? LIMIT ?`,
		now.Add(maxCycle), together).Scan(ctx, &late); err != nil {
		return nil, err
	}
	for i := range late {
		v := &late[i]
		next := s.nextReset(v, now)
		if next != nil && next.Equal(*v.NextResetAt) {
			continue // the service itself begins in the future; nothing can be put right
		}
		v.NextResetAt = next
		if _, err := tx.NewUpdate().Model(v).Column("next_reset_at").WherePK().Exec(ctx); err != nil {
			return nil, err
		}
		users = append(users, v.UserID)
	}
	return users, nil
}

// restoreAccess finds users whose right to use a running service was worked out at a time that has not come.
func restoreAccess(ctx context.Context, tx bun.Tx, now time.Time) (users []int64, err error) {
	err = tx.NewRaw(`SELECT DISTINCT a.user_id FROM access a JOIN service v ON v.user_id = a.user_id
			AND v.ended_at IS NULL AND v.ends_at > ?
		WHERE a.state = ? LIMIT ?`, now, Expired, together).Scan(ctx, &users)
	return users, err
}
