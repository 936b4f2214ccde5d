package console

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/listing"
	"airstrip/internal/money"
	"airstrip/internal/permission"
)

// Period is the time that figures are about, and the one before that they are compared with. Both are as long, so that
// a day that is not over is compared with the same hours.
type Period struct {
	From, To time.Time
	Before   time.Time // when the period before begins
	Zone     *time.Location
}

// PeriodOf returns the last days of the site's time zone, of which today is one, up to now.
func (c *Console) PeriodOf(days int) Period {
	now := c.db.Now()
	today := dayOf(now.In(c.zone()))
	return Period{today.AddDate(0, 0, 1-days).UTC(), now, today.AddDate(0, 0, 1-2*days).UTC(), c.zone()}
}

// maxDays is how long a period may be.
const maxDays = 366

var errPeriod = fault.Invalid("until", "period", "请选择至多 366 天、不在未来开始的时间段",
	"Please choose at most 366 days that do not begin in the future")

// PeriodBetween returns the days of the site's time zone from the first to the last, both with them and written as
// 2026-01-31, up to now.
func (c *Console) PeriodBetween(first, last string) (Period, error) {
	from, err := time.ParseInLocation(time.DateOnly, first, c.zone())
	if err != nil {
		return Period{}, fault.Invalid("from", "date", "请填写 2026-01-31 这样的日期", "Please give a date as 2026-01-31")
	}
	until, err := time.ParseInLocation(time.DateOnly, last, c.zone())
	if err != nil {
		return Period{}, fault.Invalid("until", "date", "请填写 2026-01-31 这样的日期", "Please give a date as 2026-01-31")
	}
	now, days := c.db.Now(), daysBetween(from, until)+1
	if until.Before(from) || from.After(now) || days > maxDays {
		return Period{}, errPeriod
	}
	to := until.AddDate(0, 0, 1).Add(-time.Millisecond)
	if to.After(now) {
		to = now
	}
	return Period{from.UTC(), to.UTC(), from.AddDate(0, 0, -days).UTC(), c.zone()}, nil
}

// daysBetween counts the midnights after from up to until, both of which are midnights.
func daysBetween(from, until time.Time) int {
	return int(until.Sub(from).Round(24*time.Hour) / (24 * time.Hour))
}

func dayOf(local time.Time) time.Time {
	return time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, local.Location())
}

// BeforeTo returns when the period before ends: after as long as this one.
func (p Period) BeforeTo() time.Time {
	// A time is part of both of its ends; what happened at the very start of the period is not before it.
	return p.Before.Add(p.To.Sub(p.From)).Add(-time.Millisecond)
}

// Total is how many rows a list has, and the sum of their money where they have any.
type Total struct {
	Rows   int64
	Amount money.Amount
}

// Part is what of a figure has a name.
type Part struct {
	Name   string
	Filter url.Values
	Total
}

// Figure is a number of the overview: that of the rows of a list, which Filter names.
type Figure struct {
	Key    string
	List   string // the list's name, see listing.Resource; empty: no list has these rows
	Filter url.Values
	Now    Total
	Before *Total // nil: there is nothing to compare with
	Parts  []Part
}

// spec says how a figure is computed: from stored hours, or from the list's filter by a time and what the filter always
// has.
type spec struct {
	key      string
	needs    permission.Permission
	resource *listing.Resource
	always   url.Values
	by       string // the filter by time; empty: the figure is of now
	sum      string // the column that is added up
	isHourly bool
}

func (c *Console) specs(p Period) []spec {
	users, orders, recharges := c.Users(), c.Orders(), c.Recharges()
	paid := url.Values{"state": {"paid,refunded"}}
	soon := rangeOf(p.To, p.To.AddDate(0, 0, 7))
	return []spec{
		{key: "revenue", needs: permission.RefundRead, isHourly: true},
		{key: "gifts", needs: permission.RefundRead, isHourly: true},
		{
			key: "received", needs: permission.RechargeRead, resource: recharges, always: paid, by: "paid",
			isHourly: true,
		},
		{key: "returned", needs: permission.RefundRead, isHourly: true},
		{key: "orders", needs: permission.OrderRead, resource: orders, always: paid, by: "paid", isHourly: true},
		{key: "new_users", needs: permission.UserRead, resource: users, by: "created"},
		{
			key: "unpaid_orders", needs: permission.OrderRead, resource: orders,
			always: url.Values{"state": {"pending"}}, sum: "amount",
		},
		{
			key: "seen_users", needs: permission.UserRead, resource: users,
			always: url.Values{"seen": {rangeOf(p.From, p.To)}},
		},
		{
			key: "expiring", needs: permission.UserRead, resource: users,
			always: url.Values{"ends": {soon}, "plan": {"!none"}},
		},
		{
			key: "exhausted", needs: permission.UserRead, resource: users,
			always: url.Values{"state": {"exhausted"}},
		},
		{key: "banned", needs: permission.UserRead, resource: users, always: url.Values{"state": {"banned"}}},
	}
}

// Figures computes the figures of a period that a member may see. Each equals the list that it names.
func (c *Console) Figures(ctx context.Context, p Period, may permission.Set) (out []Figure, err error) {
	for _, s := range c.specs(p) {
		if !may.Has(s.needs) {
			continue
		}
		figure := Figure{Key: s.key}
		if s.resource != nil {
			figure.List = s.resource.Name
		}
		if figure.Filter, figure.Now, err = c.total(ctx, s, p.From, p.To); err != nil {
			return nil, err
		}
		if s.by != "" || s.isHourly {
			_, before, err := c.total(ctx, s, p.Before, p.BeforeTo())
			if err != nil {
				return nil, err
			}
			figure.Before = &before
		}
		out = append(out, figure)
	}
	if may.Has(permission.RechargeRead) {
		failed, err := c.failed(ctx, p)
		return append(out, failed), err
	}
	return out, nil
}

// failed is what failed at which gateway.
func (c *Console) failed(ctx context.Context, p Period) (Figure, error) {
	filter := func(more ...string) url.Values {
		v := url.Values{"state": {"failed"}, "created": {rangeOf(p.From, p.To)}}
		if len(more) > 0 {
			v["gateway"] = more
		}
		return v
	}
	f := Figure{Key: "failed_payments", List: c.Recharges().Name, Filter: filter(), Before: new(Total)}
	sums, err := c.wallets.FailedBetween(ctx, p.From, p.To.Add(time.Millisecond))
	if err != nil {
		return f, err
	}
	for _, gateway := range slices.Sorted(maps.Keys(sums)) {
		t := Total{sums[gateway].Found, sums[gateway].Amount}
		f.Parts = append(f.Parts, Part{gateway, filter(gateway), t})
		f.Now.Rows, f.Now.Amount = f.Now.Rows+t.Rows, f.Now.Amount+t.Amount
	}
	before, err := c.wallets.FailedBetween(ctx, p.Before, p.BeforeTo().Add(time.Millisecond))
	for _, t := range before {
		f.Before.Rows, f.Before.Amount = f.Before.Rows+t.Found, f.Before.Amount+t.Amount
	}
	return f, err
}

func (c *Console) total(ctx context.Context, s spec, from, to time.Time) (url.Values, Total, error) {
	filter := url.Values{}
	maps.Copy(filter, s.always)
	if s.by != "" {
		filter.Set(s.by, rangeOf(from, to))
	}
	if s.isHourly {
		t, err := c.between(ctx, s.key, from, to.Add(time.Millisecond))
		return filter, t, err
	}
	q, err := c.Lists.Parse(ctx, s.resource, filter)
	if err != nil {
		return nil, Total{}, err
	}
	rows, sum, err := c.Lists.Total(ctx, q, s.sum)
	return filter, Total{rows, money.Amount(sum)}, err
}

// Day is a day of a period.
type Day struct {
	Begins time.Time
	Total
}

// Days gives the revenue of each day of a period.
func (c *Console) Days(ctx context.Context, p Period) (days []Day, err error) {
	for begins := p.From.In(p.Zone); !begins.After(p.To); {
		next := dayOf(begins).AddDate(0, 0, 1)
		end := next
		if end.After(p.To) {
			end = p.To.Add(time.Millisecond)
		}
		t, err := c.between(ctx, "revenue", begins.UTC(), end.UTC())
		if err != nil {
			return nil, err
		}
		days = append(days, Day{begins.UTC(), t})
		begins = next
	}
	return days, nil
}

func rangeOf(from, to time.Time) string {
	return from.UTC().Format(time.RFC3339Nano) + ".." + to.UTC().Format(time.RFC3339Nano)
}
