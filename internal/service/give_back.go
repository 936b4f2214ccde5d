package service

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// EndReason says why a service ended.
type EndReason string

// The reasons for which a service ends. Only one that ended by expiry may run again.
const (
	ByExpiry  EndReason = "expired"
	ByChange  EndReason = "changed"  // another plan replaced it, and its unused part was credited
	ByRefund  EndReason = "refunded" // its unused part was paid back
	ByClosing EndReason = "closed"   // the account was closed
	ByStaff   EndReason = "stopped"  // a member of staff ended it; nothing was given back
)

// ErrGivenBack is the fault of renewing a service that did not merely expire.
var ErrGivenBack = fault.Conflict("service_given_back", "该服务已因更换套餐、退款或注销账户而结束，不能续费；请重新购买",
	"This service ended by a change of plan, a refund or the closing of the account and cannot be renewed; buy a "+
		"new one instead")

// Renewable returns ErrGivenBack where the service did not merely expire.
func (s *Service) Renewable() error {
	if s.EndReason != nil && *s.EndReason != ByExpiry {
		return ErrGivenBack
	}
	return nil
}

// Item is a service or a package of a user; one of the two ids is set.
type Item struct {
	UserID               int64
	ServiceID, PackageID *int64
}

// Part is a paid period of a service, or a bought package, and what of its price is unused.
type Part struct {
	OrderID int64
	Unused  money.Amount
}

// Return says what a unused part is given back as.
type Return struct {
	Reason  EndReason
	OrderID *int64 // the order that the unused part is credited to; nil for none
}

// Unused returns, order by order, what of the prices paid for a running service or an open package is unused at that
// time, and the sum: of each period, and of a package that expires, the smaller of its share of time and its share of
// traffic, rounded down. Periods that no order brought are worth nothing. Inside a transaction the rows stay locked
// until its end, so that GiveBack comes to the same sum.
func (s *Services) Unused(ctx context.Context, idb bun.IDB, item Item, at time.Time) (parts []Part, sum money.Amount,
	err error,
) {
	if item.PackageID != nil {
		parts, err = s.unusedPackage(ctx, idb, item, at)
	} else {
		parts, err = s.unusedService(ctx, idb, item, at)
	}
	for _, p := range parts {
		sum += p.Unused // no more than was paid, which came out of one wallet
	}
	return parts, sum, err
}

// GiveBack ends a service or a package for good and records on each of its paid periods what of it is given back. It is
// the only way to credit or refund anything sold: a period is given back once, and the schema refuses more than was
// paid for it. It returns what Unused does.
func (s *Services) GiveBack(ctx context.Context, tx bun.Tx, item Item, at time.Time, to Return) (parts []Part,
	sum money.Amount, err error,
) {
	if parts, sum, err = s.Unused(ctx, tx, item, at); err != nil {
		return nil, 0, err
	}
	now := s.db.Now()
	for _, p := range parts {
		n, err := db.Changed(tx.NewUpdate().Model((*fulfilment)(nil)).Set("given_back = given_back + ?",
			int64(p.Unused)).Set("given_back_at = ?", now).
			Set("credited_by = ?", to.OrderID).Where("order_id = ? AND given_back_at IS NULL", p.OrderID).Exec(ctx))
		if err == nil && n == 0 {
			err = errors.New("service: a period was given back before")
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if item.PackageID != nil {
		return parts, sum, s.endPackage(ctx, tx, item)
	}
	return parts, sum, s.end(ctx, tx, item, to.Reason)
}

func (s *Services) unusedPackage(ctx context.Context, idb bun.IDB, item Item, at time.Time) ([]Part, error) {
	var p Package
	err := lockedIn(idb, idb.NewSelect().Model(&p)).Where("id = ? AND user_id = ?", *item.PackageID, item.UserID).
		Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return nil, ErrNoPackage.Because(err)
	}
	if err != nil || !p.Open(at) {
		return nil, err
	}
	return s.unusedParts(ctx, idb, "package_id = ?", []any{p.ID}, func(f fulfilment) (money.Amount, error) {
		byTraffic, err := f.Paid.Share(p.Bytes-p.Used, p.Bytes)
		if err != nil || p.ExpiresAt == nil {
			return byTraffic, err
		}
		byTime, err := shareOfTime(f.Paid, p.CreatedAt, *p.ExpiresAt, at)
		return min(byTime, byTraffic), err
	})
}

func (s *Services) unusedService(ctx context.Context, idb bun.IDB, item Item, at time.Time) ([]Part, error) {
	var v Service
	err := lockedIn(idb, withCycle(idb.NewSelect().Model(&v))).Where("service.id = ? AND service.user_id = ?",
		*item.ServiceID, item.UserID).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return nil, ErrNoService.Because(err)
	}
	if err != nil || !v.Running(at) {
		return nil, err
	}
	used, err := s.paidUse(ctx, idb, &v)
	if err != nil {
		return nil, err
	}
	return s.unusedParts(ctx, idb, "service_id = ? AND starts_at >= ?", []any{v.ID, v.StartedAt},
		func(f fulfilment) (money.Amount, error) {
			return s.unusedPeriod(&v, f, used, at)
		})
}

// unusedParts values the paid periods that fit the condition and were not given back, those that start first before
// others.
func (s *Services) unusedParts(ctx context.Context, idb bun.IDB, where string, args []any,
	unused func(fulfilment) (money.Amount, error),
) ([]Part, error) {
	var paid []fulfilment
	if err := idb.NewSelect().Model(&paid).Where(where, args...).Where("given_back_at IS NULL").
		OrderExpr("starts_at, order_id").Scan(ctx); err != nil {
		return nil, err
	}
	parts := make([]Part, len(paid))
	for i, f := range paid {
		worth, err := unused(f)
		if err != nil {
			return nil, err
		}
		parts[i] = Part{*f.OrderID, worth}
	}
	return parts, nil
}

func (s *Services) unusedPeriod(v *Service, f fulfilment, used int64, at time.Time) (money.Amount, error) {
	if !at.Before(*f.EndsAt) {
		return 0, nil
	}
	byTime, err := shareOfTime(f.Paid, *f.StartsAt, *f.EndsAt, at)
	have, whole, limited := s.trafficOf(v, f, used)
	if err != nil || !limited {
		return byTime, err
	}
	byTraffic, err := f.Paid.Share(have, whole)
	return min(byTime, byTraffic), err
}

// shareOfTime returns the share of a price that is left at a time before the end of what it paid for.
func shareOfTime(paid money.Amount, start, end, at time.Time) (money.Amount, error) {
	if at.Before(start) {
		at = start
	}
	return paid.Share(int64(end.Sub(at)), int64(end.Sub(start)))
}

// PaidBy returns the orders that paid for the service.
func (s *Services) PaidBy(ctx context.Context, tx bun.Tx, serviceID int64) (orders []int64, err error) {
	err = tx.NewSelect().Model((*fulfilment)(nil)).Column("order_id").Where("service_id = ?", serviceID).
		Scan(ctx, &orders)
	return orders, err
}

// lockedIn locks the rows that q finds where idb is a transaction.
func lockedIn(idb bun.IDB, q *bun.SelectQuery) *bun.SelectQuery {
	if _, ok := idb.(bun.Tx); ok {
		return db.LockedFor("NO KEY UPDATE", q) // what refers to the row, such as a gift, does not wait
	}
	return q
}

// end stops the user's service now, for a reason other than its time.
func (s *Services) end(ctx context.Context, tx bun.Tx, item Item, why EndReason) error {
	now := s.db.Now()
	var ended []Service
	err := tx.NewRaw(`UPDATE service SET ended_at = ?, end_reason = ?, auto_renew = ?
		WHERE id = ? AND user_id = ? AND ended_at IS NULL RETURNING *`, now, why, false, *item.ServiceID, item.UserID).
		Scan(ctx, &ended)
	if err == nil && len(ended) == 0 {
		err = ErrNoService
	}
	if err != nil {
		return err
	}
	if err := emitEnded(ctx, tx, ended, now); err != nil {
		return err
	}
	return s.Refresh(ctx, tx, item.UserID)
}

func (s *Services) endPackage(ctx context.Context, tx bun.Tx, item Item) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Package)(nil)).Set("ended_at = ?", s.db.Now()).
		Where("id = ? AND user_id = ? AND ended_at IS NULL", *item.PackageID, item.UserID).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrNoPackage
	}
	if err != nil {
		return err
	}
	return s.Refresh(ctx, tx, item.UserID)
}
