package shop

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

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
	ValidTo       *time.Time // nil: until staff ends it
	Total         *int64     // orders that it may be used for; nil: no limit
	PerUser       *int64     // the same of one user
	Plans         []int64    `bun:"type:jsonb"` // ids; empty: all
	Months        []int      `bun:"type:jsonb"` // periods, 0 for packages; empty: all
	FirstOnly     bool       // for the first order of a user
	Minimum       money.Amount
	Taken         int64 // by orders that wait and orders that are paid
	MadeBy        *int64
	CreatedAt     time.Time
	EndedAt       *time.Time
}

// Faults of coupons, all of the field "coupon".
var (
	errNoCoupon     = fault.Invalid("coupon", "unknown", "没有这个优惠码，或已停用", "There is no such coupon, or it has ended")
	errCouponEarly  = fault.Invalid("coupon", "not_yet", "该优惠码尚未生效", "This coupon is not valid yet")
	errCouponLate   = fault.Invalid("coupon", "expired", "该优惠码已过期", "This coupon has expired")
	errCouponPlan   = fault.Invalid("coupon", "other_plan", "该优惠码不适用于此商品或时长", "This coupon is not for this plan or period")
	errCouponGone   = fault.Invalid("coupon", "used_up", "该优惠码已被领完", "This coupon has been used up")
	errCouponEnough = fault.Invalid("coupon", "per_user", "您使用该优惠码的次数已达上限", "You have used this coupon as often as one may")
	errCouponFirst  = fault.Invalid("coupon", "first_only", "该优惠码仅限首次购买", "This coupon is for a first purchase only")

	ErrNoCoupon = fault.NotFound("coupon_not_found", "没有这个优惠码", "There is no such coupon")
)

func normalCoupon(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// discount reckons the coupon that the purchase names into the quote.
func (s *Shop) discount(ctx context.Context, idb bun.IDB, userID int64, p Purchase, q *Quote) error {
	code := normalCoupon(p.Coupon)
	if code == "" {
		return nil
	}
	var found []Coupon
	if err := idb.NewSelect().Model(&found).Where("code = ? AND ended_at IS NULL", code).Scan(ctx); err != nil {
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
	case (len(c.Plans) > 0 && !slices.Contains(c.Plans, q.Price.PlanID)) || (len(c.Months) > 0 && !slices.Contains(c.Months, q.Price.Months)):
		return errCouponPlan
	case q.Price.Amount < c.Minimum:
		return fault.Invalid("coupon", "minimum", "该优惠码需满 "+c.Minimum.String()+" 才能使用", "This coupon counts from a price of "+c.Minimum.String()+" on")
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

// takeCoupon reserves the coupon for one more order. Its row stays locked until tx ends.
func takeCoupon(ctx context.Context, tx bun.Tx, c *Coupon) error {
	if c == nil {
		return nil
	}
	n, err := db.Changed(tx.NewUpdate().Model((*Coupon)(nil)).Set("taken = taken + 1").
		Where("id = ? AND ended_at IS NULL AND (total IS NULL OR taken < total)", c.ID).Exec(ctx))
	if err == nil && n == 0 {
		err = errCouponGone
	}
	return err
}

// giveBackCoupon frees what an order that ended unpaid had reserved.
func giveBackCoupon(ctx context.Context, tx bun.Tx, o *Order) error {
	if o.CouponID == nil {
		return nil
	}
	_, err := tx.NewUpdate().Model((*Coupon)(nil)).Set("taken = taken - 1").Where("id = ?", *o.CouponID).Exec(ctx)
	return err
}

// mayUse is a fault where this user has used the coupon often enough, or bought before. Pending orders count.
func mayUse(ctx context.Context, idb bun.IDB, userID int64, c *Coupon) error {
	if c == nil {
		return nil
	}
	orders := func() *bun.SelectQuery {
		return idb.NewSelect().Model((*Order)(nil)).Where("user_id = ? AND state IN (?, ?, ?)", userID, Pending, Paid, Refunded)
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

var couponCode = regexp.MustCompile(`^[A-Z0-9_-]{3,32}$`)

func (c *Coupon) check() error {
	switch {
	case !couponCode.MatchString(c.Code):
		return fault.Invalid("code", "format", "优惠码须为 3 到 32 个字母、数字、- 或 _", "A code has 3 to 32 letters, digits, - or _")
	case (c.Percent == nil) == (c.Amount == 0):
		return fault.Invalid("percent", "choice", "请填写折扣百分比或减免金额之一", "Please give either a percentage or an amount")
	case c.Percent != nil && (*c.Percent < 1 || *c.Percent > 100):
		return fault.Invalid("percent", "range", "百分比须在 1 到 100 之间", "The percentage is from 1 to 100")
	case c.Amount < 0 || c.Amount > 1e11:
		return fault.Invalid("amount", "range", "金额须大于零", "The amount must be above zero")
	case c.ValidTo != nil && !c.ValidTo.After(c.ValidFrom):
		return fault.Invalid("valid_to", "range", "结束时间必须晚于开始时间", "The end must be after the start")
	case c.Total != nil && *c.Total < 1:
		return fault.Invalid("total", "range", "总次数须大于零；不限请留空", "The limit must be above zero; leave it out for none")
	case c.PerUser != nil && *c.PerUser < 1:
		return fault.Invalid("per_user", "range", "每人次数须大于零；不限请留空", "The limit per user must be above zero; leave it out for none")
	case c.Minimum < 0 || c.Minimum > 1e11:
		return fault.Invalid("minimum", "range", "最低金额不能为负", "The minimum must not be negative")
	}
	return nil
}

// AddCoupon puts a coupon into the shop. by is the member of staff, nil the operator.
func (s *Shop) AddCoupon(ctx context.Context, c Coupon, by *int64) (Coupon, error) {
	now := s.db.Now()
	c.Code, c.Taken, c.MadeBy, c.CreatedAt, c.EndedAt = normalCoupon(c.Code), 0, by, now, nil
	c.Plans, c.Months = append([]int64{}, c.Plans...), append([]int{}, c.Months...)
	if c.ValidFrom.IsZero() {
		c.ValidFrom = now
	}
	c.ValidFrom = c.ValidFrom.UTC().Truncate(time.Millisecond)
	if c.ValidTo != nil {
		c.ValidTo = new(c.ValidTo.UTC().Truncate(time.Millisecond))
	}
	if err := c.check(); err != nil {
		return c, err
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c.ID = 0
		known, err := tx.NewSelect().Model((*Plan)(nil)).Where("id IN (?)", bun.List(append(c.Plans, 0))).Count(ctx)
		if err != nil {
			return err
		}
		if known != int64(len(slices.Compact(slices.Sorted(slices.Values(c.Plans))))) {
			return fault.Invalid("plans", "unknown", "没有这个套餐", "There is no such plan")
		}
		n, err := db.Changed(tx.NewInsert().Model(&c).On("CONFLICT (code) DO NOTHING").Returning("id").Exec(ctx))
		if err == nil && n == 0 {
			err = fault.Invalid("code", "taken", "该优惠码已存在", "There is such a code already")
		}
		return err
	})
	return c, err
}

// EndCoupon lets nobody use the coupon any more. Orders that have it keep it.
func (s *Shop) EndCoupon(ctx context.Context, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*Coupon)(nil)).Set("ended_at = COALESCE(ended_at, ?)", s.db.Now()).Where("id = ?", id).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoCoupon
		}
		return err
	})
}

// Coupons gives a part of all coupons, newest first, and how many there are in all.
func (s *Shop) Coupons(ctx context.Context, limit, offset int64) (coupons []Coupon, total int64, err error) {
	total, err = s.db.NewSelect().Model(&coupons).OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return coupons, total, err
}
