package console_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/listing"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

func newConsole(t testing.TB, d *db.DB) *console.Console {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return console.New(d, seal.Key{1}, settings, nil, nil, nil)
}

// resources are all lists of the console.
func resources(c *console.Console) []*listing.Resource {
	return []*listing.Resource{
		c.Users(), c.Orders(), c.Recharges(), c.LinkFetches(), c.RuleHits(), c.Ledger(),
		c.Services(), c.Invoices(), c.AuditEntries(),
	}
}

// samples gives values of each kind of filter.
func samples(f *listing.Filter) (values []string) {
	switch f.Kind {
	case listing.Choice:
		values = []string{"a", "a,b", "!a"}
		if len(f.Choices) > 1 {
			values = []string{f.Choices[0], f.Choices[0] + "," + f.Choices[1], "!" + f.Choices[0]}
		}
	case listing.Reference:
		values = []string{"1", "1,2", "!1,2"}
	case listing.Range:
		values = []string{"5", "5..10", "5..", "..10", "!5..10"}
	case listing.Date:
		values = []string{"2026-01-01", "2026-01-01..2026-02-01", "2026-01-01..", "..2026-02-01", "!2026-01-01"}
	case listing.Text:
		values = []string{"a"}
	}
	if f.None {
		values = append(values, "none", "!none")
	}
	return values
}

// Nothing that a list asks reads all rows of its table, whatever it is filtered and sorted by.
func TestLists_EachFilterAndSort_ReadsNoWholeTable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newConsole(t, d)
		for _, r := range resources(c) {
			t.Run(r.Name, func(t *testing.T) {
				filters := []url.Values{{}}
				for i := range r.Filters {
					for _, value := range samples(&r.Filters[i]) {
						filters = append(filters, url.Values{r.Filters[i].Key: {value}})
					}
					for j := range i { // pairs
						filters = append(filters, url.Values{
							r.Filters[i].Key: samples(&r.Filters[i])[:1], r.Filters[j].Key: samples(&r.Filters[j])[:1],
						})
					}
				}
				for _, typed := range []string{"ann", "ann@example.com", "@example.com", "17", "banned", strings.Repeat("a", 32)} {
					filters = append(filters, url.Values{"q": {typed}})
				}
				checked := map[string]bool{}
				for _, filter := range filters {
					for _, sort := range r.Sorts {
						for _, sign := range []string{"", "-"} {
							filter.Set("sort", sign+sort.Key)
							q, err := c.Lists.Parse(t.Context(), r, filter)
							if err != nil {
								t.Fatalf("%v: %v", filter, err)
							}
							for _, s := range q.Statements(d) {
								if !checked[s.Text] {
									checked[s.Text] = true
									checkPlan(t, d, r.Table, s)
								}
							}
						}
					}
				}
				if len(checked) < 50 {
					t.Errorf("only %d statements were seen", len(checked))
				}
			})
		}
	})
}

// The lists are declared with the indexes that there are.
func TestIndexes_OfLists_AreInTheSchema(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, r := range resources(newConsole(t, d)) {
			for _, index := range r.Indexes {
				var columns []string
				query, values := "SELECT name FROM pragma_index_info(?) ORDER BY seqno", []any{index.Name}
				if !d.SQLite() {
					query = `SELECT attname FROM pg_attribute WHERE attrelid = ?::regclass ORDER BY attnum`
				}
				if err := d.NewRaw(query, values...).Scan(t.Context(), &columns); err != nil {
					t.Fatal(index.Name, err)
				}
				if !slices.Equal(columns, index.Columns) {
					t.Errorf("%s has the columns %v, and is declared with %v", index.Name, columns, index.Columns)
				}
			}
		}
	})
}

var (
	liteScan   = regexp.MustCompile(`^SCAN (\w+)`)
	seqScan    = regexp.MustCompile(`Seq Scan on (\w+)`)
	sortedNode = regexp.MustCompile(`->\s+Sort|^Sort|Incremental Sort`)
)

func checkPlan(t *testing.T, d *db.DB, table string, s listing.Statement) {
	t.Helper()
	steps := explain(t, d, s)
	if all := strings.Join(steps, "\n"); s.IsPair && !strings.Contains(all, "Index Cond: (") && !strings.Contains(all, "SEARCH ") {
		t.Errorf("%s\ndoes not look for the value\n%s", s.Text, all)
	}
	for _, step := range steps {
		bad := false
		if d.SQLite() {
			found := liteScan.FindStringSubmatch(step)
			whole := found != nil && found[1] == table
			byIndex := strings.Contains(step, "USING INDEX") || strings.Contains(step, "USING COVERING INDEX")
			bad = whole && (!byIndex || !s.Sorted && !s.Whole) ||
				s.Sorted && strings.Contains(step, "TEMP B-TREE FOR ORDER")
		} else {
			found := seqScan.FindStringSubmatch(step)
			bad = found != nil && found[1] == table || s.Sorted && sortedNode.MatchString(step)
		}
		if bad {
			t.Errorf("%s\n%s", s.Text, strings.Join(steps, "\n"))
			return
		}
	}
}

func explain(t *testing.T, d *db.DB, s listing.Statement) (steps []string) {
	t.Helper()
	conn, err := d.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text := "EXPLAIN QUERY PLAN "
	if !d.SQLite() {
		text = "EXPLAIN "
		// Otherwise it reads and sorts the few rows of a test.
		set := `SET enable_seqscan = off; SET enable_sort = on; SET enable_bitmapscan = on`
		if s.Sorted {
			set = `SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off`
		}
		if _, err := conn.ExecContext(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.QueryContext(t.Context(), text+s.Text)
	if err != nil {
		t.Fatal(s.Text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int64
		var step string
		into := []any{&step}
		if d.SQLite() {
			into = []any{&id, &parent, &unused, &step}
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}
