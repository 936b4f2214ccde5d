package listing

import (
	"slices"

	"airstrip/internal/db"
)

// Statement is a query that reading a list may run.
type Statement struct {
	Text string
	// Sorted reports whether the query follows an index that has the order. Otherwise an index finds all its rows.
	Sorted bool
	Whole  bool // counts all rows, up to a bound
	IsPair bool // whether an index that has the order is to find the value of a filter, too
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
	ways, isDirect := q.ordered()
	indexed := false
	for i := range q.conditions {
		if q.conditions[i].Dense {
			continue
		}
		indexed = true
		text, values := q.probe(i, stepCost)
		add(Statement{}, text, values)
		text, values = q.countSQL(d.SQLite(), i)
		add(Statement{}, text, values)
		ways = append(ways, q.by(i))
	}
	if !indexed {
		text, values := q.countSQL(d.SQLite(), -1)
		add(Statement{Whole: true}, text, values)
	}
	for _, w := range ways {
		s := Statement{Sorted: w.driver < 0, IsPair: w.pair >= 0 && w.index.Null == ""}
		for _, none := range []bool{false, true} {
			if !q.mayHave(none) {
				continue
			}
			some := q.sample()
			if none {
				some = &place{ID: 1}
			}
			for _, at := range []*place{nil, some} {
				for _, end := range []*place{nil, some} {
					text, values := q.sql(d.SQLite(), w, at, end, none, DefaultLimit)
					add(s, text, values)
				}
				if s.Sorted {
					text, values := q.aheadSQL(d.SQLite(), w, at, none, stepCost)
					add(s, text, values)
				}
				if s.Sorted && !isDirect {
					text, values := q.withinSQL(d.SQLite(), w, at, none, stepCost, DefaultLimit)
					add(s, text, values)
				}
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
