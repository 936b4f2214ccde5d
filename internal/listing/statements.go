package listing

import (
	"slices"

	"airstrip/internal/db"
)

// Statement is a query that reading a list may run.
type Statement struct {
	Text string
	// Sorted reports whether the query follows the index of the sort. Otherwise it finds all its rows by an index.
	Sorted bool
	Whole  bool // counts all rows, up to a bound
}

// Statements returns every query that reading the pages of q and counting them may run on d, whatever is in its tables.
// It is for tests of their plans.
func (q *Query) Statements(d *db.DB) (all []Statement) {
	add := func(s Statement, text string, values []any) {
		s.Text = d.QueryGen().FormatQuery(text, values...)
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if q.findsNothing() {
		return nil
	}
	drivers := []int{-1}
	for i := range q.conditions {
		if q.conditions[i].Dense {
			continue
		}
		text, values := q.probe(i, fewRows)
		add(Statement{}, text, values)
		text, values = q.countSQL(d.SQLite(), i)
		add(Statement{}, text, values)
		drivers = append(drivers, i)
	}
	if len(drivers) == 1 {
		text, values := q.countSQL(d.SQLite(), -1)
		add(Statement{Whole: true}, text, values)
	}
	for _, driver := range drivers {
		for _, at := range []*place{nil, q.sample()} {
			text, values := q.sql(d.SQLite(), driver, at, false, DefaultLimit)
			add(Statement{Sorted: driver < 0}, text, values)
		}
		if q.sort.None {
			for _, at := range []*place{nil, {ID: 1}} {
				text, values := q.sql(d.SQLite(), driver, at, true, DefaultLimit)
				add(Statement{Sorted: driver < 0}, text, values)
			}
		}
	}
	return all
}

// sample is a place that a row could have.
func (q *Query) sample() *place {
	p := &place{ID: 1}
	switch q.sort.Kind {
	case Time:
		p.Time = new(someTime)
	case String:
		p.Text = new("a")
	default:
		p.Number = new(int64(1))
	}
	return p
}
