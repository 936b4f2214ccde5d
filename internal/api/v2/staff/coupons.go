package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

type couponItem struct {
	ID      int64         `json:"id"`
	Code    string        `json:"code"`
	Percent *int          `json:"percent" nullable:"true" doc:"Off the price; null: amount is"`
	Amount  *money.Amount `json:"amount,omitempty" doc:"Off the price; absent: percent is"`
	CouponTerms
	Taken     int64        `json:"taken" doc:"By orders that wait and orders that are paid"`
	MadeBy    *int64       `json:"made_by" nullable:"true" doc:"Id of the member of staff; null: at the command line"`
	MadeByWho string       `json:"made_by_email" doc:"Empty: at the command line, or the account is closed"`
	CreatedAt time.Time    `json:"created_at"`
	Waits     bool         `json:"waits" doc:"For a second member of staff; no order takes it before"`
	Declined  bool         `json:"declined" doc:"By a second member; it can neither change nor be switched on any more"`
	Proposed  *CouponTerms `json:"proposed,omitempty" doc:"A change that waits for a second member; until it is approved the coupon stays as it is"`
	v2.Version
}

// CouponTerms are what a change of a coupon may alter; exported because it is embedded.
type CouponTerms struct {
	ValidFrom time.Time    `json:"valid_from"`
	ValidTo   *time.Time   `json:"valid_to" nullable:"true"`
	Total     *int64       `json:"total" nullable:"true" doc:"Orders that it may be used for; null: no limit"`
	PerUser   *int64       `json:"per_user" nullable:"true" doc:"The same of one user"`
	Plans     []int64      `json:"plans" doc:"Empty: all"`
	Months    []int        `json:"months" doc:"Periods, 0 for packages; empty: all"`
	FirstOnly bool         `json:"first_only" doc:"For the first order of a user"`
	Minimum   money.Amount `json:"minimum" doc:"Price from which on it counts"`
	Enabled   bool         `json:"enabled" doc:"Whether orders may begin with it; those that did keep it"`
}

// showCoupons names who made each coupon.
func showCoupons(ctx context.Context, a *account.Accounts, coupons ...shop.Coupon) ([]couponItem, error) {
	known, err := makersOf(ctx, a, coupons, func(c *shop.Coupon) []*int64 { return []*int64{c.MadeBy} })
	items := make([]couponItem, len(coupons))
	for i := range coupons {
		c := &coupons[i]
		items[i] = couponItem{
			ID: c.ID, Code: c.Code, Percent: c.Percent, CouponTerms: CouponTerms(c.Terms()), Taken: c.Taken,
			MadeBy: c.MadeBy, MadeByWho: known.emailOf(c.MadeBy), CreatedAt: c.CreatedAt,
			Waits: c.Waits, Declined: c.Declined, Proposed: (*CouponTerms)(c.Proposed),
		}
		if c.Percent == nil {
			items[i].Amount = &c.Amount
		}
	}
	return items, err
}

type couponList struct {
	Coupons    []couponItem `json:"coupons" doc:"Newest first"`
	TotalCount int64        `json:"total_count"`
}

// CouponChange is what a new coupon and a change have in common; exported because it is embedded.
type CouponChange struct {
	ValidFrom *time.Time      `json:"valid_from,omitempty" doc:"Of a new one now where it is not given"`
	ValidTo   *string         `json:"valid_to,omitempty" maxLength:"40" doc:"RFC 3339; empty: until it is switched off"`
	Total     *int64          `json:"total,omitempty" doc:"Orders that it may be used for; 0: no limit"`
	PerUser   *int64          `json:"per_user,omitempty" doc:"The same of one user; 0: no limit"`
	Plans     *[]int64        `json:"plans,omitempty" maxItems:"100" doc:"Empty: all"`
	Months    *[]int          `json:"months,omitempty" maxItems:"100" doc:"Periods, 0 for packages; empty: all"`
	FirstOnly *bool           `json:"first_only,omitempty"`
	Minimum   *v2.AmountInput `json:"minimum,omitempty" doc:"Price from which on it counts"`
	Enabled   *bool           `json:"enabled,omitempty" doc:"Whether orders may begin with it; those that did keep it"`
}

type newCouponBody struct {
	Code    string          `json:"code" maxLength:"32" doc:"3 to 32 letters, digits, - or _; case does not matter. It never changes, nor does what it takes off"`
	Percent *int            `json:"percent,omitempty"`
	Amount  *v2.AmountInput `json:"amount,omitempty"`
	CouponChange
}

// read returns what the change does to a coupon, or the fault of a time that is none.
func (b CouponChange) read() (func(*shop.Coupon), error) {
	var until *time.Time
	if b.ValidTo != nil && *b.ValidTo != "" {
		at, err := v2.ParseTime("valid_to", *b.ValidTo)
		if err != nil {
			return nil, err
		}
		until = &at
	}
	return func(c *shop.Coupon) {
		assign(&c.ValidFrom, b.ValidFrom)
		assign(&c.Plans, b.Plans)
		assign(&c.Months, b.Months)
		assign(&c.FirstOnly, b.FirstOnly)
		assign(&c.Enabled, b.Enabled)
		if b.ValidTo != nil {
			c.ValidTo = until
		}
		if b.Total != nil {
			c.Total = unlessNone(*b.Total)
		}
		if b.PerUser != nil {
			c.PerUser = unlessNone(*b.PerUser)
		}
		if b.Minimum != nil {
			c.Minimum = b.Minimum.Amount
		}
	}, nil
}

// Coupons adds, for staff, making coupons and changing them.
func Coupons(s *shop.Shop, a *account.Accounts) v2.Resource {
	show := func(ctx context.Context, c shop.Coupon, err error) (couponItem, error) {
		if err != nil {
			return couponItem{}, err
		}
		shown, err := showCoupons(ctx, a, c)
		return shown[0], err
	}
	return func(r *v2.Router) {
		v2.HandleMake(r, v2.StaffOp("POST /staff/coupons", permission.CouponWrite, approval.Coupon).
			Named("staff_coupon_make", "Make a coupon; it waits where a second member of staff must approve it"), "coupon",
			func(ctx context.Context, who account.Identity, in *v2.Body[newCouponBody]) (couponItem, error) {
				apply, err := in.Body.read()
				if err != nil {
					return couponItem{}, err
				}
				c := shop.Coupon{Code: in.Body.Code, Percent: in.Body.Percent, Enabled: true}
				if in.Body.Amount != nil {
					c.Amount = in.Body.Amount.Amount
				}
				apply(&c)
				made, err := s.AddCoupon(ctx, c, &who.UserID)
				return show(ctx, made, err)
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/coupons", permission.CouponRead).
			Named("staff_coupons_list", "The coupons"),
			func(ctx context.Context, _ account.Identity, in *part) (couponList, error) {
				versions, err := r.Versions(ctx, "coupon")
				if err != nil {
					return couponList{}, err
				}
				coupons, total, err := s.Coupons(ctx, in.Limit, in.Offset)
				if err != nil {
					return couponList{}, err
				}
				shown, err := showCoupons(ctx, a, coupons...)
				for i := range shown {
					shown[i].Version = versions.Of(shown[i].ID)
				}
				return couponList{shown, total}, err
			})

		v2.Handle(r, v2.StaffOp("GET /staff/coupons/{coupon_id}", permission.CouponRead).
			Named("staff_coupon_get", "A coupon"),
			func(ctx context.Context, _ account.Identity, in *struct {
				ID int64 `path:"coupon_id" minimum:"1"`
			},
			) (couponItem, error) {
				version, err := r.Version(ctx, audit.ID("coupon", in.ID))
				if err != nil {
					return couponItem{}, err
				}
				c, err := s.Coupon(ctx, in.ID)
				out, err := show(ctx, c, err)
				out.Version = version
				return out, err
			})

		type couponWish struct {
			ID   int64 `path:"coupon_id" minimum:"1"`
			Body CouponChange
		}
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/coupons/{coupon_id}", permission.CouponWrite, approval.Coupon).
			Named("staff_coupon_change",
				"Change when, how often and for what a coupon counts, or switch it off; orders that have it keep it"),
			func(in *couponWish) audit.Object { return audit.ID("coupon", in.ID) },
			func(ctx context.Context, in *couponWish) (couponItem, error) {
				c, err := s.Coupon(ctx, in.ID)
				return show(ctx, c, err)
			},
			func(ctx context.Context, who account.Identity, in *couponWish) (couponItem, error) {
				apply, err := in.Body.read()
				if err != nil {
					return couponItem{}, err
				}
				changed, err := s.ChangeCoupon(ctx, in.ID, apply, &who.UserID)
				return show(ctx, changed, err)
			})
	}
}
