package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

type couponItem struct {
	ID        int64         `json:"id"`
	Code      string        `json:"code"`
	Percent   *int          `json:"percent" nullable:"true" doc:"Off the price; null: amount is"`
	Amount    *money.Amount `json:"amount,omitempty" doc:"Off the price; absent: percent is"`
	ValidFrom time.Time     `json:"valid_from"`
	ValidTo   *time.Time    `json:"valid_to" nullable:"true"`
	Total     *int64        `json:"total" nullable:"true" doc:"Orders that it may be used for; null: no limit"`
	PerUser   *int64        `json:"per_user" nullable:"true" doc:"The same of one user"`
	Plans     []int64       `json:"plans" doc:"Empty: all"`
	Months    []int         `json:"months" doc:"Periods, 0 for packages; empty: all"`
	FirstOnly bool          `json:"first_only" doc:"For the first order of a user"`
	Minimum   money.Amount  `json:"minimum" doc:"Price from which on it counts"`
	Taken     int64         `json:"taken" doc:"By orders that wait and orders that are paid"`
	MadeBy    *int64        `json:"made_by" nullable:"true" doc:"Id of the member of staff; null: at the command line"`
	CreatedAt time.Time     `json:"created_at"`
	EndedAt   *time.Time    `json:"ended_at" nullable:"true"`
}

func newCouponItem(c *shop.Coupon) couponItem {
	out := couponItem{
		ID: c.ID, Code: c.Code, Percent: c.Percent, ValidFrom: c.ValidFrom, ValidTo: c.ValidTo, Total: c.Total, PerUser: c.PerUser, Plans: c.Plans, Months: c.Months,
		FirstOnly: c.FirstOnly, Minimum: c.Minimum, Taken: c.Taken, MadeBy: c.MadeBy, CreatedAt: c.CreatedAt, EndedAt: c.EndedAt,
	}
	if c.Percent == nil {
		out.Amount = &c.Amount
	}
	return out
}

type couponList struct {
	Coupons    []couponItem `json:"coupons" doc:"Newest first"`
	TotalCount int64        `json:"total_count"`
}

type couponBody struct {
	Code      string       `json:"code" maxLength:"32" doc:"3 to 32 letters, digits, - or _; case does not matter"`
	Percent   *int         `json:"percent,omitempty" nullable:"true"`
	Amount    *AmountInput `json:"amount,omitempty"`
	ValidFrom *time.Time   `json:"valid_from,omitempty" nullable:"true" doc:"Now where it is not given"`
	ValidTo   *time.Time   `json:"valid_to,omitempty" nullable:"true"`
	Total     *int64       `json:"total,omitempty" nullable:"true"`
	PerUser   *int64       `json:"per_user,omitempty" nullable:"true"`
	Plans     []int64      `json:"plans,omitempty" maxItems:"100"`
	Months    []int        `json:"months,omitempty" maxItems:"100"`
	FirstOnly bool         `json:"first_only,omitempty"`
	Minimum   *AmountInput `json:"minimum,omitempty"`
}

// Coupons adds, for staff, making coupons and ending them.
func Coupons(s *shop.Shop) Resource {
	return func(r *Router) {
		handle(r, op{method: http.MethodPost, path: "/staff/coupons", id: "staff_coupon_make", tag: "staff", access: staff, roles: forMoney, summary: "Make a coupon"},
			func(ctx context.Context, who account.Identity, in *body[couponBody]) (couponItem, error) {
				b := in.Body
				c := shop.Coupon{
					Code: b.Code, Percent: b.Percent, ValidTo: b.ValidTo, Total: b.Total, PerUser: b.PerUser, Plans: b.Plans, Months: b.Months, FirstOnly: b.FirstOnly,
				}
				if b.Amount != nil {
					c.Amount = b.Amount.Amount
				}
				if b.Minimum != nil {
					c.Minimum = b.Minimum.Amount
				}
				if b.ValidFrom != nil {
					c.ValidFrom = *b.ValidFrom
				}
				made, err := s.AddCoupon(ctx, c, &who.UserID)
				if err != nil {
					return couponItem{}, err
				}
				return newCouponItem(&made), nil
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		handle(r, op{method: http.MethodGet, path: "/staff/coupons", id: "staff_coupons_list", tag: "staff", access: staff, roles: forMoney, summary: "The coupons"},
			func(ctx context.Context, _ account.Identity, in *part) (couponList, error) {
				coupons, total, err := s.Coupons(ctx, in.Limit, in.Offset)
				out := couponList{[]couponItem{}, total}
				for i := range coupons {
					out.Coupons = append(out.Coupons, newCouponItem(&coupons[i]))
				}
				return out, err
			})
		handle(r, op{method: http.MethodPost, path: "/staff/coupons/{coupon_id}/end", id: "staff_coupon_end", tag: "staff", access: staff, roles: forMoney, summary: "Let nobody use a coupon any more; orders that have it keep it"},
			func(ctx context.Context, _ account.Identity, in *struct {
				ID int64 `path:"coupon_id"`
			},
			) (Empty, error) {
				return Empty{}, s.EndCoupon(ctx, in.ID)
			})
	}
}
