package listing_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/listing"
	"airstrip/internal/seal"
)

// things is a list with a filter of each kind.
func things() *listing.Resource {
	return &listing.Resource{
		Name: "things", Table: "link_fetch", ID: "id", Default: "-fetched",
		Search: func(_ context.Context, text string) (listing.Condition, error) {
			return listing.Prefix("client", text), nil
		},
		Filters: []listing.Filter{
			{Key: "format", Kind: listing.Choice, Column: "format", Choices: []string{"a", "b", "c"}},
			{Key: "client", Kind: listing.Text, Column: "client"},
			{Key: "user", Kind: listing.Reference, Column: "user_id"},
			{Key: "bytes", Kind: listing.Range, Column: "bytes"},
			{Key: "fetched", Kind: listing.Date, Column: "fetched_at"},
		},
		Sorts: []listing.Sort{
			{Key: "fetched", Column: "fetched_at", Kind: listing.Time},
			{Key: "bytes", Column: "bytes"},
			{Key: "client", Column: "client", Kind: listing.String},
		},
	}
}

var berlin, _ = time.LoadLocation("Europe/Berlin")

func newLists(d *db.DB) *listing.Lists {
	return listing.New(d, seal.Key{1}, func() *time.Location { return berlin })
}

type thing struct {
	bun.BaseModel `bun:"table:link_fetch"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	FetchedAt     time.Time
	Token         string
	IP            string
	Network       string
	Area          string
	Client        string
	Version       string
	UserAgent     string
	Format        string
	Status        int64
	Nodes         int64
	LeftOut       int64
	Bytes         int64
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func mustFill(t *testing.T, d *db.DB, n int) []thing {
	t.Helper()
	all := make([]thing, n)
	for i := range all {
		all[i] = thing{
			UserID: int64(i % 7), FetchedAt: noon.Add(time.Duration(i%5) * time.Hour), Format: string("abc"[i%3]),
			Client: fmt.Sprintf("client %d", i%4), Bytes: int64(i % 11), Status: 200,
		}
	}
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&all).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// mustRead reads a list page by page.
func mustRead(t *testing.T, l *listing.Lists, query string) (ids []int64) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		q, err := l.Parse(t.Context(), things(), values)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		page, err := l.Page(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		ids = append(ids, page.IDs...)
		if page.Next == "" {
			n, err := l.Count(t.Context(), q)
			if err != nil || n.Approximate || n.Rows != int64(len(ids)) {
				t.Errorf("%s: counted %+v, read %d: %v", query, n, len(ids), err)
			}
			return ids
		}
		values.Set("cursor", page.Next)
	}
	t.Fatalf("%s: the pages do not end", query)
	return nil
}

func TestPages_GiveEachRowOnceInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l, all := newLists(d), mustFill(t, d, 100)
		matches := map[string]func(thing) bool{
			"":                      func(thing) bool { return true },
			"format=a":              func(f thing) bool { return f.Format == "a" },
			"format=!a":             func(f thing) bool { return f.Format != "a" },
			"format=a,c":            func(f thing) bool { return f.Format != "b" },
			"user=2,3":              func(f thing) bool { return f.UserID == 2 || f.UserID == 3 },
			"user=!2,3":             func(f thing) bool { return f.UserID != 2 && f.UserID != 3 },
			"bytes=3..5":            func(f thing) bool { return f.Bytes >= 3 && f.Bytes <= 5 },
			"bytes=!3..5":           func(f thing) bool { return f.Bytes < 3 || f.Bytes > 5 },
			"bytes=..5":             func(f thing) bool { return f.Bytes <= 5 },
			"bytes=5..":             func(f thing) bool { return f.Bytes >= 5 },
			"bytes=5":               func(f thing) bool { return f.Bytes == 5 },
			"client=client 1":       func(f thing) bool { return f.Client == "client 1" },
			"q=client 2":            func(f thing) bool { return f.Client == "client 2" },
			"fetched=2026-03-01":    func(thing) bool { return true },
			"fetched=..2026-02-28":  func(thing) bool { return false },
			"fetched=!..2026-02-28": func(thing) bool { return true },
			"fetched=2026-03-01T13:00:00Z..2026-03-01T14:00:00Z": func(f thing) bool {
				return f.FetchedAt.Hour() == 13 || f.FetchedAt.Hour() == 14
			},
			"format=a&user=3": func(f thing) bool { return f.Format == "a" && f.UserID == 3 },
		}
		orders := map[string]func(a, b thing) int{
			"fetched": func(a, b thing) int { return a.FetchedAt.Compare(b.FetchedAt) },
			"bytes":   func(a, b thing) int { return int(a.Bytes - b.Bytes) },
			"client":  func(a, b thing) int { return strings.Compare(a.Client, b.Client) },
		}
		for filter, match := range matches {
			for key, order := range orders {
				for _, sign := range []string{"", "-"} {
					var want []thing
					for _, f := range all {
						if match(f) {
							want = append(want, f)
						}
					}
					slices.SortFunc(want, func(a, b thing) int {
						c := order(a, b)
						if c == 0 {
							c = int(a.ID - b.ID)
						}
						if sign == "-" {
							c = -c
						}
						return c
					})
					ids := []int64{}
					for _, f := range want {
						ids = append(ids, f.ID)
					}
					query := strings.ReplaceAll(filter, " ", "+") + "&limit=9&sort=" + sign + key
					if got := mustRead(t, l, query); !slices.Equal(got, ids) {
						t.Errorf("%s gives %v, want %v", query, got, ids)
					}
				}
			}
		}
	})
}

func TestParse_WhatIsUnknownOrBad_IsNamed(t *testing.T) {
	l := newLists(dbtest.SQLite(t))
	for query, field := range map[string]string{
		"color=red": "color", "format=d": "format", "format=a,": "format", "user=x": "user", "bytes=a..b": "bytes",
		"bytes=..": "bytes", "fetched=yesterday": "fetched", "fetched=2026-02-30": "fetched", "sort=color": "sort",
		"sort=--bytes": "sort", "limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "format=none": "format",
		"client=!a": "client", "cursor=AAAA": "cursor",
		"fetched=0001-01-01": "fetched",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Parse(t.Context(), things(), values)
		f, ok := fault.As(err)
		if !ok || f.Status != 422 || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v, want a fault of the field %s", query, err, field)
		}
	}
}

// A cursor goes with the filter, the sort and the list that it was made for.
func TestCursor_OfAnotherQuestion_IsRefused(t *testing.T) {
	d := dbtest.SQLite(t)
	l := newLists(d)
	mustFill(t, d, 20)
	first, err := l.Parse(t.Context(), things(), url.Values{"format": {"a"}, "limit": {"2"}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := l.Page(t.Context(), first)
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	other := things()
	other.Name = "others"
	for name, c := range map[string]struct {
		lists    *listing.Lists
		resource *listing.Resource
		values   url.Values
	}{
		"filter":   {l, things(), url.Values{"format": {"b"}}},
		"sort":     {l, things(), url.Values{"format": {"a"}, "sort": {"fetched"}}},
		"resource": {l, other, url.Values{"format": {"a"}}},
		"key": {
			listing.New(d, seal.Key{2}, func() *time.Location { return berlin }), things(),
			url.Values{"format": {"a"}},
		},
	} {
		c.values.Set("cursor", page.Next)
		if _, err := c.lists.Parse(t.Context(), c.resource, c.values); err == nil {
			t.Errorf("another %s takes the cursor", name)
		}
	}
	if _, err := l.Parse(t.Context(), things(),
		url.Values{"format": {"a"}, "limit": {"5"}, "cursor": {page.Next}}); err != nil {
		t.Errorf("another limit: %v", err)
	}
}

func TestCount_OfManyRows_IsAnEstimate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLists(d)
		for range 24 {
			mustFill(t, d, 1000)
		}
		for query, want := range map[string]int64{"": 24_000, "format=!a": 16_000} {
			values, _ := url.ParseQuery(query)
			q, err := l.Parse(t.Context(), things(), values)
			if err != nil {
				t.Fatal(err)
			}
			n, err := l.Count(t.Context(), q)
			if err != nil || !n.Approximate || n.Rows < want*9/10 || n.Rows > want*11/10 {
				t.Errorf("%q: %+v, want about %d: %v", query, n, want, err)
			}
		}
	})
}

// A day begins and ends in the site's time zone, also where the clocks change on it.
func TestDate_OfADay_IsThatOfTheSite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLists(d)
		all := mustFill(t, d, 4)
		for i, at := range []string{
			"2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z",
		} {
			moment, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewUpdate().Model((*thing)(nil)).Set("fetched_at = ?", moment).Where("id = ?", all[i].ID).
					Exec(ctx)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		want := []int64{all[1].ID, all[2].ID}
		if got := mustRead(t, l, "fetched=2026-03-29&sort=fetched"); !slices.Equal(got, want) {
			t.Errorf("the day has %v, want %v", got, want)
		}
	})
}
