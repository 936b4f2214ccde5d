package service

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Holding is what decides whether something is meant for a user: class and node groups of the services that lend
// rights, and the plans of all that run.
type Holding struct {
	Class   int
	Groups  []int
	PlanIDs []int64
}

// Holding gives what a user holds now.
func (s *Services) Holding(ctx context.Context, userID int64) (h Holding, err error) {
	var a Access
	err = s.db.NewSelect().Model(&a).Column("class", "groups").Where("user_id = ?", userID).Scan(ctx)
	if err != nil {
		return h, db.OrMissing(err, ErrNoUser)
	}
	h.Class, h.Groups = a.Class, a.Groups
	err = s.db.NewSelect().Model((*Service)(nil)).Column("plan_id").
		Where("user_id = ? AND ended_at IS NULL AND ends_at > ?", userID, s.db.Now()).Scan(ctx, &h.PlanIDs)
	return h, err
}

// Holdings gives what users hold now, by their ids.
func (s *Services) Holdings(ctx context.Context, userIDs []int64) (map[int64]Holding, error) {
	found := make(map[int64]Holding, len(userIDs))
	if len(userIDs) == 0 {
		return found, nil
	}
	var rights []Access
	if err := s.db.NewSelect().Model(&rights).Column("user_id", "class", "groups").
		Where("user_id IN (?)", bun.List(userIDs)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, a := range rights {
		found[a.UserID] = Holding{Class: a.Class, Groups: a.Groups}
	}
	var running []Service
	err := s.db.NewSelect().Model(&running).Column("user_id", "plan_id").
		Where("user_id IN (?) AND ended_at IS NULL AND ends_at > ?", bun.List(userIDs), s.db.Now()).Scan(ctx)
	for _, one := range running {
		h := found[one.UserID]
		h.PlanIDs = append(h.PlanIDs, one.PlanID)
		found[one.UserID] = h
	}
	return found, err
}
