package listing

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"airstrip/internal/db"
	"airstrip/internal/seal"
)

// Lists reads lists.
type Lists struct {
	db   *db.DB
	key  []byte // of cursors
	zone Zone
	step int64 // see stepCost
}

// New returns what reads the lists of d, whose days begin in zone.
func New(d *db.DB, key seal.Key, zone Zone) *Lists {
	return &Lists{d, key.For("list cursors"), zone, stepCost}
}

// findsNothing reports whether a condition holds for no row, which the engines do not see and read all rows for.
func (q *Query) findsNothing() bool {
	return slices.ContainsFunc(q.conditions, func(c Condition) bool { return c.SQL == never })
}

// Page returns the page that q asks for.
func (l *Lists) Page(ctx context.Context, q *Query) (Page, error) {
	rows, err := l.rows(ctx, q, q.after, q.limit+1, false)
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
			rows, err := l.rows(ctx, q, at, chunk, true)
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

// probe counts the rows of one condition, up to a bound.
func (q *Query) probe(condition int, bound int64) (string, []any) {
	c := q.conditions[condition]
	rows := c.Within
	if rows == "" {
		rows = "SELECT 1 FROM " + q.resource.Table + " WHERE " + q.condition(&c, "", false)
	}
	return "SELECT COUNT(*) FROM (" + rows + " LIMIT ?) AS found", append(slices.Clone(c.Values), bound)
}

// Count counts the rows that q finds, whatever page it asks for: exactly up to ExactUpTo, and roughly above that.
func (l *Lists) Count(ctx context.Context, q *Query) (Count, error) {
	if q.findsNothing() {
		return Count{}, nil
	}
	driver, _, err := l.driver(ctx, q, l.step)
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
	where, values := q.where(sqlite, way{driver: driver, pair: -1})
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
		where, values := q.where(l.db.SQLite(), way{driver: -1, pair: -1})
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
	where, values := q.where(l.db.SQLite(), way{driver: 0, pair: -1})
	err = l.db.NewRaw("SELECT "+r.ID+" FROM "+r.Table+" WHERE "+where+" LIMIT ?", append(values, n)...).Scan(ctx, &ids)
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids, err
}

// Total counts all rows that q finds, however many they are, and adds up a column of theirs, if one is named.
func (l *Lists) Total(ctx context.Context, q *Query, column string) (rows, sum int64, err error) {
	if q.findsNothing() {
		return 0, 0, nil
	}
	driver, _, err := l.driver(ctx, q, l.step)
	if err != nil {
		return 0, 0, err
	}
	where, values := q.where(l.db.SQLite(), way{driver: driver, pair: -1})
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
