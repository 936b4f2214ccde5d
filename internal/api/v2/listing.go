package v2

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/listing"
	"airstrip/internal/permission"
)

// List is a list of the console: three operations, which give a page, how many rows there are, and a file of all rows.
type List[T any] struct {
	Path     string // below /api/v2
	ID       string // of the operation that gives a page; the others are ID_count and ID_csv
	Summary  string
	Needs    permission.Permission
	Resource *listing.Resource
	// Load gives the rows with these ids, in any order.
	Load func(ctx context.Context, who account.Identity, ids []int64) ([]T, error)
	Key  func(row *T) int64
	CSV  []Column[T]
}

// Column is a column of the file that a list gives. It never shows a secret or a link.
type Column[T any] struct {
	Name string
	Cell func(row *T) string
}

// ListPage is one page of a list.
type ListPage[T any] struct {
	Rows       []T    `json:"rows"`
	NextCursor string `json:"next_cursor" doc:"For the parameter cursor of the next page; empty: this is the last one"`
}

// ListCount is how many rows a list has.
type ListCount struct {
	Rows        int64 `json:"rows"`
	Approximate bool  `json:"approximate" doc:"More than 10,000 rows are estimated"`
}

// listInput is the query of a list, which package listing reads.
type listInput struct{ values url.Values }

// Resolve is asked for by huma.
func (i *listInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	i.values = u.Query()
	return nil
}

// HandleListing registers the operations of a list.
func HandleListing[T any](r *Router, lists *listing.Lists, list List[T]) {
	filters := listParameters(list.Resource)
	page := append(slices.Clone(filters), sortParameter(list.Resource),
		&huma.Param{
			Name: "limit", In: "query", Description: "Rows of a page",
			Schema: &huma.Schema{
				Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(listing.MaxLimit)),
				Default: listing.DefaultLimit,
			},
		},
		&huma.Param{
			Name: "cursor", In: "query", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "next_cursor of the page before, with the same filters and sort",
		})
	Handle(r, StaffOp("GET "+list.Path, list.Needs).Named(list.ID, list.Summary).withParameters(page),
		func(ctx context.Context, who account.Identity, in *listInput) (ListPage[T], error) {
			q, err := lists.Parse(ctx, list.Resource, in.values)
			if err != nil {
				return ListPage[T]{}, err
			}
			found, err := lists.Page(ctx, q)
			if err != nil {
				return ListPage[T]{}, err
			}
			rows, err := list.load(ctx, who, found.IDs)
			return ListPage[T]{rows, found.Next}, err
		})
	Handle(r, StaffOp("GET "+list.Path+"/count", list.Needs).withParameters(filters).
		Named(list.ID+"_count", list.Summary+": how many"),
		func(ctx context.Context, _ account.Identity, in *listInput) (ListCount, error) {
			q, err := lists.Parse(ctx, list.Resource, in.values)
			if err != nil {
				return ListCount{}, err
			}
			n, err := lists.Count(ctx, q)
			return ListCount{n.Rows, n.Approximate}, err
		})
	HandleCSVStream(r, StaffOp("GET "+list.Path+"/csv", list.Needs).ChangesByGET().
		withParameters(append(slices.Clone(filters), sortParameter(list.Resource))).
		Named(list.ID+"_csv", list.Summary+": all of them as a file; it is audited"),
		func(ctx context.Context, who account.Identity, in *listInput) (Rows, error) {
			q, err := lists.Parse(ctx, list.Resource, in.values)
			if err != nil {
				return nil, err
			}
			err = audit.Note(ctx, "list.export", audit.Object{Kind: "list", ID: list.Resource.Name},
				map[string]any{"filter": q.Logged()}, "")
			if err != nil {
				return nil, err
			}
			return list.rows(ctx, who, lists, q), nil
		})
}

// load gives the rows in the order of the ids. A row that went meanwhile is left out.
func (l *List[T]) load(ctx context.Context, who account.Identity, ids []int64) ([]T, error) {
	out := make([]T, 0, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := l.Load(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	at := make(map[int64]int, len(rows))
	for i := range rows {
		at[l.Key(&rows[i])] = i
	}
	for _, id := range ids {
		if i, found := at[id]; found {
			out = append(out, rows[i])
		}
	}
	return out, nil
}

func (l *List[T]) rows(ctx context.Context, who account.Identity, lists *listing.Lists, q *listing.Query) Rows {
	return func(row func(...string) error) error {
		header := make([]string, len(l.CSV))
		for i, c := range l.CSV {
			header[i] = c.Name
		}
		if err := row(header...); err != nil {
			return err
		}
		for ids, err := range lists.All(ctx, q) {
			if err != nil {
				return err
			}
			rows, err := l.load(ctx, who, ids)
			if err != nil {
				return err
			}
			for i := range rows {
				cells := make([]string, len(l.CSV))
				for j, c := range l.CSV {
					cells[j] = c.Cell(&rows[i])
				}
				if err := row(cells...); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// withParameters names parameters of the query that the type of the input does not.
func (o Op) withParameters(parameters []*huma.Param) Op {
	o.parameters = parameters
	return o
}

func sortParameter(r *listing.Resource) *huma.Param {
	var choices []any
	for _, s := range r.Sorts {
		choices = append(choices, s.Key, "-"+s.Key)
	}
	return &huma.Param{
		Name: "sort", In: "query", Description: "- before it sorts descending; " + r.Default + " by default",
		Schema: &huma.Schema{Type: huma.TypeString, Enum: choices},
	}
}

// forms say how the value of each kind of filter is written.
var forms = map[listing.Kind]string{
	listing.Choice:    "values, separated by commas",
	listing.Range:     "a number, or 10..20, 10.., ..20",
	listing.Date:      "a day of the site's time zone or a time, or from..to, either end left out or not",
	listing.Text:      "how it begins",
	listing.Reference: "numbers, separated by commas",
}

// listParameters writes a resource's filters into the contract. x-filter has what a page needs to offer the filter.
func listParameters(r *listing.Resource) (out []*huma.Param) {
	for i := range r.Filters {
		f := &r.Filters[i]
		text := f.Doc + ": " + forms[f.Kind]
		if f.None {
			text += "; none: it has none"
		}
		if f.Kind != listing.Text {
			text += "; ! before it negates"
		}
		filter := map[string]any{"kind": f.Kind, "none": f.None}
		if len(f.Choices) > 0 {
			filter["choices"] = f.Choices
			text += ". Of " + strings.Join(f.Choices, ", ")
		}
		if f.Of != "" {
			filter["of"] = f.Of
		}
		if f.Unit != "" {
			filter["unit"] = f.Unit
		}
		out = append(out, &huma.Param{
			Name: f.Key, In: "query", Description: text, Schema: &huma.Schema{Type: huma.TypeString},
			Extensions: map[string]any{"x-filter": filter},
		})
	}
	slices.SortFunc(out, func(a, b *huma.Param) int { return cmp.Compare(a.Name, b.Name) })
	if r.Search != nil {
		out = append(out, &huma.Param{
			Name: "q", In: "query", Description: r.SearchDoc,
			Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(200)},
		})
	}
	return out
}
