package console

import (
	"context"
	"net/url"
	"time"

	"airstrip/internal/listing"
	"airstrip/internal/money"
)

// Period is the time that figures are about, and the one before that they are compared with. Both are as long, so that
// a day that is not over is compared with the same hours.
type Period struct {
	From, To time.Time
	Before   time.Time // when the period before begins
}

// PeriodOf returns the last days of the site's time zone, of which today is one, up to now.
func (c *Console) PeriodOf(days int) Period {
	now := c.db.Now()
	local := now.In(c.zone())
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, local.Location())
	return Period{
		today.AddDate(0, 0, 1-days).UTC(), now, today.AddDate(0, 0, 1-2*days).UTC(),
	}
}

// Total is how many rows a list has, and the sum of their money where they have any.
type Total struct {
	Rows   int64
	Amount money.Amount
}

// Figure is a number of the overview: that of the rows of a list, which Filter names.
type Figure struct {
	Key    string
	List   string // the list's name, see listing.Resource
	Filter url.Values
	Now    Total
	Before *Total // nil: there is nothing to compare with
}

// spec says how a figure is computed: from the list's filter by a time, and what the filter always has.
type spec struct {
	key      string
	resource *listing.Resource
	always   url.Values
	by       string // the filter by time; empty: the figure is of now
	sum      string // the column that is added up
}

// Figures computes the figures of a period from the lists that they name, so that each equals its list.
func (c *Console) Figures(ctx context.Context, p Period) ([]Figure, error) {
	users, orders, recharges := c.Users(), c.Orders(), c.Recharges()
	paid := url.Values{"state": {"paid,refunded"}}
	soon := rangeOf(p.To, p.To.AddDate(0, 0, 7))
	var out []Figure
	for _, s := range []spec{
		{key: "received", resource: recharges, always: paid, by: "paid", sum: "amount"},
		{key: "orders", resource: orders, always: paid, by: "paid", sum: "amount"},
		{key: "new_users", resource: users, by: "created"},
		{key: "failed_payments", resource: recharges, always: url.Values{"state": {"failed"}}, by: "created", sum: "amount"},
		{key: "unpaid_orders", resource: orders, always: url.Values{"state": {"pending"}}, sum: "amount"},
		{key: "seen_users", resource: users, always: url.Values{"seen": {rangeOf(p.From, p.To)}}},
		{key: "expiring", resource: users, always: url.Values{"ends": {soon}, "plan": {"!none"}}},
		{key: "exhausted", resource: users, always: url.Values{"state": {"exhausted"}}},
		{key: "banned", resource: users, always: url.Values{"state": {"banned"}}},
	} {
		figure := Figure{Key: s.key, List: s.resource.Name}
		var err error
		if figure.Filter, figure.Now, err = c.total(ctx, s, p.From, p.To); err != nil {
			return nil, err
		}
		if s.by != "" {
			// A time is part of both of its ends; what happened at the very start of the period is not before it.
			_, before, err := c.total(ctx, s, p.Before, p.Before.Add(p.To.Sub(p.From)).Add(-time.Millisecond))
			if err != nil {
				return nil, err
			}
			figure.Before = &before
		}
		out = append(out, figure)
	}
	return out, nil
}

func (c *Console) total(ctx context.Context, s spec, from, to time.Time) (url.Values, Total, error) {
	filter := url.Values{}
	for key, values := range s.always {
		filter[key] = values
	}
	if s.by != "" {
		filter.Set(s.by, rangeOf(from, to))
	}
	q, err := c.Lists.Parse(ctx, s.resource, filter)
	if err != nil {
		return nil, Total{}, err
	}
	rows, sum, err := c.Lists.Total(ctx, q, s.sum)
	return filter, Total{rows, money.Amount(sum)}, err
}

func rangeOf(from, to time.Time) string {
	return from.UTC().Format(time.RFC3339Nano) + ".." + to.UTC().Format(time.RFC3339Nano)
}
