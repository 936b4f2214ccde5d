package shop

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
)

// ErrEnded is the fault of a change or refund of a service that runs no more.
var ErrEnded = fault.Conflict("service_ended", "该服务已结束", "This service has ended")

// paidPeriod is a part of a service's time and what was paid for it.
type paidPeriod struct {
	OrderID          int64
	Worth            money.Amount
	StartsAt, EndsAt time.Time
}

// unused gives, order by order, what is not yet used of what was paid for a running service: of each period the smaller
// of its share of time and its share of traffic, rounded down. Periods that brought no order are worth nothing.
func (s *Shop) unused(ctx context.Context, idb bun.IDB, v *service.Service, at time.Time) (parts []paidPeriod, sum money.Amount, err error) {
	err = idb.NewRaw(`SELECT o.id AS order_id, o.price - o.discount AS worth, f.starts_at, f.ends_at FROM fulfilment f JOIN shop_order o ON o.id = f.order_id
		WHERE f.service_id = ? AND f.starts_at >= ? AND o.state = ? ORDER BY f.starts_at`, v.ID, v.StartedAt, Paid).Scan(ctx, &parts)
	if err != nil {
		return nil, 0, err
	}
	var paid money.Amount
	for _, p := range parts {
		if paid, err = paid.Add(p.Worth); err != nil {
			return nil, 0, err
		}
	}
	left := paid // bound by the traffic of a service with one cycle for all its time
	if v.Reset == service.Never {
		if have, whole, limited := s.services.TrafficLeft(v, v.StartedAt, v.EndsAt, at); limited {
			if left, err = paid.Share(have, whole); err != nil {
				return nil, 0, err
			}
		}
	}
	for i := range parts {
		p := &parts[i]
		if p.Worth, err = s.unusedOf(v, *p, at); err != nil {
			return nil, 0, err
		}
		p.Worth = min(p.Worth, left)
		left -= p.Worth
		sum += p.Worth
	}
	return parts, sum, nil
}

func (s *Shop) unusedOf(v *service.Service, p paidPeriod, at time.Time) (money.Amount, error) {
	if !at.Before(p.EndsAt) {
		return 0, nil
	}
	rest := p.EndsAt.Sub(maxTime(p.StartsAt, at))
	byTime, err := p.Worth.Share(int64(rest), int64(p.EndsAt.Sub(p.StartsAt)))
	if err != nil || v.Reset == service.Never {
		return byTime, err
	}
	have, whole, limited := s.services.TrafficLeft(v, p.StartsAt, p.EndsAt, at)
	if !limited {
		return byTime, nil
	}
	byTraffic, err := p.Worth.Share(have, whole)
	return min(byTime, byTraffic), err
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// running gives the user's service, which must run still.
func (s *Shop) running(ctx context.Context, idb bun.IDB, userID, serviceID int64) (*service.Service, error) {
	v, err := s.services.GetIn(ctx, idb, userID, serviceID)
	if err == nil && !v.Running(s.db.Now()) {
		err = ErrEnded
	}
	return &v, err
}
