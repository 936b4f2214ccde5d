package main

import (
	"context"
	"fmt"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

type couponCommand struct {
	Add  couponAdd  `cmd:"" help:"Make a coupon."`
	List couponList `cmd:"" help:"List the coupons as JSON."`
	End  couponEnd  `cmd:"" help:"Let nobody use a coupon any more; orders that have it keep it."`
}

type couponAdd struct {
	Code      string    `arg:"" help:"3 to 32 letters, digits, - or _; case does not matter."`
	Percent   int       `help:"Percent off the price."`
	Amount    string    `help:"Money off the price, as 5.00."`
	From      time.Time `help:"When it begins; now by default."`
	Until     time.Time `help:"When it ends, as 2026-12-31T16:00:00Z; without it when somebody ends it."`
	Total     int64     `help:"Orders that it may be used for; 0: no limit."`
	PerUser   int64     `help:"The same of one user; 0: no limit."`
	Plans     []int64   `help:"Numbers of the plans that it is for; all by default." sep:","`
	Months    []int     `help:"Periods that it is for, 0 for packages; all by default." sep:","`
	FirstOnly bool      `help:"For the first order of a user only."`
	Minimum   string    `default:"0" help:"Price from which on it counts."`
}

func (c couponAdd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		coupon := shop.Coupon{
			Code: c.Code, Percent: unless(c.Percent, 0), ValidFrom: c.From, Total: unless(c.Total, 0), PerUser: unless(c.PerUser, 0),
			Plans: c.Plans, Months: c.Months, FirstOnly: c.FirstOnly,
		}
		if !c.Until.IsZero() {
			coupon.ValidTo = &c.Until
		}
		for name, field := range map[string]struct {
			text string
			into *money.Amount
		}{"amount": {c.Amount, &coupon.Amount}, "minimum": {c.Minimum, &coupon.Minimum}} {
			if field.text == "" {
				continue
			}
			var err error
			if *field.into, err = money.Parse(field.text); err != nil {
				return fmt.Errorf("--%s %q: %w", name, field.text, err)
			}
		}
		made, err := a.Shop.AddCoupon(ctx, coupon, nil)
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type couponList struct {
	Limit  int64 `default:"100"`
	Offset int64
}

func (c couponList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		coupons, _, err := a.Shop.Coupons(ctx, c.Limit, c.Offset)
		if err != nil {
			return err
		}
		return printJSON(coupons)
	})
}

type couponEnd struct {
	ID int64 `arg:"" help:"Number of the coupon, as the list has it."`
}

func (c couponEnd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Shop.EndCoupon(ctx, c.ID) })
}
