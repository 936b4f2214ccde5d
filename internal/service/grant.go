package service

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Grant gives the user time of a plan without an order: it extends the running service of that plan that ends last, or
// starts one. It returns the number of the service.
func (s *Services) Grant(ctx context.Context, tx bun.Tx, t Terms) (serviceID int64, err error) {
	var running []int64
	err = tx.NewSelect().Model((*Service)(nil)).Column("id").
		Where("user_id = ? AND plan_id = ? AND ended_at IS NULL AND ends_at > ?", t.UserID, t.PlanID, s.db.Now()).
		OrderExpr("ends_at DESC, id DESC").Limit(1).Scan(ctx, &running)
	if err != nil {
		return 0, err
	}
	if len(running) > 0 {
		return running[0], s.Extend(ctx, tx, Extension{
			UserID: t.UserID, ServiceID: running[0], Months: t.Months,
			Days: t.Days,
		})
	}
	v, err := s.Start(ctx, tx, t)
	if err != nil {
		return 0, err
	}
	return v.ID, nil
}

// later returns the time that is months and then days after t, on the site's clock.
func (s *Services) later(t time.Time, months, days int) time.Time {
	return s.after(t, months).In(s.settings.Get().Zone()).AddDate(0, 0, days).UTC()
}

// MaxGrant is the maximum of a quota or a package in bytes. The schema has the same limit.
const MaxGrant = 1 << 50
