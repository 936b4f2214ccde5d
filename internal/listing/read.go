package listing

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"airstrip/internal/db"
	"airstrip/internal/seal"
)

// Lists reads lists.
type Lists struct {
	db   *db.DB
	key  []byte // of cursors
	zone Zone
}

// New returns what reads the lists of d, whose days begin in zone.
func New(d *db.DB, key seal.Key, zone Zone) *Lists {
	return &Lists{d, key.For("list cursors"), zone}
}

// fewRows is up to how many rows of a filter are read and sorted. A list is read in one of two ways. Where some filter
// finds few rows, those are read by that filter's index and sorted. Otherwise matching rows are frequent, and the index
// of the sort is followed until the page is full. Which of them it is, is asked of the indexes and not left to the
// engine: SQLite keeps no statistics, and a wrong guess reads everything.
const fewRows = 20_000

// findsNothing reports whether a condition holds for no row, which the engines do not see and read all rows for.
func (q *Query) findsNothing() bool {
	return slices.ContainsFunc(q.conditions, func(c Condition) bool { return c.SQL == never })
}

// Page returns the page that q asks for.
func (l *Lists) Page(ctx context.Context, q *Query) (Page, error) {
	rows, err := l.rows(ctx, q, q.after, q.limit+1)
	if err != nil {
		return Page{}, err
	}
	out := Page{IDs: make([]int64, 0, len(rows))}
	if len(rows) > q.limit {
		out.Next, rows = l.seal(q, &rows[q.limit-1]), rows[:q.limit]
	}
	for _, r := range rows {
		out.IDs = append(out.IDs, r.ID)
	}
	return out, nil
}

// chunk is how many rows All reads at once.
const chunk = 1000

// All gives the ids of all rows, in chunks, whatever page q asks for.
func (l *Lists) All(ctx context.Context, q *Query) iter.Seq2[[]int64, error] {
	return func(yield func([]int64, error) bool) {
		var at *place
		for {
			rows, err := l.rows(ctx, q, at, chunk)
			if err != nil {
				yield(nil, err)
				return
			}
			ids := make([]int64, len(rows))
			for i, r := range rows {
				ids[i] = r.ID
			}
			if len(ids) == 0 || !yield(ids, nil) || len(ids) < chunk {
				return
			}
			at = &rows[len(rows)-1]
		}
	}
}

// rows returns up to n rows after a place, in the order of q.
func (l *Lists) rows(ctx context.Context, q *Query, at *place, n int) ([]place, error) {
	if q.findsNothing() {
		return nil, nil
	}
	driver, few, err := l.driver(ctx, q)
	if err != nil {
		return nil, err
	}
	if !few {
		driver = -1
	}
	var rows []place
	if at == nil || at.value() != nil || !q.sort.None {
		if rows, err = l.part(ctx, q, driver, at, false, n); err != nil {
			return nil, err
		}
	}
	if q.sort.None && len(rows) < n { // those without a value come last
		if at != nil && at.value() != nil {
			at = nil
		}
		last, err := l.part(ctx, q, driver, at, true, n-len(rows))
		if err != nil {
			return nil, err
		}
		rows = append(rows, last...)
	}
	return rows, nil
}

// part returns up to n rows after a place: those that have a value of the sort, or those that have none.
func (l *Lists) part(ctx context.Context, q *Query, driver int, at *place, none bool, n int) (rows []place, err error) {
	text, values := q.sql(l.db.SQLite(), driver, at, none, n)
	err = l.db.NewRaw(text, values...).Scan(ctx, &rows)
	return rows, err
}

var valueNames = map[SortKind]string{Number: "number", Time: "time", String: "text"}

// sql is the query of part. With a driver, its rows are found first by its index, and then sorted; the index of the
// sort is not to be followed. Without one it is, and no other.
func (q *Query) sql(sqlite bool, driver int, at *place, none bool, n int) (string, []any) {
	r := q.resource
	before, direction := ">", ""
	if q.descending {
		before, direction = "<", " DESC"
	}
	columns := r.ID + " AS id, " + q.sort.Column + " AS " + valueNames[q.sort.Kind]
	from, id, column := r.Table, r.ID, q.sort.Column
	text, values := q.where(sqlite, driver)
	var prefix string
	if driver >= 0 {
		prefix = "WITH found AS MATERIALIZED (SELECT " + columns + " FROM " + r.Table + " WHERE " + text + ") "
		columns, from, id, column = "*", "found", "id", valueNames[q.sort.Kind]
		text = ""
	}
	var parts []string
	if text != "" {
		parts = append(parts, text)
	}
	order := column + direction + ", " + id + direction
	switch {
	case none:
		parts, order = append(parts, column+" IS NULL"), id+direction
		if at != nil {
			parts, values = append(parts, id+" "+before+" ?"), append(values, at.ID)
		}
	case at != nil:
		parts = append(parts, "("+column+", "+id+") "+before+" (?, ?)")
		values = append(values, at.value(), at.ID)
	case q.sort.None:
		parts = append(parts, column+" IS NOT NULL")
	}
	text = prefix + "SELECT " + columns + " FROM " + from
	if len(parts) > 0 {
		text += " WHERE " + strings.Join(parts, " AND ")
	}
	return text + " ORDER BY " + order + " LIMIT ?", append(values, n)
}

// where joins the conditions, of which only that of the driver is to be found by an index; all of them where driver is
// allIndexes. SQLite uses no index of a column with a + before it.
func (q *Query) where(sqlite bool, driver int) (string, []any) {
	var parts []string
	var values []any
	for i, c := range q.conditions {
		mark := ""
		if sqlite && i != driver {
			mark = "+"
		}
		parts, values = append(parts, strings.ReplaceAll(c.SQL, "@", mark)), append(values, c.Values...)
	}
	return strings.Join(parts, " AND "), values
}

// driver returns the condition that finds the fewest rows, -1 where there is none, and whether those are few.
func (l *Lists) driver(ctx context.Context, q *Query) (best int, few bool, err error) {
	best, least := -1, int64(fewRows+1)
	for i := range q.conditions {
		if q.conditions[i].Dense {
			continue
		}
		text, values := q.probe(i, least)
		var found int64
		if err := l.db.NewRaw(text, values...).Scan(ctx, &found); err != nil {
			return 0, false, err
		}
		if found < least || best < 0 {
			best, least = i, found
		}
	}
	return best, best >= 0 && least <= fewRows, nil
}

// probe counts the rows of one condition, up to a bound.
func (q *Query) probe(condition int, bound int64) (string, []any) {
	c := q.conditions[condition]
	return "SELECT COUNT(*) FROM (SELECT 1 FROM " + q.resource.Table + " WHERE " +
		strings.ReplaceAll(c.SQL, "@", "") + " LIMIT ?) AS found", append(slices.Clone(c.Values), bound)
}

// Count counts the rows that q finds, whatever page it asks for: exactly up to ExactUpTo, and roughly above that.
func (l *Lists) Count(ctx context.Context, q *Query) (Count, error) {
	if q.findsNothing() {
		return Count{}, nil
	}
	driver, _, err := l.driver(ctx, q)
	if err != nil {
		return Count{}, err
	}
	var count int64
	text, values := q.countSQL(l.db.SQLite(), driver)
	if err := l.db.NewRaw(text, values...).Scan(ctx, &count); err != nil || count <= ExactUpTo {
		return Count{Rows: count}, err
	}
	estimate, err := l.estimate(ctx, q)
	return Count{max(estimate, ExactUpTo), true}, err
}

func (q *Query) countSQL(sqlite bool, driver int) (string, []any) {
	where, values := q.where(sqlite, driver)
	if where != "" {
		where = " WHERE " + where
	}
	return "SELECT COUNT(*) FROM (SELECT 1 FROM " + q.resource.Table + where + " LIMIT ?) AS found",
		append(values, ExactUpTo+1)
}

// sampled is how many ids an estimate tries.
const sampled = 4000

// estimate tries random ids, the same ones at each call for a table that did not change, and takes the share that
// matches for that of all ids. It is rounded to two digits, since it is no better than that.
func (l *Lists) estimate(ctx context.Context, q *Query) (int64, error) {
	r := q.resource
	var first, last int64
	if err := l.db.NewRaw("SELECT (SELECT MIN("+r.ID+") FROM "+r.Table+"), (SELECT MAX("+r.ID+") FROM "+r.Table+")").
		Scan(ctx, &first, &last); err != nil {
		return 0, err
	}
	span := last - first + 1
	random := rand.New(rand.NewPCG(uint64(first), uint64(last)))
	tried := db.NumbersOf(1, sampled)
	for range sampled {
		tried.Add(first + random.Int64N(span))
	}
	var matching int64
	for part := range tried.Parts() {
		where, values := q.where(l.db.SQLite(), -1)
		if where != "" {
			where = " WHERE " + where
		}
		var found int64
		err := l.db.NewRaw("SELECT COUNT(*) FROM ? AS v JOIN "+r.Table+" ON "+r.ID+" = v.column1"+where,
			append([]any{part}, values...)...).Scan(ctx, &found)
		if err != nil {
			return 0, err
		}
		matching += found
	}
	return rounded(matching * span / sampled), nil
}

// rounded keeps the first two digits.
func rounded(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// Find returns the ids of up to n rows of a condition, the newest first.
func (l *Lists) Find(ctx context.Context, r *Resource, c Condition, n int) (ids []int64, err error) {
	q := &Query{resource: r, conditions: []Condition{c}}
	if q.findsNothing() {
		return nil, nil
	}
	where, values := q.where(l.db.SQLite(), 0)
	err = l.db.NewRaw("SELECT "+r.ID+" FROM "+r.Table+" WHERE "+where+" LIMIT ?", append(values, n)...).Scan(ctx, &ids)
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids, err
}

// Total counts all rows that q finds, however many they are, and adds up a column of theirs, if one is named.
func (l *Lists) Total(ctx context.Context, q *Query, column string) (rows, sum int64, err error) {
	if q.findsNothing() {
		return 0, 0, nil
	}
	driver, _, err := l.driver(ctx, q)
	if err != nil {
		return 0, 0, err
	}
	where, values := q.where(l.db.SQLite(), driver)
	if where != "" {
		where = " WHERE " + where
	}
	added := "0"
	if column != "" {
		added = "CAST(COALESCE(SUM(" + column + "), 0) AS BIGINT)"
	}
	err = l.db.NewRaw("SELECT COUNT(*), "+added+" FROM "+q.resource.Table+where, values...).Scan(ctx, &rows, &sum)
	return rows, sum, err
}
