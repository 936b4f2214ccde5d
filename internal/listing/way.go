package listing

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// A page is read in one of two ways. Either all rows of one condition, the driver, are read by its index and sorted; or
// an index that has the rows in the order of the sort is followed until the page is full: that of the sort, or one that
// begins with a filter's column and the sort's (Resource.Indexes). Which of them it is, is asked of the indexes and not
// left to the engine: SQLite keeps no statistics, and a wrong guess reads everything.
//
// Where the driver has few rows, they are read. Otherwise the order is followed, since matching rows are frequent, or
// seem to be: users without a plan are all at the end of an order by plan. So it is followed for a step, in which most
// pages are full soon. If this one is not, the driver is read if that takes a few steps; otherwise the order is
// followed in steps, each twice as long, until the page is full or as much was read as the driver costs.

const (
	// entryCost and lookUpCost are what it costs to read a row of an index that has all columns that are asked for, and
	// a row that must be looked up in its table.
	entryCost, lookUpCost = 1, 10
	// stepCost is what the first step costs at most. It takes some 30 ms on SQLite and 50 ms on PostgreSQL.
	stepCost = 60_000
	// fewShare is which part of a step the rows of a driver may cost to be read before the order is followed at all.
	// driverSteps is how many steps they may cost after a first step has not filled the page.
	fewShare, driverSteps = 6, 4
	// maxStreams is of how many values of a filter the rows are read apart and merged.
	maxStreams = 16
)

// way leads to rows.
type way struct {
	driver int // the condition whose rows are all read; -1: an order is followed
	// pair is the condition of which the index has the rows of each value in the order of the sort; -1: there is none.
	pair  int
	value any // that pair has here; nil: the column is empty
	index *Index
	cost  int64 // of a row
}

// rows returns up to n rows after a place, in the order of q. With inOneWay the order is not followed in steps: they
// are for a single page, and a read of all rows gains nothing by them.
func (l *Lists) rows(ctx context.Context, q *Query, at *place, n int, inOneWay bool) ([]place, error) {
	if q.findsNothing() {
		return nil, nil
	}
	ways, isDirect := q.ordered()
	driver, few := -1, false
	if !isDirect {
		var err error
		if driver, few, err = l.driver(ctx, q, max(1, l.step/fewShare)); err != nil {
			return nil, err
		}
	}
	if few {
		return l.read(ctx, q, []way{q.by(driver)}, at, nil, n)
	}
	if isDirect || inOneWay || driver < 0 {
		return l.read(ctx, q, ways, at, nil, n)
	}
	first := l.step
	if len(ways) == 1 { // of several, one that ends early says nothing of what the others have after that
		rows, err := l.within(ctx, q, ways[0], at, max(1, l.step/ways[0].cost), n)
		if err != nil || len(rows) == n {
			return rows, err
		}
		first *= driverSteps
	}
	driver, few, err := l.driver(ctx, q, driverSteps*l.step)
	if err != nil {
		return nil, err
	}
	if few {
		return l.read(ctx, q, []way{q.by(driver)}, at, nil, n)
	}
	var rows []place
	for step, spent := first, int64(0); ; step *= 2 {
		end, err := l.ahead(ctx, q, ways, at, max(1, step/ways[0].cost))
		if err != nil {
			return nil, err
		}
		more, err := l.read(ctx, q, ways, at, end, n-len(rows))
		if rows = append(rows, more...); err != nil || len(rows) == n || end == nil {
			return rows, err
		}
		at, spent = end, spent+step
		if driver, few, err = l.driver(ctx, q, spent); err != nil {
			return nil, err
		}
		if few {
			more, err := l.read(ctx, q, []way{q.by(driver)}, at, nil, n-len(rows))
			return append(rows, more...), err
		}
	}
}

// ordered returns the ways that together give the rows in order: one by the index of the sort, or one for each value of
// a filter. isDirect says that nearly all rows on them match.
func (q *Query) ordered() (ways []way, isDirect bool) {
	others := len(q.conditions)
	for i := range q.conditions {
		if c := &q.conditions[i]; c.Column == q.sort.Column && (c.Interval || c.Null && len(c.One) == 0) {
			others--
		}
	}
	for i := range q.conditions {
		c := &q.conditions[i]
		if c.Column == "" || c.Column == q.sort.Column || len(c.One) == 0 && !c.Null || len(c.One) >= maxStreams {
			continue
		}
		if len(c.One) == 0 {
			if index := q.indexOf(c.Column, q.sort.Column, q.resource.ID); index != nil {
				return []way{{driver: -1, pair: i, index: index, cost: q.cost(index)}}, others == 1
			}
		}
		index := q.indexOf("", c.Column, q.sort.Column, q.resource.ID)
		if index == nil {
			continue
		}
		w := way{driver: -1, pair: i, index: index, cost: q.cost(index)}
		for _, w.value = range c.One {
			ways = append(ways, w)
		}
		if w.value = nil; c.Null {
			ways = append(ways, w)
		}
		return ways, others == 1
	}
	w := way{driver: -1, pair: -1, cost: lookUpCost}
	if index := q.indexOf("", q.sort.Column, q.resource.ID); index != nil && q.cost(index) == entryCost {
		w.index, w.cost = index, entryCost
	}
	return []way{w}, others == 0
}

// by returns the way by a driver.
func (q *Query) by(driver int) way {
	w := way{driver: driver, pair: -1, cost: lookUpCost}
	column := q.conditions[driver].Column
	for i := range q.resource.Indexes {
		index := &q.resource.Indexes[i]
		if column == "" || index.Null != "" || index.Columns[0] != column {
			continue
		}
		if cost := q.cost(index); w.index == nil || cost < w.cost {
			w.index, w.cost = index, cost
		}
	}
	return w
}

// indexOf returns the index that begins with some columns.
func (q *Query) indexOf(null string, columns ...string) *Index {
	for i := range q.resource.Indexes {
		index := &q.resource.Indexes[i]
		if index.Null == null && len(index.Columns) >= len(columns) &&
			slices.Equal(index.Columns[:len(columns)], columns) {
			return index
		}
	}
	return nil
}

// cost returns what it costs to read a row by an index.
func (q *Query) cost(index *Index) int64 {
	has := func(column string) bool { return column == q.resource.ID || slices.Contains(index.Columns, column) }
	for i := range q.conditions {
		if column := q.conditions[i].Column; column == "" || column != index.Null && !has(column) {
			return lookUpCost
		}
	}
	if !has(q.sort.Column) {
		return lookUpCost
	}
	return entryCost
}

// driver returns the condition whose rows cost the least to read, and whether that is at most so much. It is -1 where
// no index finds the rows of a condition.
func (l *Lists) driver(ctx context.Context, q *Query, most int64) (best int, few bool, err error) {
	best, least := -1, most+1
	for i := range q.conditions {
		c := &q.conditions[i]
		if c.Dense {
			continue
		}
		cost := int64(lookUpCost)
		if q.sort != nil {
			cost = q.by(i).cost
		}
		text, values := q.probe(i, least/cost+1)
		var found int64
		if err := l.db.NewRaw(text, values...).Scan(ctx, &found); err != nil {
			return 0, false, err
		}
		if found*cost < least || best < 0 {
			best, least = i, found*cost
		}
	}
	return best, best >= 0 && least <= most, nil
}

// read returns up to n rows after a place and up to an end, if there is one, in the order of q.
func (l *Lists) read(ctx context.Context, q *Query, ways []way, at, end *place, n int) ([]place, error) {
	var rows []place
	if (at == nil || at.value() != nil) && q.mayHave(false) {
		upTo := end
		if end != nil && end.value() == nil {
			upTo = nil
		}
		found, err := l.part(ctx, q, ways, at, upTo, false, n)
		if err != nil {
			return nil, err
		}
		rows = found
	}
	if len(rows) < n && (end == nil || end.value() == nil) && q.mayHave(true) { // those without a value come last
		if at != nil && at.value() != nil {
			at = nil
		}
		last, err := l.part(ctx, q, ways, at, end, true, n-len(rows))
		if err != nil {
			return nil, err
		}
		rows = append(rows, last...)
	}
	return rows, nil
}

// mayHave reports whether there may be rows without a value of the sort, or rows with one.
func (q *Query) mayHave(none bool) bool {
	if none && !q.sort.None {
		return false
	}
	return !slices.ContainsFunc(q.conditions, func(c Condition) bool {
		if c.Column != q.sort.Column {
			return false
		}
		return none && (c.Interval || len(c.One) > 0 && !c.Null) || !none && c.Null && len(c.One) == 0
	})
}

// part returns up to n rows of those that have a value of the sort, or of those that have none.
func (l *Lists) part(ctx context.Context, q *Query, ways []way, at, end *place, none bool, n int) ([]place, error) {
	var rows []place
	for _, w := range ways {
		var found []place
		text, values := q.sql(l.db.SQLite(), w, at, end, none, n)
		if err := l.db.NewRaw(text, values...).Scan(ctx, &found); err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	if len(ways) > 1 {
		slices.SortFunc(rows, q.compare)
	}
	return rows[:min(n, len(rows))], nil
}

// within returns up to n rows among so many that follow a place on a way. Fewer than n say nothing: the way may go on.
func (l *Lists) within(ctx context.Context, q *Query, w way, at *place, rows int64, n int) ([]place, error) {
	var found []place
	none := at != nil && at.value() == nil || !q.mayHave(false)
	text, values := q.withinSQL(l.db.SQLite(), w, at, none, rows, n)
	if err := l.db.NewRaw(text, values...).Scan(ctx, &found); err != nil || !slices.IsSortedFunc(found, q.compare) {
		return nil, err
	}
	return found, nil
}

// ahead returns the place that is so many rows after another on each of the ways, whether they match or not; nil:
// there are no more.
func (l *Lists) ahead(ctx context.Context, q *Query, ways []way, at *place, rows int64) (*place, error) {
	for _, none := range []bool{false, true} {
		if !q.mayHave(none) || !none && at != nil && at.value() == nil {
			continue
		}
		if none && at != nil && at.value() != nil {
			at = nil
		}
		var first *place
		for _, w := range ways {
			var found []place
			text, values := q.aheadSQL(l.db.SQLite(), w, at, none, rows)
			if err := l.db.NewRaw(text, values...).Scan(ctx, &found); err != nil {
				return nil, err
			}
			if len(found) > 0 && (first == nil || q.compare(found[0], *first) < 0) {
				first = &found[0]
			}
		}
		if first != nil {
			return first, nil
		}
	}
	return nil, nil
}

// compare compares places of two rows that both have a value of the sort, or both have none.
func (q *Query) compare(a, b place) int {
	c := 0
	switch {
	case a.Number != nil && b.Number != nil:
		c = cmp.Compare(*a.Number, *b.Number)
	case a.Time != nil && b.Time != nil:
		c = a.Time.Compare(*b.Time)
	case a.Text != nil && b.Text != nil:
		c = strings.Compare(*a.Text, *b.Text)
	}
	c = cmp.Or(c, cmp.Compare(a.ID, b.ID))
	if q.descending {
		return -c
	}
	return c
}
