package listing

import (
	"context"
	"crypto/sha256"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/text"
)

// Query is what a list is asked for, as Parse understood it.
type Query struct {
	resource   *Resource
	conditions []Condition
	sort       *Sort
	descending bool
	after      *place // nil: the first page
	limit      int
	digest     []byte
	logged     url.Values
}

// Logged is what the list is filtered by as logs may store it: without secrets that were typed to search.
func (q *Query) Logged() string { return q.logged.Encode() }

// Reserved are the parameters of every list beside its filters.
var Reserved = []string{"q", "sort", "cursor", "limit"}

const (
	maxValues     = 100 // of one filter
	maxValueBytes = 4096
)

// Parse reads the parameters of a request. Each that is unknown or unusable is a field of the fault.
func (l *Lists) Parse(ctx context.Context, r *Resource, values url.Values) (*Query, error) {
	q := &Query{resource: r, limit: DefaultLimit, logged: maps.Clone(values)}
	var wrong fault.Problems
	var keys []string
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	digest := sha256.New()
	digest.Write([]byte(r.Name))
	sort := r.Default
	for _, key := range keys {
		value := values.Get(key)
		if value == "" {
			continue
		}
		wrong.When(len(value) > maxValueBytes, key, "too_long", "太长", "This is too long")
		switch key {
		case "sort":
			sort = value
			continue
		case "cursor":
			continue
		case "limit":
			n, ok := text.Integer(value)
			wrong.When(!ok || n < 1 || n > MaxLimit, key, "range", "须在 1 到 100 之间", "This must be from 1 to 100")
			q.limit = int(n)
			continue
		}
		digest.Write([]byte("\x00" + key + "\x00" + value))
		if key == "q" && r.Search != nil {
			found, err := r.Search(ctx, strings.TrimSpace(value))
			if f, ok := fault.As(err); ok && len(f.Fields) > 0 {
				wrong = append(wrong, f.Fields...)
				continue
			}
			if err != nil {
				return nil, err
			}
			q.conditions = append(q.conditions, found)
			if found.Secret {
				q.logged.Set(key, "(secret)")
			}
			continue
		}
		f := r.filter(key)
		if f == nil {
			wrong.When(true, key, "unknown", "没有这个筛选条件", "There is no such filter")
			continue
		}
		condition, problem := f.condition(value, l.zone())
		if problem != nil {
			problem.Name = key
			wrong = append(wrong, *problem)
			continue
		}
		q.conditions = append(q.conditions, condition)
	}
	name, descending := strings.CutPrefix(sort, "-")
	q.sort, q.descending = r.sort(name), descending
	wrong.When(q.sort == nil, "sort", "choice", "不能按此排序", "The list cannot be sorted by this")
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	digest.Write([]byte("\x00sort\x00" + sort))
	q.digest = digest.Sum(nil)
	if cursor := values.Get("cursor"); cursor != "" {
		at, err := l.open(q, cursor)
		if err != nil {
			return nil, err
		}
		q.after = at
	}
	return q, nil
}

// never is the condition that no row fulfils.
const never = "1 = 0"

func problem(code, zh, en string) *fault.Field {
	return &fault.Field{Code: code, Text: fault.Text{ZH: zh, EN: en}}
}

// condition turns the value of a filter into SQL. A filter that is negated finds all rows that it would not find.
func (f *Filter) condition(value string, zone *time.Location) (Condition, *fault.Field) {
	value, negated := strings.CutPrefix(value, "!")
	switch f.Kind {
	case Choice, Reference:
		return f.set(value, negated)
	case Range:
		return f.interval(value, negated, f.number, func(n any) any { return n })
	case Date:
		return f.interval(value, negated, func(s string) (any, bool) { return startOf(s, zone) },
			func(any) any { return nil })
	}
	if value == "none" && f.None {
		return f.null(negated), nil
	}
	if negated {
		return Condition{}, problem("choice", "此条件不能取反", "This filter cannot be negated")
	}
	return Prefix(f.Column, strings.ToLower(value)), nil
}

// null is the condition that the column is empty, or is not. SQLite finds what is not empty by an index only where that
// is written as what is at least the least value.
func (f *Filter) null(negated bool) Condition {
	if !negated {
		return Condition{SQL: "@" + f.Column + " IS NULL", Column: f.Column, Null: true}
	}
	var least any = ""
	switch f.Kind {
	case Range, Reference:
		least = int64(math.MinInt64)
	case Date:
		least = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return Condition{SQL: "@" + f.Column + " >= ?", Values: []any{least}, Column: f.Column, Interval: true}
}

// set reads 1,2,none.
func (f *Filter) set(value string, negated bool) (Condition, *fault.Field) {
	parts := strings.Split(value, ",")
	if len(parts) > maxValues {
		return Condition{}, problem("too_long", "最多 100 项", "At most 100 items")
	}
	var values []any
	add := func(value any) {
		if !slices.Contains(values, value) { // the rows of each value may be read apart
			values = append(values, value)
		}
	}
	none := false
	for _, part := range parts {
		switch {
		case part == "none" && f.None:
			none = true
		case f.Kind == Reference:
			n, ok := text.Integer(part)
			if !ok {
				return Condition{}, problem("type", "须为编号，以逗号分隔", "This must be numbers, separated by commas")
			}
			add(n)
		case len(f.Choices) > 0 && !slices.Contains(f.Choices, part), part == "":
			return Condition{}, problem("choice", "可选值："+strings.Join(f.Choices, ", "),
				"This is one of: "+strings.Join(f.Choices, ", "))
		case f.Spelling != nil:
			add(f.Spelling(part))
		default:
			add(part)
		}
	}
	if f.Within != "" {
		return f.within(values, none, negated), nil
	}
	if negated && len(f.Choices) > 0 { // what is left is a set as well, which an index finds
		var left []any
		for _, choice := range f.Choices {
			if !slices.Contains(values, any(choice)) {
				left = append(left, choice)
			}
		}
		values, none, negated = left, f.None && !none, false
	}
	if negated {
		return f.outside(values, !none && f.None), nil
	}
	return f.either(in(f.Column, values), none), nil
}

func in(column string, values []any) Condition {
	if len(values) == 0 {
		return Condition{SQL: never}
	}
	return Condition{
		SQL: "@" + column + " IN (" + marks(len(values)) + ")", Values: values, Column: column, One: values,
	}
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// either adds the rows without a value to those of c.
func (f *Filter) either(c Condition, none bool) Condition {
	if !none {
		return c
	}
	found := Or(c, f.null(false))
	found.Column, found.One, found.Null = f.Column, c.One, true
	return found
}

// outside is all values but some. It is written as the intervals between them, which an index finds.
func (f *Filter) outside(values []any, none bool) Condition {
	var numbers []int64
	var words []string
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			numbers = append(numbers, v)
		case string:
			words = append(words, v)
		}
	}
	slices.Sort(numbers)
	slices.Sort(words)
	var sorted []any
	for _, n := range numbers {
		sorted = append(sorted, n)
	}
	for _, w := range words {
		sorted = append(sorted, w)
	}
	if len(sorted) == 0 {
		return f.null(true)
	}
	var parts []string
	out := Condition{Column: f.Column}
	for i, v := range sorted {
		if i == 0 {
			parts, out.Values = append(parts, "@"+f.Column+" < ?"), append(out.Values, v)
		} else {
			parts = append(parts, "@"+f.Column+" > ? AND @"+f.Column+" < ?")
			out.Values = append(out.Values, sorted[i-1], v)
		}
	}
	parts = append(parts, "@"+f.Column+" > ?")
	out.Values = append(out.Values, sorted[len(sorted)-1])
	if none {
		parts = append(parts, "@"+f.Column+" IS NULL")
	}
	out.SQL = "(" + strings.Join(parts, " OR ") + ")"
	return out
}

func (f *Filter) within(values []any, none, negated bool) Condition {
	all, one, _ := strings.Cut(f.Within, " AND ")
	named := Within(f.Column, all)
	if none && len(values) == 0 {
		if negated {
			return named
		}
		return Condition{SQL: "NOT " + named.Each, Dense: true}
	}
	c := Within(f.Column, all+" AND "+strings.Replace(one, "?", marks(len(values)), 1), values...)
	switch {
	case none && negated:
		return Condition{SQL: "(NOT " + c.Each + " AND " + named.Each + ")", Values: values, Dense: true}
	case none:
		return Condition{SQL: "(" + c.Each + " OR NOT " + named.Each + ")", Values: values, Dense: true}
	case negated:
		return Condition{SQL: "NOT " + c.Each, Values: values, Dense: true}
	}
	return c
}

// Within is the condition that a SELECT on another table gives the row's id. It begins with SELECT and one column, and
// ends in its conditions. The column of the list's table is not a name of that table's.
func Within(column, sub string, values ...any) Condition {
	other, _, _ := strings.Cut(strings.TrimPrefix(sub, "SELECT "), " ")
	return Condition{
		SQL: "@" + column + " IN (" + sub + ")", Values: values, Within: sub,
		// With an OFFSET PostgreSQL asks for each row. Otherwise it may make a join that begins with all rows of sub.
		Each: "EXISTS (" + sub + " AND " + other + " = {table}." + column + " LIMIT 1 OFFSET 0)",
	}
}

// interval reads a, a..b, a.. and ..b. end gives the last value that an end takes in; nil: the start of what follows it
// is the end.
func (f *Filter) interval(value string, negated bool, read func(string) (any, bool), end func(any) any) (
	Condition, *fault.Field,
) {
	if value == "none" && f.None {
		return f.null(negated), nil
	}
	bad := problem("format", "格式应为 10..20、10.. 或 ..20", "This must be as 10..20, 10.. or ..20")
	if f.Kind == Date {
		bad = problem("format", "格式应为 2026-01-01..2026-12-31，两端均可省略",
			"This must be as 2026-01-01..2026-12-31; either end may be left out")
	}
	from, to, isRange := strings.Cut(value, "..")
	if !isRange {
		to = from
	}
	var low, high any
	ok := true
	if from != "" {
		low, ok = read(from)
	}
	if to != "" && ok {
		high, ok = read(to)
	}
	if !ok || low == nil && high == nil {
		return Condition{}, bad
	}
	least, most := "@"+f.Column+" >= ?", "@"+f.Column+" <= ?"
	if high != nil && end(high) == nil {
		next, whole := after(high.(dated))
		if whole {
			most = "@" + f.Column + " < ?"
		}
		high = next
	}
	if d, is := low.(dated); is {
		low = d.at.UTC()
	}
	if negated {
		least, most = strings.Replace(least, ">=", "<", 1), strings.NewReplacer("<=", ">", "<", ">=").Replace(most)
	}
	var parts []string
	out := Condition{Column: f.Column, Interval: !negated}
	for _, side := range []struct {
		sql   string
		value any
	}{{least, low}, {most, high}} {
		if side.value != nil {
			parts, out.Values = append(parts, side.sql), append(out.Values, side.value)
		}
	}
	if negated {
		if f.None {
			parts = append(parts, "@"+f.Column+" IS NULL")
		}
		out.SQL = "(" + strings.Join(parts, " OR ") + ")"
	} else {
		out.SQL = "(" + strings.Join(parts, " AND ") + ")"
	}
	return out, nil
}

func (f *Filter) number(s string) (any, bool) {
	if f.Unit == "money" {
		amount, err := money.Parse(s)
		return int64(amount), err == nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// dated is a moment, or a whole day that begins then.
type dated struct {
	at  time.Time
	day bool
}

func startOf(s string, zone *time.Location) (any, bool) {
	if day, err := time.ParseInLocation(time.DateOnly, s, zone); err == nil {
		return dated{day, true}, text.InRange(day)
	}
	at, err := time.Parse(time.RFC3339, s)
	return dated{at, false}, err == nil && text.InRange(at)
}

// after returns the end of what was named: of a day the start of the next one, which is outside.
func after(d dated) (at time.Time, exclusive bool) {
	if !d.day {
		return d.at.UTC(), false
	}
	return d.at.AddDate(0, 0, 1).UTC(), true
}

// Prefix is the condition that a text column, whose index is in the order of bytes, begins with some text.
func Prefix(column, begins string) Condition {
	return Condition{
		SQL: "(@" + column + " >= ? AND @" + column + " < ?)", Values: []any{begins, begins + "\U0010ffff"},
		Column: column, Interval: true,
	}
}

// Equal is the condition that a column has a value.
func Equal(column string, value any) Condition {
	return Condition{SQL: "@" + column + " = ?", Values: []any{value}, Column: column, One: []any{value}}
}

// OneOf is the condition that a column has one of some values.
func OneOf[T any](column string, values []T) Condition {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = value
	}
	return in(column, all)
}

// Or is the condition that one of two holds.
func Or(a, b Condition) Condition {
	switch { // a term that no index serves would have the engine read all rows
	case a.SQL == never:
		return b
	case b.SQL == never:
		return a
	}
	return Condition{
		SQL:    "(" + a.SQL + " OR " + b.SQL + ")",
		Values: append(slices.Clone(a.Values), b.Values...), Dense: a.Dense || b.Dense,
	}
}
