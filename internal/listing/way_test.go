package listing_test

import (
	"context"
	"net/url"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/listing"
)

// people is a list with columns that may be empty, and indexes that are declared.
func people() *listing.Resource {
	return &listing.Resource{
		Name: "people", Table: "user_facts", ID: "user_id", Default: "created",
		Filters: []listing.Filter{
			{Key: "state", Kind: listing.Choice, Column: "state", Choices: []string{"active", "none", "expired"}},
			{Key: "plan", Kind: listing.Reference, Column: "plan_id", None: true},
			{Key: "ends", Kind: listing.Date, Column: "ends_at", None: true},
			{Key: "used", Kind: listing.Range, Column: "used_percent", None: true},
			{Key: "fetches", Kind: listing.Range, Column: "fetches"},
		},
		Sorts: []listing.Sort{
			{Key: "created", Column: "created_at", Kind: listing.Time},
			{Key: "ends", Column: "ends_at", Kind: listing.Time, None: true},
			{Key: "used", Column: "used_percent", None: true},
		},
		Indexes: []listing.Index{
			{Name: "user_facts_ends", Columns: []string{"ends_at", "user_id", "created_at", "used_percent", "balance"}},
			{Name: "user_facts_state", Columns: []string{"state", "ends_at", "user_id", "used_percent", "balance"}},
			{Name: "user_facts_plan", Columns: []string{"plan_id", "ends_at", "user_id", "used_percent", "balance"}},
		},
	}
}

// Lists that are read in steps, by pages of several values or by a driver after some steps, have the same pages.
func TestPages_ByEachWay_GiveEachRowOnceInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for i := range 120 {
				state := []string{"active", "none", "expired"}[i%3]
				var plan, used *int
				if i%3 == 0 {
					plan = new(1 + i%4/2)
				}
				if i%5 > 0 && state == "active" {
					used = new(i % 9)
				}
				ends := any(noon.AddDate(0, 0, i%8))
				if state == "none" {
					ends = nil
				}
				if _, err := tx.NewRaw(`INSERT INTO user_facts (user_id, email, domain, name, role, state, plan_id, ends_at,
					used_percent, balance, area, fetches, created_at) VALUES (?, '', '', '', '', ?, ?, ?, ?, 0, '', ?, ?)`,
					i+1, state, plan, ends, used, i%2, noon.AddDate(0, 0, i%6)).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for filter, where := range map[string]string{
			"":                                  "1 = 1",
			"state=none":                        "state = 'none'",
			"state=none,expired":                "state IN ('none', 'expired')",
			"state=!none&fetches=1":             "state <> 'none' AND fetches = 1",
			"plan=none":                         "plan_id IS NULL",
			"plan=1,none&fetches=0":             "(plan_id = 1 OR plan_id IS NULL) AND fetches = 0",
			"plan=1,1,none,none":                "(plan_id = 1 OR plan_id IS NULL)",
			"plan=!1":                           "(plan_id <> 1 OR plan_id IS NULL)",
			"ends=none":                         "ends_at IS NULL",
			"ends=!none&used=none":              "ends_at IS NOT NULL AND used_percent IS NULL",
			"used=2..5":                         "used_percent BETWEEN 2 AND 5",
			"used=!2..5&plan=none":              "(used_percent < 2 OR used_percent > 5 OR used_percent IS NULL) AND plan_id IS NULL",
			"used=none&fetches=1&state=expired": "used_percent IS NULL AND fetches = 1 AND state = 'expired'",
		} {
			for key, column := range map[string]string{"created": "created_at", "ends": "ends_at", "used": "used_percent"} {
				for sign, direction := range map[string]string{"": "", "-": " DESC"} {
					var want []int64
					if err := d.NewRaw("SELECT user_id FROM user_facts WHERE "+where+" ORDER BY "+column+" IS NULL, "+
						column+direction+", user_id"+direction).Scan(t.Context(), &want); err != nil {
						t.Fatal(err)
					}
					for _, cost := range []int64{1, 60, 60_000} {
						query := filter + "&limit=7&sort=" + sign + key
						if got := mustReadAll(t, newLists(d).InSteps(cost), query); !slices.Equal(got, want) {
							t.Errorf("%s in steps of %d gives %v, want %v", query, cost, got, want)
						}
					}
				}
			}
		}
	})
}

func mustReadAll(t *testing.T, l *listing.Lists, query string) (ids []int64) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		q, err := l.Parse(t.Context(), people(), values)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		page, err := l.Page(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if ids = append(ids, page.IDs...); page.Next == "" {
			return ids
		}
		values.Set("cursor", page.Next)
	}
	t.Fatalf("%s: the pages do not end", query)
	return nil
}
