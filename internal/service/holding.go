package service

import (
	"context"
	"errors"

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
	if errors.Is(err, db.ErrNoRows) {
		return h, ErrNoUser
	}
	if err != nil {
		return h, err
	}
	h.Class, h.Groups = a.Class, a.Groups
	err = s.db.NewSelect().Model((*Service)(nil)).Column("plan_id").
		Where("user_id = ? AND ended_at IS NULL AND ends_at > ?", userID, s.db.Now()).Scan(ctx, &h.PlanIDs)
	return h, err
}
