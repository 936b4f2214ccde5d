package listing

import (
	"slices"
	"strings"
)

var valueNames = map[SortKind]string{Number: "number", Time: "time", String: "text"}

// sql is the query of rows on one way: those that have a value of the sort, or those that have none. The rows of a
// driver are found first by its index, and then sorted; the index of the sort is not to be followed.
func (q *Query) sql(sqlite bool, w way, at, end *place, none bool, n int) (string, []any) {
	r := q.resource
	columns, from, id, column := q.columns(), q.from(sqlite, w), r.ID, q.sort.Column
	text, values := q.where(sqlite, w)
	var prefix string
	switch {
	case w.driver >= 0 && sqlite: // sorting keeps the first n
		id, column = "+"+id, "+"+column
	case w.driver >= 0:
		prefix = "WITH found AS MATERIALIZED (SELECT " + columns + " FROM " + from + " WHERE " + text + ") "
		columns, from, id, column, text = "*", "found", "id", valueNames[q.sort.Kind], ""
	}
	parts, bounds := q.between(id, column, at, end, none)
	if text != "" {
		parts = append([]string{text}, parts...)
	}
	text = prefix + "SELECT " + columns + " FROM " + from
	if len(parts) > 0 {
		text += " WHERE " + strings.Join(parts, " AND ")
	}
	return text + " ORDER BY " + q.order(w, id, column) + " LIMIT ?", append(append(values, bounds...), n)
}

// aheadSQL is the query of the place that is so many rows after another, of which those count that an index has between
// its ends.
func (q *Query) aheadSQL(sqlite bool, w way, at *place, none bool, rows int64) (string, []any) {
	text, values := q.following(sqlite, w, q.columns(), at, none)
	return text + " LIMIT 1 OFFSET ?", append(values, rows-1)
}

// withinSQL is the query of the first n rows that match among so many that follow a place. SQLite gives them in the
// order of the inner query, but does not promise it.
func (q *Query) withinSQL(sqlite bool, w way, at *place, none bool, rows int64, n int) (string, []any) {
	inner := []string{q.resource.ID, q.sort.Column}
	rest, step := *q, *q.resource
	step.Table = "step"
	rest.resource, rest.conditions = &step, nil
	for i, c := range q.conditions {
		if !slices.Contains(inner, c.Column) {
			inner = append(inner, c.Column)
		}
		if i != w.pair && !q.isBound(&c) {
			rest.conditions = append(rest.conditions, c)
		}
	}
	if w.cost > entryCost {
		inner = []string{"*"}
	}
	text, values := q.following(sqlite, w, strings.Join(inner, ", "), at, none)
	where, others := rest.where(false, way{driver: -1, pair: -1})
	text = "SELECT " + q.columns() + " FROM (" + text + " LIMIT ?) AS " + step.Table + " WHERE " + where
	if !sqlite { // which would read and sort the whole step
		text += " ORDER BY " + q.order(way{pair: -1}, q.resource.ID, q.sort.Column)
	}
	return text + " LIMIT ?", append(append(append(values, rows), others...), n)
}

// following is the query of the rows that an index has between its ends after a place, in its order.
func (q *Query) following(sqlite bool, w way, columns string, at *place, none bool) (string, []any) {
	only := *q
	only.conditions = nil
	for i, c := range q.conditions {
		if i == w.pair {
			w.pair = len(only.conditions)
		} else if !q.isBound(&c) {
			continue
		}
		only.conditions = append(only.conditions, c)
	}
	text, values := only.where(sqlite, w)
	parts, bounds := q.between(q.resource.ID, q.sort.Column, at, nil, none)
	if text != "" {
		parts = append([]string{text}, parts...)
	}
	text = "SELECT " + columns + " FROM " + q.from(sqlite, w)
	if len(parts) > 0 {
		text += " WHERE " + strings.Join(parts, " AND ")
	}
	return text + " ORDER BY " + q.order(w, q.resource.ID, q.sort.Column), append(values, bounds...)
}

func (q *Query) columns() string {
	return q.resource.ID + " AS id, " + q.sort.Column + " AS " + valueNames[q.sort.Kind]
}

// from names the table, and to SQLite the index.
func (q *Query) from(sqlite bool, w way) string {
	if sqlite && w.index != nil {
		return q.resource.Table + " INDEXED BY " + w.index.Name
	}
	return q.resource.Table
}

// between is the conditions that rows are after a place and up to an end, and have a value of the sort, or have none.
func (q *Query) between(id, column string, at, end *place, none bool) (parts []string, values []any) {
	after, upTo := " > ", " <= "
	if q.descending {
		after, upTo = " < ", " >= "
	}
	if none {
		parts = append(parts, column+" IS NULL")
		for _, bound := range []struct {
			*place
			is string
		}{{at, after}, {end, upTo}} {
			if bound.place != nil {
				parts, values = append(parts, id+bound.is+"?"), append(values, bound.ID)
			}
		}
		return parts, values
	}
	if at == nil && end == nil && q.sort.None {
		return []string{column + " IS NOT NULL"}, nil
	}
	for _, bound := range []struct {
		*place
		is string
	}{{at, after}, {end, upTo}} {
		if bound.place != nil {
			parts = append(parts, "("+column+", "+id+")"+bound.is+"(?, ?)")
			values = append(values, bound.value(), bound.ID)
		}
	}
	return parts, values
}

// order is what the rows are sorted by. PostgreSQL follows an index only where all of its first columns are named, also
// those that are empty in all rows.
func (q *Query) order(w way, id, column string) string {
	by := []string{column, id}
	if w.pair >= 0 && w.index.Null == "" {
		by = slices.Insert(by, 0, w.index.Columns[0])
	}
	if q.descending {
		return strings.Join(by, " DESC, ") + " DESC"
	}
	return strings.Join(by, ", ")
}

// isBound reports whether a condition says where in the order of the sort the rows begin and end.
func (q *Query) isBound(c *Condition) bool {
	return q.sort != nil && c.Interval && c.Column == q.sort.Column
}

// where joins the conditions. Only that of the driver, or those of the order that is followed, are to be found by an
// index. SQLite uses no index of a column with a + before it.
func (q *Query) where(sqlite bool, w way) (string, []any) {
	var parts []string
	var values []any
	for i := range q.conditions {
		c := &q.conditions[i]
		if i == w.pair {
			if w.value == nil {
				parts = append(parts, c.Column+" IS NULL")
			} else {
				parts, values = append(parts, c.Column+" = ?"), append(values, w.value)
			}
			continue
		}
		mark := ""
		if sqlite && i != w.driver && (w.driver >= 0 || !q.isBound(c)) {
			mark = "+"
		}
		parts, values = append(parts, q.condition(c, mark, i != w.driver)), append(values, c.Values...)
	}
	return strings.Join(parts, " AND "), values
}

// condition writes a condition with a mark before its columns. each: rows are found by others, and asked one by one.
func (q *Query) condition(c *Condition, mark string, each bool) string {
	text := c.SQL
	if each && c.Each != "" {
		text = c.Each
	}
	return strings.NewReplacer("@", mark, "{table}", q.resource.Table).Replace(text)
}
