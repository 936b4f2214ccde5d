package shop

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// AddCoupon puts a coupon into the shop. What it takes off all its orders at most counts as given by the member; beyond
// what they may give alone on a day it waits for a second one. by is nil for the operator.
func (s *Shop) AddCoupon(ctx context.Context, c Coupon, by *int64) (Coupon, error) {
	c.Code, c.Taken, c.MadeBy, c.CreatedAt, c.Proposed, c.Declined = normalCoupon(c.Code), 0, by, s.db.Now(), nil, false
	if c.ValidFrom.IsZero() {
		c.ValidFrom = c.CreatedAt
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c.ID, c.Waits = 0, true
		if err := c.settle(ctx, tx); err != nil {
			return err
		}
		n, err := db.Changed(tx.NewInsert().Model(&c).On("CONFLICT (code) DO NOTHING").Returning("id").Exec(ctx))
		if err == nil && n == 0 {
			err = fault.Invalid("code", "taken", "该优惠码已存在", "There is such a code already")
		}
		if err != nil {
			return err
		}
		alone, err := s.proposeCoupon(ctx, tx, &c, by)
		if err == nil && alone {
			c.Waits = false
			_, err = tx.NewUpdate().Model(&c).Column("waits").WherePK().Exec(ctx)
		}
		return err
	})
	return c, err
}

func (s *Shop) proposeCoupon(ctx context.Context, tx bun.Tx, c *Coupon, by *int64) (alone bool, err error) {
	worth, err := c.worth(ctx, tx, s.db.Now())
	if err != nil {
		return false, err
	}
	return s.approvals.Propose(ctx, tx, approval.Act{
		Kind: approval.Coupon, ReferenceID: c.ID, MadeBy: by, Worth: worth,
		Gives: c.recorded(),
	})
}

// ChangeCoupon lets change alter when, how often and for what a coupon counts, and whether it does. Its code and what
// it takes off the price stay, and no limit may be lower than what orders have used. A coupon that was declined does
// not change any more. A change by which it counts more often or for more counts as giving all uses that are left:
// beyond what the member may give alone on a day it is kept as Proposed until a second one approves it; meanwhile only
// changes that take away go through, in what is proposed too. by is nil for the operator.
func (s *Shop) ChangeCoupon(ctx context.Context, id int64, change func(*Coupon), by *int64) (c Coupon, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if c, err = lockCoupon(ctx, tx, id); err != nil {
			return err
		}
		switch {
		case c.Declined:
			return errCouponDeclined
		}
		waits := c.Waits || c.Proposed != nil
		now, wish := c, c
		change(&wish)
		c.setTerms(wish.Terms())
		if err := c.settle(ctx, tx); err != nil {
			return err
		}
		if err := c.coversUse(ctx, tx); err != nil {
			return err
		}
		more := c.more(&now)
		if more && waits {
			return ErrCouponWaits
		}
		if c.Proposed != nil { // so that its approval does not give back what was taken away
			wanted := now
			wanted.setTerms(*now.Proposed)
			change(&wanted)
			c.Proposed = new(wanted.Terms())
		}
		if more {
			alone, err := s.proposeCoupon(ctx, tx, &c, by)
			if err != nil {
				return err
			}
			if !alone {
				wanted := c.Terms()
				c = now
				c.Proposed = &wanted
			}
		}
		if _, err = tx.NewUpdate().Model(&c).WherePK().Exec(ctx); err != nil || more { // the act is in the audit log
			return err
		}
		return audit.Record(ctx, tx, "coupon.write", audit.ID("coupon", c.ID), now.recorded(), c.recorded(), "")
	})
	return c, err
}

// recordedCoupon is what of a coupon the audit log stores: what staff decides of it. Whether it waits is the act's to
// say, which is recorded before the coupon knows.
type recordedCoupon struct {
	Code    string
	Percent *int
	Amount  money.Amount
	CouponTerms
	Proposed *CouponTerms
}

func (c *Coupon) recorded() recordedCoupon {
	return recordedCoupon{
		Code: c.Code, Percent: c.Percent, Amount: c.Amount, CouponTerms: c.Terms(),
		Proposed: c.Proposed,
	}
}

// DecideCoupon approves or declines, as a second member of staff, a coupon or the change of one. What has come to be
// worth more than the act says is not approved. A declined coupon is dead for good; a declined change is forgotten. by
// is nil for the operator.
func (s *Shop) DecideCoupon(ctx context.Context, id int64, approve bool, by *int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		c, err := lockCoupon(ctx, tx, id)
		if err != nil {
			return err
		}
		act, err := s.approvals.Waits(ctx, tx, approval.Coupon, id)
		if err != nil {
			return err
		}
		if err := s.approvals.Decide(ctx, tx, approval.Coupon, id, approve, by); err != nil {
			return err
		}
		switch {
		case c.Proposed == nil && !approve:
			c.Enabled, c.Declined = false, true
		case c.Proposed != nil && approve:
			c.setTerms(*c.Proposed)
		}
		c.Waits, c.Proposed = false, nil
		if approve { // orders may have used it since the change was made
			if err := c.settle(ctx, tx); err != nil {
				return err
			}
			if err := c.coversUse(ctx, tx); err != nil {
				return err
			}
			worth, err := c.worth(ctx, tx, s.db.Now())
			if err == nil && worth > act.Worth {
				err = errCouponGrew
			}
			if err != nil {
				return err
			}
		}
		_, err = tx.NewUpdate().Model(&c).WherePK().Exec(ctx)
		return err
	})
}

// lockCoupon returns a coupon that no order takes and nobody changes until tx ends.
func lockCoupon(ctx context.Context, tx bun.Tx, id int64) (c Coupon, err error) {
	n, err := db.Changed(tx.NewUpdate().Model((*Coupon)(nil)).Set("taken = taken").Where("id = ?", id).Exec(ctx))
	if err != nil {
		return c, err
	}
	if n == 0 {
		return c, ErrNoCoupon
	}
	return c, tx.NewSelect().Model(&c).Where("id = ?", id).Scan(ctx)
}

// more reports whether the coupon counts more often or for more than it did.
func (c *Coupon) more(than *Coupon) bool {
	return c.Enabled && (!than.Enabled || c.ValidFrom.Before(than.ValidFrom) || c.Minimum < than.Minimum ||
		(than.FirstOnly && !c.FirstOnly) ||
		(than.ValidTo != nil && (c.ValidTo == nil || c.ValidTo.After(*than.ValidTo))) ||
		moreTimes(c.Total, than.Total) || moreTimes(c.PerUser, than.PerUser) || moreOf(c.Plans, than.Plans) ||
		moreOf(c.Months, than.Months))
}

// moreTimes compares two limits, of which nil is none.
func moreTimes(limit, than *int64) bool { return than != nil && (limit == nil || *limit > *than) }

// moreOf compares two lists of what a coupon is for, of which an empty one is everything.
func moreOf[T comparable](list, than []T) bool {
	return len(than) > 0 && (len(list) == 0 ||
		slices.ContainsFunc(list, func(v T) bool { return !slices.Contains(than, v) }))
}

// Coupons returns a part of all coupons, newest first, and how many there are in all.
func (s *Shop) Coupons(ctx context.Context, limit, offset int64) (coupons []Coupon, total int64, err error) {
	total, err = s.db.NewSelect().Model(&coupons).OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return coupons, total, err
}

// Coupon returns a coupon: ErrNoCoupon.
func (s *Shop) Coupon(ctx context.Context, id int64) (c Coupon, err error) {
	err = s.db.NewSelect().Model(&c).Where("id = ?", id).Scan(ctx)
	return c, db.OrMissing(err, ErrNoCoupon)
}

// settle checks the coupon and brings it into the form in which it is kept.
func (c *Coupon) settle(ctx context.Context, tx bun.Tx) error {
	c.Plans, c.Months = slices.Compact(slices.Sorted(slices.Values(c.Plans))),
		slices.Compact(slices.Sorted(slices.Values(c.Months)))
	c.Plans, c.Months = append([]int64{}, c.Plans...), append([]int{}, c.Months...)
	c.ValidFrom = c.ValidFrom.UTC().Truncate(time.Millisecond)
	if c.ValidTo != nil {
		c.ValidTo = new(c.ValidTo.UTC().Truncate(time.Millisecond))
	}
	if err := c.check(); err != nil {
		return err
	}
	known, err := tx.NewSelect().Model((*Plan)(nil)).Where("id IN (?)", bun.List(append(slices.Clone(c.Plans), 0))).
		Count(ctx)
	if err == nil && known != int64(len(c.Plans)) {
		err = fault.Invalid("plans", "unknown", "没有这个套餐", "There is no such plan")
	}
	return err
}

var couponCode = regexp.MustCompile(`^[A-Z0-9_-]{3,32}$`)

func (c *Coupon) check() error {
	switch {
	case !couponCode.MatchString(c.Code):
		return fault.Invalid("code", "format", "优惠码须为 3 到 32 个字母、数字、- 或 _",
			"A code has 3 to 32 letters, digits, - or _")
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
		return fault.Invalid("per_user", "range", "每人次数须大于零；不限请留空",
			"The limit per user must be above zero; leave it out for none")
	case c.Minimum < 0 || c.Minimum > 1e11:
		return fault.Invalid("minimum", "range", "最低金额不能为负", "The minimum must not be negative")
	}
	return nil
}

// coversUse is a fault where orders have used the coupon more often than its limits are now.
func (c *Coupon) coversUse(ctx context.Context, tx bun.Tx) error {
	if c.Total != nil && *c.Total < c.Taken {
		return fault.Invalid("total", "used", fmt.Sprintf("已使用 %d 次，总次数不能更少；可停用此优惠码", c.Taken),
			fmt.Sprintf("It was used %d times, so the limit cannot be lower; you can switch it off", c.Taken))
	}
	if c.PerUser == nil {
		return nil
	}
	var maxUsed int64
	err := tx.NewRaw(`SELECT COALESCE(MAX(n), 0) FROM (SELECT COUNT(*) AS n FROM shop_order WHERE coupon_id = ?
		AND state IN (?, ?, ?) GROUP BY user_id) AS used`,
		c.ID, Pending, Paid, Refunded).Scan(ctx, &maxUsed)
	if err == nil && *c.PerUser < maxUsed {
		err = fault.Invalid("per_user", "used", fmt.Sprintf("已有用户使用 %d 次，每人次数不能更少", maxUsed),
			fmt.Sprintf("A user has used it %d times, so the limit cannot be lower", maxUsed))
	}
	return err
}
