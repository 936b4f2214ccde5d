// Package listing makes the lists of the console: what a list is filtered and sorted by is declared once, as a
// Resource, and from that follow the reading of addresses, the SQL, the contract and the tests of query plans. A page
// is read by key, never by offset, so that the thousandth costs as much as the first. Its cursor is signed for the
// filter, the sort and the resource, and is refused with any other.
package listing

import (
	"context"
	"time"

	"airstrip/internal/fault"
)

// Kind says what values a filter takes.
type Kind string

// The kinds of filters.
const (
	Choice    Kind = "choice"    // one or more of Choices, or of any short text where there are none
	Range     Kind = "range"     // a number, or from..to, either end may be left out
	Date      Kind = "date"      // a day of the site's time zone or a time, or from..to
	Text      Kind = "text"      // how the column begins
	Reference Kind = "reference" // one or more numbers of another resource
)

// Filter is one thing that a list is narrowed by. There is an index that begins with its column.
type Filter struct {
	Key     string
	Kind    Kind
	Column  string // of the resource's table
	Doc     string // for the contract
	Choices []string
	Of      string // the resource whose numbers a Reference takes
	Unit    string // of a Range: money, bytes, percent; empty: a count
	None    bool   // whether the column may be empty, which "none" asks for
	// Spelling turns a value of a Choice, as a person types it, into what the column has; nil: it is taken as it is.
	Spelling func(string) string
	// Within is SQL on another table that gives the ids of the rows, with ? for the values; it takes Column's place. It
	// begins with SELECT and one column, and ends in its conditions.
	Within string
}

// Sort is one order of a list. There is an index on its column and the id.
type Sort struct {
	Key    string
	Column string
	Kind   SortKind
	None   bool // whether the column may be empty; such rows come last in both directions
}

// SortKind is what a column holds that a list is sorted by.
type SortKind int

// The kinds of columns.
const (
	Number SortKind = iota
	Time
	String
)

// Index is an index of a resource's table that gives more than the rows of its first column: pages of a filter in the
// order of a sort, where it begins with both columns and the id; or the rows of a filter or a sort without a look-up of
// each, where it has all columns that the list is filtered and sorted by. Other indexes are not declared.
type Index struct {
	Name    string
	Columns []string
	Null    string // the column that is empty in all rows that the index has; empty: it has all rows
}

// Condition is a part of WHERE. Its columns have an @ before them.
type Condition struct {
	SQL    string
	Values []any
	// Column is the only column that the condition looks at. Empty: there are others, or nobody said.
	Column string
	// One and Null say that the condition is Column having one of these values, or being empty.
	One  []any
	Null bool
	// Interval says that the condition is Column having a value between two.
	Interval bool
	// Within is the SELECT on another table that gives the ids of the rows, and Each the same condition as SQL that is
	// asked for one row, which is for following another index. Empty: SQL serves for both.
	Within, Each string
	// Dense says that no index finds the rows, since they are nearly all.
	Dense bool
	// Secret says that what was typed opens something, so that Query.Logged leaves it out.
	Secret bool
}

// Resource declares a list.
type Resource struct {
	Name    string // of its operations: the plural, with _
	Table   string
	ID      string // the table's primary key
	Filters []Filter
	Sorts   []Sort
	Indexes []Index
	Default string // the sort that is taken where none is named, with - for descending
	// Search turns what a person typed into a condition that indexes serve; nil: the list has no search. A fault of
	// the field "q" says what cannot be searched for.
	Search    func(ctx context.Context, text string) (Condition, error)
	SearchDoc string
}

func (r *Resource) filter(key string) *Filter {
	for i := range r.Filters {
		if r.Filters[i].Key == key {
			return &r.Filters[i]
		}
	}
	return nil
}

func (r *Resource) sort(key string) *Sort {
	for i := range r.Sorts {
		if r.Sorts[i].Key == key {
			return &r.Sorts[i]
		}
	}
	return nil
}

// MaxLimit is how many rows one page has at most, DefaultLimit how many where nobody says.
const (
	MaxLimit     = 100
	DefaultLimit = 50
)

// Page is a part of a list.
type Page struct {
	IDs  []int64
	Next string // the cursor of the page after; empty: there is none
}

// Count is how many rows a filter finds.
type Count struct {
	Rows        int64
	Approximate bool // whether Rows is an estimate, above ExactUpTo
}

// ExactUpTo is up to where rows are counted.
const ExactUpTo = 10_000

// ErrCursor is the fault of a cursor that was made for another filter, sort or list, or by nobody here.
var ErrCursor = fault.Invalid("cursor", "cursor", "页码已失效，请从第一页重新开始",
	"This place in the list is no longer known; please begin at the first page")

// Zone returns the time zone in which days begin.
type Zone func() *time.Location

// someTime stands for any.
var someTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
