package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Faults of this package.
var (
	ErrNoService = fault.NotFound("service_not_found", "没有找到该服务", "There is no such service")
	ErrNoPackage = fault.NotFound("package_not_found", "没有找到该流量包", "There is no such package")
	ErrFulfilled = fault.Conflict("order_fulfilled", "该订单已经生效", "This order has taken effect already")
	errNoTime    = fault.Invalid("months", "range", "时长至少一天", "A service runs for at least one day")
)

// Terms is what a service starts with.
type Terms struct {
	UserID     int64
	OrderID    *int64 // fulfilled by this; at most once
	PlanID     int64
	Name       string
	Class      int
	Groups     []int
	SpeedMbps  *int   // nil: no limit
	Devices    *int   // nil: no limit
	QuotaBytes *int64 // per cycle; nil: unlimited
	Reset      Reset
	Months     int
	Days       int // beside the months, or instead of them
	AutoRenew  bool
}

// Start begins a service now, as part of tx.
func (s *Services) Start(ctx context.Context, tx bun.Tx, t Terms) (*Service, error) {
	if t.Months < 0 || t.Days < 0 || t.Months+t.Days < 1 {
		return nil, errNoTime
	}
	now := s.db.Now()
	v := &Service{
		UserID: t.UserID, PlanID: t.PlanID, Name: t.Name, Class: t.Class, Groups: groups(t.Groups), SpeedMbps: t.SpeedMbps, Devices: t.Devices,
		QuotaBytes: t.QuotaBytes, Reset: t.Reset, Cycle: 1, StartedAt: now, EndsAt: s.later(now, t.Months, t.Days), AutoRenew: t.AutoRenew,
	}
	v.NextResetAt = s.nextReset(v, now)
	if _, err := tx.NewInsert().Model(v).Exec(ctx); err != nil {
		return nil, err
	}
	if err := beginCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
		return nil, err
	}
	if err := s.fulfil(ctx, tx, fulfilment{OrderID: t.OrderID, UserID: t.UserID, ServiceID: &v.ID, Months: t.Months, StartsAt: &v.StartedAt, EndsAt: &v.EndsAt}); err != nil {
		return nil, err
	}
	return v, s.Refresh(ctx, tx, t.UserID)
}

// Extend adds months to the end of the user's service; one that has ended runs again from now, with a new cycle.
func (s *Services) Extend(ctx context.Context, tx bun.Tx, userID, serviceID int64, orderID *int64, months int) error {
	return s.extend(ctx, tx, userID, serviceID, orderID, months, 0)
}

func (s *Services) extend(ctx context.Context, tx bun.Tx, userID, serviceID int64, orderID *int64, months, days int) error {
	if months < 0 || days < 0 || months+days < 1 {
		return errNoTime
	}
	v, err := s.lock(ctx, tx, userID, serviceID)
	if err != nil {
		return err
	}
	now := s.db.Now()
	from := now
	if v.Running(now) {
		from = v.EndsAt
		v.EndsAt = s.later(from, months, days)
		v.NextResetAt = s.nextReset(v, now)
	} else {
		if err := endCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
			return err
		}
		v.Cycle, v.StartedAt, v.EndsAt, v.EndedAt = v.Cycle+1, now, s.later(now, months, days), nil
		v.NextResetAt = s.nextReset(v, now)
		if err := beginCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
			return err
		}
	}
	if _, err := tx.NewUpdate().Model(v).Column("ends_at", "ended_at", "next_reset_at", "cycle", "started_at").WherePK().Exec(ctx); err != nil {
		return err
	}
	if err := s.fulfil(ctx, tx, fulfilment{OrderID: orderID, UserID: userID, ServiceID: &v.ID, Months: months, StartsAt: &from, EndsAt: &v.EndsAt}); err != nil {
		return err
	}
	return s.Refresh(ctx, tx, userID)
}

// End stops the user's service now, as a change of plan or a refund does.
func (s *Services) End(ctx context.Context, tx bun.Tx, userID, serviceID int64) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Service)(nil)).Set("ended_at = ?", s.db.Now()).
		Where("id = ? AND user_id = ? AND ended_at IS NULL", serviceID, userID).Exec(ctx))
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoService
	}
	return s.Refresh(ctx, tx, userID)
}

// EndPackage takes what is left of the user's package away.
func (s *Services) EndPackage(ctx context.Context, tx bun.Tx, userID, packageID int64) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Package)(nil)).Set("ended_at = ?", s.db.Now()).
		Where("id = ? AND user_id = ? AND ended_at IS NULL", packageID, userID).Exec(ctx))
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoPackage
	}
	return s.Refresh(ctx, tx, userID)
}

// SetAutoRenew says whether the user's service is to be renewed from the wallet when it ends.
func (s *Services) SetAutoRenew(ctx context.Context, tx bun.Tx, userID, serviceID int64, on bool) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Service)(nil)).Set("auto_renew = ?", on).
		Where("id = ? AND user_id = ?", serviceID, userID).Exec(ctx))
	if err == nil && n == 0 {
		return ErrNoService
	}
	return err
}

// PackageTerms is what a package starts with.
type PackageTerms struct {
	UserID    int64
	OrderID   *int64 // fulfilled by this; at most once
	Name      string
	Kind      Kind
	Bytes     int64
	ExpiresAt *time.Time // nil: lives until it is used up
}

// AddPackage gives the user traffic, as part of tx.
func (s *Services) AddPackage(ctx context.Context, tx bun.Tx, t PackageTerms) (*Package, error) {
	p := &Package{UserID: t.UserID, Name: t.Name, Kind: t.Kind, Bytes: t.Bytes, CreatedAt: s.db.Now(), ExpiresAt: t.ExpiresAt}
	if _, err := tx.NewInsert().Model(p).Exec(ctx); err != nil {
		return nil, err
	}
	if err := s.fulfil(ctx, tx, fulfilment{OrderID: t.OrderID, UserID: t.UserID, PackageID: &p.ID}); err != nil {
		return nil, err
	}
	return p, s.Refresh(ctx, tx, t.UserID)
}

type fulfilment struct {
	bun.BaseModel `bun:"table:fulfilment"`
	OrderID       *int64
	UserID        int64
	ServiceID     *int64
	PackageID     *int64
	Months        int
	StartsAt      *time.Time // of a service: the part of its time that the order brought
	EndsAt        *time.Time
	CreatedAt     time.Time
}

// fulfil marks the order as done; the key refuses a second time.
func (s *Services) fulfil(ctx context.Context, tx bun.Tx, f fulfilment) error {
	if f.OrderID == nil {
		return nil
	}
	f.CreatedAt = s.db.Now()
	_, err := tx.NewInsert().Model(&f).Exec(ctx)
	if err = db.Error(err); errors.Is(err, db.ErrUnique) {
		return ErrFulfilled.Because(err)
	}
	return err
}

// lock reads the user's service and holds its row until tx ends, so that two renewals add up.
func (s *Services) lock(ctx context.Context, tx bun.Tx, userID, serviceID int64) (*Service, error) {
	n, err := db.Changed(tx.NewRaw(`UPDATE service SET cycle = cycle WHERE id = ? AND user_id = ?`, serviceID, userID).Exec(ctx))
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, ErrNoService
	}
	v := new(Service)
	return v, tx.NewSelect().Model(v).Where("id = ?", serviceID).Scan(ctx)
}

func groups(ids []int) []int {
	ids = append([]int{}, ids...)
	slices.Sort(ids)
	return slices.Compact(ids)
}
