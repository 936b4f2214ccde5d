package shop

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// Coupon lowers the price of orders. The orders that name it are its uses: a pending one reserves it, a paid one has
// spent it, and one that ended unpaid has given it back.
type Coupon struct {
	bun.BaseModel `bun:"table:coupon"`
	ID            int64        `bun:",pk,autoincrement"`
	Code          string       // upper case
	Percent       *int         // off the price; nil: Amount is
	Amount        money.Amount `bun:",nullzero"`
	ValidFrom     time.Time
	ValidTo       *time.Time // nil: until staff switches it off
	Total         *int64     // orders that it may be used for; nil: no limit
	PerUser       *int64     // the same of one user
	Plans         []int64    `bun:"type:jsonb"` // ids; empty: all
	Months        []int      `bun:"type:jsonb"` // periods, 0 for packages; empty: all
	FirstOnly     bool       // for the first order of a user
	Minimum       money.Amount
	Taken         int64 // by orders that wait and orders that are paid
	MadeBy        *int64
	CreatedAt     time.Time
	Enabled       bool         // whether orders may begin with it; those that did keep it
	Waits         bool         // for a second member of staff; no order takes it before
	Proposed      *CouponTerms `bun:"type:jsonb"` // a change that waits for one; nil: none
	Declined      bool         // by a second member: nobody uses or changes it any more
}

// CouponTerms are what a change of a coupon may alter: when, how often and for what it counts, as a Coupon has them.
type CouponTerms struct {
	ValidFrom time.Time    `json:"valid_from"`
	ValidTo   *time.Time   `json:"valid_to"`
	Total     *int64       `json:"total"`
	PerUser   *int64       `json:"per_user"`
	Plans     []int64      `json:"plans"`
	Months    []int        `json:"months"`
	FirstOnly bool         `json:"first_only"`
	Minimum   money.Amount `json:"minimum"`
	Enabled   bool         `json:"enabled"`
}

// Terms returns what a change of the coupon may alter.
func (c *Coupon) Terms() CouponTerms {
	return CouponTerms{c.ValidFrom, c.ValidTo, c.Total, c.PerUser, c.Plans, c.Months, c.FirstOnly, c.Minimum, c.Enabled}
}

func (c *Coupon) setTerms(t CouponTerms) {
	c.ValidFrom, c.ValidTo, c.Total, c.PerUser, c.Plans, c.Months = t.ValidFrom, t.ValidTo, t.Total, t.PerUser, t.Plans,
		t.Months
	c.FirstOnly, c.Minimum, c.Enabled = t.FirstOnly, t.Minimum, t.Enabled
}

// Faults of coupons, all of the field "coupon".
var (
	errNoCoupon = fault.Invalid("coupon", "unknown", "没有这个优惠码，或已停用",
		"There is no such coupon, or it is switched off")
	errCouponEarly = fault.Invalid("coupon", "not_yet", "该优惠码尚未生效", "This coupon is not valid yet")
	errCouponLate  = fault.Invalid("coupon", "expired", "该优惠码已过期", "This coupon has expired")
	errCouponPlan  = fault.Invalid("coupon", "other_plan", "该优惠码不适用于此商品或时长",
		"This coupon is not for this plan or period")
	errCouponGone   = fault.Invalid("coupon", "used_up", "该优惠码已被领完", "This coupon has been used up")
	errCouponEnough = fault.Invalid("coupon", "per_user", "你使用该优惠码的次数已达上限",
		"You have used this coupon as often as one may")
	errCouponOwn = fault.Invalid("coupon", "own", "该优惠码由你创建、修改或确认，不能由你使用",
		"You made, changed or approved this coupon, so you cannot use it")
	errCouponFirst = fault.Invalid("coupon", "first_only", "该优惠码仅限首次购买", "This coupon is for a first purchase only")

	errCouponDeclined = fault.Conflict("coupon_declined", "该优惠码已被拒绝，不能再修改或启用；请创建新的优惠码",
		"This coupon was declined, so it can neither change nor be switched on; please make another one")
	errCouponGrew = fault.Conflict("coupon_grew", "该优惠码现在的价值已超过提交时的价值；请拒绝，然后重新提交",
		"This coupon, or the change of it, is worth more now than when it was made. Decline it and make it anew")

	ErrNoCoupon    = fault.NotFound("coupon_not_found", "没有这个优惠码", "There is no such coupon")
	ErrCouponWaits = fault.Conflict("coupon_waits", "该优惠码或其修改正在等待另一位工作人员确认",
		"This coupon, or a change of it, waits for a second member of staff")
)

func normalCoupon(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// discount reckons the coupon that the purchase names into the quote.
func (s *Shop) discount(ctx context.Context, idb bun.IDB, userID int64, p Purchase, q *Quote) error {
	code := normalCoupon(p.Coupon)
	if code == "" {
		return nil
	}
	var found []Coupon
	if err := idb.NewSelect().Model(&found).Where("code = ? AND enabled AND NOT waits", code).Scan(ctx); err != nil {
		return err
	}
	if len(found) == 0 {
		if err := s.guesses.Allow(strconv.FormatInt(userID, 10)); err != nil {
			return err
		}
		return errNoCoupon
	}
	c, now := &found[0], s.db.Now()
	switch {
	case now.Before(c.ValidFrom):
		return errCouponEarly
	case c.ValidTo != nil && !now.Before(*c.ValidTo):
		return errCouponLate
	case (len(c.Plans) > 0 && !slices.Contains(c.Plans, q.Price.PlanID)) ||
		(len(c.Months) > 0 && !slices.Contains(c.Months, q.Price.Months)):
		return errCouponPlan
	case q.Price.Amount < c.Minimum:
		return fault.Invalid("coupon", "minimum", "该优惠码需满 "+c.Minimum.String()+" 才能使用",
			"This coupon counts from a price of "+c.Minimum.String()+" on")
	}
	off := min(c.Amount, q.Price.Amount)
	if c.Percent != nil {
		var err error
		if off, err = q.Price.Amount.Share(int64(*c.Percent), 100); err != nil { // rounded down
			return err
		}
	}
	q.coupon, q.Discount, q.Amount = c, off, q.Price.Amount-off
	return nil
}

// reserveCoupon reserves the coupon for one more order and brings c up to what staff made of it meanwhile. Its row
// stays locked until tx ends.
func reserveCoupon(ctx context.Context, tx bun.Tx, c *Coupon) error {
	if c == nil {
		return nil
	}
	n, err := db.Changed(tx.NewUpdate().Model(c).Set("taken = taken + 1").
		Where("id = ? AND enabled AND NOT waits AND (total IS NULL OR taken < total)", c.ID).Returning("*").Exec(ctx))
	if err == nil && n == 0 {
		err = errCouponGone
	}
	return err
}

// releaseCoupon frees what an order that ended unpaid had reserved.
func releaseCoupon(ctx context.Context, tx bun.Tx, o *Order) error {
	if o.CouponID == nil {
		return nil
	}
	_, err := tx.NewUpdate().Model((*Coupon)(nil)).Set("taken = taken - 1").Where("id = ?", *o.CouponID).Exec(ctx)
	return err
}

// mayUse is a fault where this user made or approved the coupon, has used it often enough, or bought before. Pending
// orders count.
func (s *Shop) mayUse(ctx context.Context, idb bun.IDB, userID int64, c *Coupon) error {
	if c == nil {
		return nil
	}
	own, err := s.approvals.Gave(ctx, idb, approval.Coupon, c.ID, userID)
	if err != nil {
		return err
	}
	if own || (c.MadeBy != nil && *c.MadeBy == userID) {
		return errCouponOwn
	}
	orders := func() *bun.SelectQuery {
		return idb.NewSelect().Model((*Order)(nil)).Where("user_id = ? AND state IN (?, ?, ?)", userID, Pending, Paid,
			Refunded)
	}
	if c.PerUser != nil {
		n, err := orders().Where("coupon_id = ?", c.ID).Count(ctx)
		if err != nil {
			return err
		}
		if n >= *c.PerUser {
			return errCouponEnough
		}
	}
	if c.FirstOnly {
		before, err := orders().Exists(ctx)
		if err != nil {
			return err
		}
		if before {
			return errCouponFirst
		}
	}
	return nil
}
