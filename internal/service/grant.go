package service

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
)

// Grant gives the user time of a plan without an order: it is added to the end of the running service of that plan
// which ends last, or begins one. It gives the number of the service.
func (s *Services) Grant(ctx context.Context, tx bun.Tx, t Terms) (serviceID int64, err error) {
	var running []int64
	err = tx.NewSelect().Model((*Service)(nil)).Column("id").Where("user_id = ? AND plan_id = ? AND ended_at IS NULL AND ends_at > ?", t.UserID, t.PlanID, s.db.Now()).
		OrderExpr("ends_at DESC, id DESC").Limit(1).Scan(ctx, &running)
	if err != nil {
		return 0, err
	}
	if len(running) > 0 {
		return running[0], s.Extend(ctx, tx, Extension{UserID: t.UserID, ServiceID: running[0], Months: t.Months, Days: t.Days})
	}
	v, err := s.Start(ctx, tx, t)
	if err != nil {
		return 0, err
	}
	return v.ID, nil
}

// later gives the time that is months and then days after t, on the site's clock.
func (s *Services) later(t time.Time, months, days int) time.Time {
	return s.after(t, months).In(s.settings.Get().Zone()).AddDate(0, 0, days).UTC()
}

// GrantTraffic gives the user bytes that nobody paid for, as a package that lives until it is used up.
func (s *Services) GrantTraffic(ctx context.Context, userID int64, name string, bytes int64) error {
	if bytes < 1 || bytes > maxGrant {
		return fault.Invalid("bytes", "range", "流量须大于零且不超过 1 PiB", "The traffic is above zero and at most 1 PiB")
	}
	_, err := idempotency.Tx(ctx, s.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		p, err := s.AddPackage(ctx, tx, PackageTerms{UserID: userID, Name: name, Kind: Grant, Bytes: bytes})
		if err != nil {
			return 0, err
		}
		return p.ID, nil
	})
	return err
}

const maxGrant = 1 << 50 // bytes, as the schema has it
