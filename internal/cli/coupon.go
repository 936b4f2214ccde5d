package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

type couponCommand struct {
	Add    couponAdd    `cmd:"" help:"Make a coupon."`
	List   couponList   `cmd:"" help:"List the coupons as JSON."`
	Change couponChange `cmd:"" help:"Change a coupon or switch it off; orders that have it keep it."`
}

// couponFields are the parts of a coupon that both add and change take; what is not given stays as it is.
type couponFields struct {
	From      *string `help:"When it begins, as 2026-12-01T00:00:00Z; of a new one now by default."`
	Until     *string `help:"When it ends; empty: when somebody switches it off."`
	Total     *int64  `help:"Orders that it may be used for; 0: no limit."`
	PerUser   *int64  `help:"The same of one user; 0: no limit."`
	Plans     *string `help:"Numbers of the plans that it is for, as 1,2; empty: all."`
	Months    *string `help:"Periods that it is for, as 1,12, 0 for packages; empty: all."`
	FirstOnly *bool   `help:"For the first order of a user only." negatable:""`
	Minimum   *string `help:"Price from which on it counts."`
	Enabled   *bool   `help:"Whether orders may begin with it." negatable:""`
}

// change returns what the fields do to a coupon.
func (f couponFields) change() (func(*shop.Coupon), error) {
	from, err1 := parsed("from", f.From, moment)
	until, err2 := parsed("until", f.Until, moment)
	plans, err3 := parsed("plans", f.Plans, numbers[int64])
	months, err4 := parsed("months", f.Months, numbers[int])
	minimum, err5 := parsed("minimum", f.Minimum, money.Parse)
	return func(c *shop.Coupon) {
		set(&c.ValidFrom, from)
		set(&c.Plans, plans)
		set(&c.Months, months)
		set(&c.FirstOnly, f.FirstOnly)
		set(&c.Minimum, minimum)
		set(&c.Enabled, f.Enabled)
		if until != nil {
			c.ValidTo = unless(*until, time.Time{})
		}
		if f.Total != nil {
			c.Total = unless(*f.Total, 0)
		}
		if f.PerUser != nil {
			c.PerUser = unless(*f.PerUser, 0)
		}
	}, errors.Join(err1, err2, err3, err4, err5)
}

// moment reads a time; the empty text is the zero one.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}

// numbers reads a list as 1,2,3.
func numbers[T int | int64](text string) (list []T, err error) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is no number", part)
		}
		list = append(list, T(n))
	}
	return list, nil
}

type couponAdd struct {
	Code    string  `arg:"" help:"3 to 32 letters, digits, - or _; case does not matter."`
	Percent int     `help:"Percent off the price."`
	Amount  *string `help:"Money off the price, as 5.00."`
	couponFields
}

func (c couponAdd) Run(ctx context.Context, cfg *app.Config) error {
	change, err := c.change()
	amount, wrong := parsed("amount", c.Amount, money.Parse)
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	return open(ctx, cfg, func(a *app.App) error {
		coupon := shop.Coupon{Code: c.Code, Percent: unless(c.Percent, 0), Enabled: true}
		set(&coupon.Amount, amount)
		change(&coupon)
		made, err := a.Shop.AddCoupon(ctx, coupon, nil)
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type couponList struct {
	part
}

func (c couponList) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return all(a.Shop.Coupons(ctx, int64(c.Limit), int64(c.Offset)))
	})
}

type couponChange struct {
	ID int64 `arg:"" help:"Number of the coupon, as the list has it."`
	couponFields
}

func (c couponChange) Run(ctx context.Context, cfg *app.Config) error {
	change, err := c.change()
	if err != nil {
		return err
	}
	return show(ctx, cfg, func(a *app.App) (any, error) { return a.Shop.ChangeCoupon(ctx, c.ID, change, nil) })
}
