package link

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// recordedQueries collects the queries that a database receives.
type recordedQueries struct{ queries []string }

func (a *recordedQueries) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	return ctx
}

func (a *recordedQueries) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	a.queries = append(a.queries, e.Query)
}

// Tables with one row per node, per kind of change, or per setting may be scanned completely.
var (
	scanned = regexp.MustCompile(`^SCAN (\w+)|Seq Scan on (\w+)`)
	small   = map[string]bool{"node": true, "revision": true, "CONSTANT": true}
)

// A fetch costs the same among a million users as among a thousand: nothing that it asks reads all rows of a table that
// grows with them.
func TestFetch_ScansNoTable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		services := service.New(d, seal.Key{1}, settings)
		links := New(d, seal.Key{}, settings, "https://site.example.com", nil, services,
			node.New(d, seal.Key{}, settings, services), nil)
		if err := d.Tx(t.Context(), func(ctx context.Context,
			tx bun.Tx,
		) error {
			return services.Open(ctx, tx, 7)
		}); err != nil {
			t.Fatal(err)
		}
		token, err := links.Token(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		a := &recordedQueries{queries: []string{d.QueryGen().FormatQuery(knownText, service.Revision, node.Revision,
			hash(token.Token))}}
		d.DB = d.WithQueryHook(a)
		if _, err := links.Get(t.Context(), Request{Token: token.Token, ClientType: "ClashMeta"}); err != nil {
			t.Fatal(err)
		}
		queries := a.queries
		if len(queries) < 3 {
			t.Fatalf("a fetch asks more than %q", queries)
		}
		conn, err := d.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		explain := "EXPLAIN QUERY PLAN "
		if !d.SQLite() {
			explain = "EXPLAIN "
			if _, err := conn.ExecContext(t.Context(),
				"SET enable_seqscan = off"); err != nil { // Otherwise it scans empty tables.
				t.Fatal(err)
			}
		}
		for _, query := range queries {
			rows, err := conn.QueryContext(t.Context(), explain+query)
			if err != nil {
				t.Fatal(err)
			}
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
				if found := scanned.FindStringSubmatch(strings.TrimSpace(step)); found != nil &&
					!small[found[1]+found[2]] {
					t.Errorf("%s\nin %s", step, query)
				}
			}
			rows.Close()
		}
	})
}
