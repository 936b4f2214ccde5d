package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/webhook"
)

// Faults of this package.
var (
	ErrNoService    = fault.NotFound("service_not_found", "没有找到该服务", "There is no such service")
	ErrNotRunning   = fault.Conflict("service_not_running", "该服务已结束", "This service runs no more")
	ErrNoPackage    = fault.NotFound("package_not_found", "没有找到该流量包", "There is no such package")
	ErrFulfilled    = fault.Conflict("order_fulfilled", "该订单已经生效", "This order has taken effect already")
	ErrTrafficLimit = fault.Conflict("traffic_limit", "续费后该服务的流量将超过 1 PiB，请等它到期后再续费",
		"With this renewal the service would have more than 1 PiB of traffic; renew it after its end")
	errNoTime = fault.Invalid("months", "range", "时长至少一天", "A service runs for at least one day")
)

// Terms is what a service starts with.
type Terms struct {
	UserID     int64
	OrderID    *int64       // fulfilled by this; at most once
	Paid       money.Amount // what the order brought for it
	Price      money.Amount // that automatic renewal may take; 0 of a gift
	PlanID     int64
	Name       string
	Names      fault.ByLang // in languages that have their own
	Class      int
	Groups     []int
	SpeedMbps  *int   // nil: no limit
	Devices    *int   // nil: no limit
	QuotaBytes *int64 // per cycle; nil: unlimited
	Reset      Reset
	Months     int
	Days       int           // in addition to the months, or instead of them
	Extra      time.Duration // in addition to both: a credit that exceeds the price, or the rest of another service
	ExtraBytes int64         // the same of a quota that never resets
	AutoRenew  bool
}

// Start begins a service now, as part of tx.
func (s *Services) Start(ctx context.Context, tx bun.Tx, t Terms) (*Service, error) {
	if err := approval.Covered(ctx); err != nil {
		return nil, err
	}
	if t.Months < 0 || t.Days < 0 || (t.Months+t.Days < 1 && t.Extra <= 0) {
		return nil, errNoTime
	}
	now := s.db.Now()
	v := &Service{
		UserID: t.UserID, PlanID: t.PlanID, Name: t.Name, Names: t.Names.OrEmpty(), Class: t.Class,
		Groups: groups(t.Groups), SpeedMbps: t.SpeedMbps, Devices: t.Devices,
		QuotaBytes: t.QuotaBytes, TermBytes: t.QuotaBytes, Reset: t.Reset, Cycle: 1, StartedAt: now,
		EndsAt: s.later(now, t.Months, t.Days).Add(t.Extra), AutoRenew: t.AutoRenew, AgreedPrice: t.Price,
	}
	var after, to *int64
	if v.Reset == Never && v.QuotaBytes != nil {
		v.QuotaBytes = new(min(MaxGrant, *t.QuotaBytes+t.ExtraBytes))
		after, to = new(int64), v.QuotaBytes
	}
	v.NextResetAt = s.nextReset(v, now)
	if err := db.InsertPrepared(ctx, tx, v); err != nil {
		return nil, err
	}
	if err := beginCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
		return nil, err
	}
	if err := s.give(ctx, tx, v, t.OrderID, now); err != nil {
		return nil, err
	}
	if err := s.fulfil(ctx, tx, fulfilment{
		OrderID: t.OrderID, UserID: t.UserID, ServiceID: &v.ID, Paid: t.Paid, Months: t.Months, StartsAt: &v.StartedAt,
		EndsAt: &v.EndsAt, AfterByte: after, ToByte: to,
	}); err != nil {
		return nil, err
	}
	if err := webhook.Emit(ctx, tx, v.event(webhook.ServiceStarted, now)); err != nil {
		return nil, err
	}
	return v, s.Refresh(ctx, tx, t.UserID)
}

// added returns which part of a quota that never resets was added to it last; nil of others.
func (s *Service) added() (after, to *int64) {
	if s.Reset != Never || s.QuotaBytes == nil {
		return nil, nil
	}
	return new(*s.QuotaBytes - *s.TermBytes), new(*s.QuotaBytes)
}

// Extension is time that is added to a service.
type Extension struct {
	UserID    int64
	ServiceID int64
	OrderID   *int64        // fulfilled by this; at most once
	Paid      money.Amount  // what the order brought for it
	Price     *money.Amount // that automatic renewal may take from now on; nil: what it was
	Months    int
	Days      int // in addition to the months, or instead of them
}

// Extend adds time to the end of the user's service, and to a quota that never resets what one purchase brings. One
// that expired runs again from now, with a new cycle; one that was given back is ErrGivenBack.
func (s *Services) Extend(ctx context.Context, tx bun.Tx, e Extension) error {
	if err := approval.Covered(ctx); err != nil {
		return err
	}
	if e.Months < 0 || e.Days < 0 || e.Months+e.Days < 1 {
		return errNoTime
	}
	v, err := s.lock(ctx, tx, e.UserID, e.ServiceID)
	if err != nil {
		return err
	}
	if err := v.Renewable(); err != nil {
		return err
	}
	now := s.db.Now()
	from := now
	if v.Running(now) {
		from = v.EndsAt
		v.EndsAt = s.extended(v, e.Months, e.Days)
		v.NextResetAt = s.nextReset(v, v.CycleBeganAt)
		if v.Reset == Never && v.QuotaBytes != nil {
			if *v.QuotaBytes > MaxGrant-*v.TermBytes {
				return ErrTrafficLimit
			}
			*v.QuotaBytes += *v.TermBytes
		}
	} else {
		if err := endCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
			return err
		}
		v.Cycle, v.StartedAt, v.EndsAt, v.EndedAt, v.EndReason = v.Cycle+1, now, s.later(now, e.Months, e.Days), nil,
			nil
		v.NextResetAt, v.QuotaBytes = s.nextReset(v, now), v.TermBytes
		if err := beginCycle(ctx, tx, v.ID, v.Cycle, now); err != nil {
			return err
		}
	}
	if e.Price != nil {
		v.AgreedPrice = *e.Price
	}
	if _, err := tx.NewUpdate().Model(v).Column("agreed_price", "ends_at", "ended_at", "end_reason", "next_reset_at",
		"cycle", "started_at", "quota_bytes").WherePK().Exec(ctx); err != nil {
		return err
	}
	if err := s.give(ctx, tx, v, e.OrderID, from); err != nil {
		return err
	}
	after, to := v.added()
	if err := s.fulfil(ctx, tx, fulfilment{
		OrderID: e.OrderID, UserID: e.UserID, ServiceID: &v.ID, Paid: e.Paid, Months: e.Months, StartsAt: &from,
		EndsAt: &v.EndsAt, AfterByte: after, ToByte: to,
	}); err != nil {
		return err
	}
	return s.Refresh(ctx, tx, e.UserID)
}

// SetAutoRenew sets whether the user's service is renewed from the wallet when it ends. One that was given back is not:
// ErrGivenBack.
func (s *Services) SetAutoRenew(ctx context.Context, tx bun.Tx, userID, serviceID int64, on bool) error {
	q := tx.NewUpdate().Model((*Service)(nil)).Set("auto_renew = ?", on).
		Where("id = ? AND user_id = ?", serviceID, userID)
	if on {
		q.Where("end_reason IS NULL OR end_reason = ?", ByExpiry)
	}
	n, err := db.Changed(q.Exec(ctx))
	if err != nil || n == 1 {
		return err
	}
	v, err := s.GetIn(ctx, tx, userID, serviceID)
	return cmp.Or(err, v.Renewable())
}

// StopOtherRenewals ends the automatic renewal of all services of the user but the one that the order led to.
func (s *Services) StopOtherRenewals(ctx context.Context, tx bun.Tx, userID, orderID int64) error {
	var others []int64
	err := tx.NewSelect().Model((*Service)(nil)).Column("id").Where("user_id = ? AND auto_renew", userID).
		Where("id NOT IN (SELECT service_id FROM fulfilment WHERE order_id = ? AND service_id IS NOT NULL)", orderID).
		Scan(ctx, &others)
	for _, id := range others {
		if err == nil {
			err = s.SetAutoRenew(ctx, tx, userID, id, false)
		}
	}
	return err
}

// AgreeToPrice sets the price up to which automatic renewal may renew the user's service.
func (s *Services) AgreeToPrice(ctx context.Context, tx bun.Tx, userID, serviceID int64, price money.Amount) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Service)(nil)).Set("agreed_price = ?", int64(price)).
		Where("id = ? AND user_id = ?", serviceID, userID).Exec(ctx))
	if err == nil && n == 0 {
		return ErrNoService
	}
	return err
}

// PackageTerms is what a package starts with.
type PackageTerms struct {
	UserID    int64
	OrderID   *int64       // fulfilled by this; at most once
	Paid      money.Amount // what the order brought for it
	Name      string
	Names     fault.ByLang // in languages that have their own
	Kind      Kind
	Bytes     int64
	ExpiresAt *time.Time // nil: lives until it is used up
}

// AddPackage gives the user traffic, as part of tx.
func (s *Services) AddPackage(ctx context.Context, tx bun.Tx, t PackageTerms) (*Package, error) {
	if err := approval.Covered(ctx); err != nil {
		return nil, err
	}
	p := &Package{
		UserID: t.UserID, Name: t.Name, Names: t.Names.OrEmpty(), Kind: t.Kind, Bytes: t.Bytes,
		CreatedAt: s.db.Now(), ExpiresAt: t.ExpiresAt,
	}
	if err := db.InsertPrepared(ctx, tx, p); err != nil {
		return nil, err
	}
	if err := s.fulfil(ctx, tx, fulfilment{
		OrderID: t.OrderID, UserID: t.UserID, PackageID: &p.ID,
		Paid: t.Paid,
	}); err != nil {
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
	Paid          money.Amount // what the order brought for this; at most so much is given back of it
	Months        int
	StartsAt      *time.Time // of a service: the part of its time that the order brought
	EndsAt        *time.Time
	AfterByte     *int64 // of a quota that never resets: the part of it that the order brought
	ToByte        *int64
	CreatedAt     time.Time
}

// period is time that was given to a service, whoever paid for it.
type period struct {
	bun.BaseModel `bun:"table:service_period"`
	ID            int64 `bun:",pk,autoincrement"`
	ServiceID     int64
	OrderID       *int64 // nil: a cd-key, a trial or a gift
	StartsAt      time.Time
	EndsAt        time.Time
	QuotaBytes    *int64 // that the service had with it; nil: unlimited
	CreatedAt     time.Time
}

// give records the time that v got, from a moment until its end.
func (s *Services) give(ctx context.Context, tx bun.Tx, v *Service, orderID *int64, from time.Time) error {
	_, err := tx.NewInsert().Model(&period{
		ServiceID: v.ID, OrderID: orderID, StartsAt: from, EndsAt: v.EndsAt,
		QuotaBytes: v.QuotaBytes, CreatedAt: s.db.Now(),
	}).Exec(ctx)
	if err = db.Error(err); errors.Is(err, db.ErrUnique) {
		return ErrFulfilled.Because(err)
	}
	return err
}

// AddPackages is AddPackage for packages that no order refers to, in the order of terms.
func (s *Services) AddPackages(ctx context.Context, tx bun.Tx, terms []PackageTerms) ([]Package, error) {
	if err := approval.Covered(ctx); err != nil {
		return nil, err
	}
	packages, users := make([]Package, len(terms)), make([]int64, len(terms))
	for i, t := range terms {
		packages[i] = Package{
			UserID: t.UserID, Name: t.Name, Names: t.Names.OrEmpty(), Kind: t.Kind, Bytes: t.Bytes,
			CreatedAt: s.db.Now(), ExpiresAt: t.ExpiresAt,
		}
		users[i] = t.UserID
	}
	if _, err := tx.NewInsert().Model(&packages).Exec(ctx); err != nil {
		return nil, err
	}
	return packages, s.Refresh(ctx, tx, users...)
}

// fulfil marks the order as done; the key refuses a second time.
func (s *Services) fulfil(ctx context.Context, tx bun.Tx, f fulfilment) error {
	if f.OrderID == nil {
		return nil
	}
	f.CreatedAt = s.db.Now()
	err := db.InsertPrepared(ctx, tx, &f)
	if err = db.Error(err); errors.Is(err, db.ErrUnique) {
		return ErrFulfilled.Because(err)
	}
	return err
}

// lock reads the user's service and holds its row until tx ends, so that two renewals add up.
func (s *Services) lock(ctx context.Context, tx bun.Tx, userID, serviceID int64) (*Service, error) {
	n, err := db.Changed(tx.NewRaw(`UPDATE service SET cycle = cycle WHERE id = ? AND user_id = ?`, serviceID, userID).
		Exec(ctx))
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, ErrNoService
	}
	v := new(Service)
	return v, withCycle(tx.NewSelect().Model(v)).Where("service.id = ?", serviceID).Scan(ctx)
}

func groups(ids []int) []int {
	ids = append([]int{}, ids...)
	slices.Sort(ids)
	return slices.Compact(ids)
}
