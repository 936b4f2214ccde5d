package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"airstrip/internal/app"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

type planCommand struct {
	Add    planAdd    `cmd:"" help:"Put a plan or a traffic package into the shop."`
	List   planList   `cmd:"" help:"List the shop's plans as JSON."`
	Change planChange `cmd:"" help:"Change a plan; what was sold stays as it was sold."`
	Remove planRemove `cmd:"" help:"Take a plan out of the shop for good."`
}

// planFields are the parts of a plan that both add and change take; what is not given stays as it is.
type planFields struct {
	Name    *string  `help:"Name that buyers see."`
	NameZH  *string  `name:"name-zh" help:"Its name in Chinese; empty: --name."`
	NameEN  *string  `name:"name-en" help:"Its name in English; empty: --name."`
	Info    *string  `help:"A line about it."`
	InfoZH  *string  `name:"info-zh" help:"The same in Chinese; empty: --info."`
	InfoEN  *string  `name:"info-en" help:"The same in English; empty: --info."`
	QuotaGB *float64 `name:"quota-gb" help:"Traffic in GB (1024³ bytes) per cycle, of a package once; 0: unlimited."`
	Reset   *string  `help:"calendar_month, anniversary or never."`
	Class   *int     `help:"Class that it gives."`
	Groups  []int    `help:"Node groups that it opens." sep:","`
	Speed   *int     `help:"Mbit/s for a user; 0: no limit."`
	Devices *int     `help:"Devices at the same time; 0: no limit."`
	Days    *int     `help:"Days that a package lives; 0: until it is used up."`
	Stock   *int64   `help:"How many are left to sell; -1: no end."`
	PerUser *int     `help:"How often one user may buy it; 0: no limit."`
	Hidden  *bool    `help:"Not for sale; can be renewed all the same."`
	Sort    *int     `help:"Place in the shop, lowest first."`
	Price   []string `help:"MONTHS=AMOUNT, as 1=15.00; a package's price is a plain amount. Replaces all prices." sep:"none"`
}

func (f planFields) apply(p *shop.Plan) error {
	set(&p.Name, f.Name)
	set(&p.Info, f.Info)
	p.Names = p.Names.With(fault.ZH, f.NameZH).With(fault.EN, f.NameEN)
	p.Infos = p.Infos.With(fault.ZH, f.InfoZH).With(fault.EN, f.InfoEN)
	set(&p.Class, f.Class)
	set(&p.Sort, f.Sort)
	set(&p.Reset, (*service.Reset)(f.Reset))
	if f.QuotaGB != nil {
		bytes := int64(*f.QuotaGB * (1 << 30))
		p.TrafficBytes = unless(bytes, 0)
	}
	if f.Groups != nil {
		p.Groups = f.Groups
	}
	if f.Speed != nil {
		p.SpeedMbps = unless(*f.Speed, 0)
	}
	if f.Devices != nil {
		p.Devices = unless(*f.Devices, 0)
	}
	if f.Days != nil {
		p.ValidDays = unless(*f.Days, 0)
	}
	if f.Stock != nil {
		p.Stock = unless(*f.Stock, -1)
	}
	if f.PerUser != nil {
		p.PerUser = unless(*f.PerUser, 0)
	}
	if f.Hidden != nil {
		p.Visible = !*f.Hidden
	}
	if f.Price == nil {
		return nil
	}
	p.Prices = nil
	for _, text := range f.Price {
		months, amount, timed := strings.Cut(text, "=")
		if !timed {
			months, amount = "0", text
		}
		n, err := strconv.Atoi(months)
		if err != nil {
			return fmt.Errorf("--price %q: the months must be a number", text)
		}
		a, err := money.Parse(amount)
		if err != nil {
			return fmt.Errorf("--price %q: %w", text, err)
		}
		p.Prices = append(p.Prices, shop.Price{Months: n, Amount: a})
	}
	return nil
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// unless returns a pointer to v, or nil where v is the word for none.
func unless[T comparable](v, none T) *T {
	if v == none {
		return nil
	}
	return &v
}

type planAdd struct {
	planFields
	Package bool `help:"A traffic package instead of a plan for a period."`
}

func (c planAdd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		p := shop.Plan{Kind: shop.KindPlan, Reset: service.Anniversary, Visible: true, Renewable: true}
		if c.Package {
			p.Kind, p.Reset, p.Renewable = shop.KindPackage, service.Never, false
		}
		if err := c.apply(&p); err != nil {
			return err
		}
		made, err := a.Shop.AddPlan(ctx, p)
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type planList struct{}

func (planList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		plans, err := a.Shop.ListPlans(ctx)
		if err != nil {
			return err
		}
		return printJSON(plans)
	})
}

type planChange struct {
	ID int64 `arg:""`
	planFields
}

func (c planChange) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		var wrong error
		made, err := a.Shop.ChangePlan(ctx, c.ID, func(p *shop.Plan) { wrong = c.apply(p) })
		if wrong != nil {
			return wrong
		}
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type planRemove struct {
	ID int64 `arg:""`
}

func (c planRemove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Shop.RemovePlan(ctx, c.ID) })
}
