package service

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
)

// ResetTraffic begins another cycle of a running service now, as part of tx, so that its quota is whole again. The one
// after it begins when it would have.
func (s *Services) ResetTraffic(ctx context.Context, tx bun.Tx, userID, serviceID int64) error {
	if err := approval.Covered(ctx); err != nil {
		return err
	}
	v, err := s.lock(ctx, tx, userID, serviceID)
	if err != nil {
		return err
	}
	now := s.db.Now()
	if !v.Running(now) {
		return ErrNotRunning
	}
	if err := endCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
		return err
	}
	v.Cycle++
	if _, err := tx.NewUpdate().Model(v).Column("cycle").WherePK().Exec(ctx); err != nil {
		return err
	}
	if err := beginCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
		return err
	}
	return s.Refresh(ctx, tx, userID)
}

// Change ends a running service of the user and begins one with other terms that ends at the same time, as part of tx.
// Nothing is given back. The terms' months, days and user are not looked at.
func (s *Services) Change(ctx context.Context, tx bun.Tx, userID, serviceID int64, t Terms) (*Service, error) {
	if err := approval.Covered(ctx); err != nil {
		return nil, err
	}
	v, err := s.lock(ctx, tx, userID, serviceID)
	if err != nil {
		return nil, err
	}
	now := s.db.Now()
	if !v.Running(now) {
		return nil, ErrNotRunning
	}
	if err := s.end(ctx, tx, Item{UserID: userID, ServiceID: &v.ID}, ByStaff); err != nil {
		return nil, err
	}
	t.UserID, t.Months, t.Days, t.Extra = userID, 0, 0, v.EndsAt.Sub(now)
	return s.Start(ctx, tx, t)
}

// Stop ends a running service of the user for good, as part of tx. Nothing is given back.
func (s *Services) Stop(ctx context.Context, tx bun.Tx, userID, serviceID int64) (*Service, error) {
	v, err := s.lock(ctx, tx, userID, serviceID)
	if err != nil {
		return nil, err
	}
	if !v.Running(s.db.Now()) {
		return nil, ErrNotRunning
	}
	return v, s.end(ctx, tx, Item{UserID: userID, ServiceID: &v.ID}, ByStaff)
}

// Longest returns the user's running service that ends last, as part of tx, and its plan; ErrNotRunning where none
// runs.
func (s *Services) Longest(ctx context.Context, tx bun.Tx, userID int64) (serviceID, planID int64, err error) {
	var running []Service
	err = tx.NewSelect().Model(&running).Column("id", "plan_id").
		Where("user_id = ? AND ended_at IS NULL AND ends_at > ?", userID, s.db.Now()).
		OrderExpr("ends_at DESC, id DESC").Limit(1).Scan(ctx)
	if err == nil && len(running) == 0 {
		err = ErrNotRunning
	}
	if err != nil {
		return 0, 0, err
	}
	return running[0].ID, running[0].PlanID, nil
}
