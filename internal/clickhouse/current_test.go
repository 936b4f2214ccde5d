package clickhouse_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clickhouse"
	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/db/dbtest"
)

var tables = []string{"airstrip_schema", "traffic", "node", "sign_in", "audit_hit", "link_fetch", "user_state"}

// onCurrent replays on a current engine what the site has sent to the server of the tests.
type onCurrent struct {
	*world
	current *chtest.Current
	columns map[string]string // the tables' columns, as inserts name them
	asked   int
}

// load adds the rows that the server has by the inserts that were sent.
func (o *onCurrent) load() {
	o.Helper()
	for _, table := range tables {
		columns := o.columns[table]
		if columns == "" {
			o.Fatalf("nothing was inserted into %s", table)
		}
		var values []string
		for _, name := range strings.Split(columns, ",") {
			values = append(values, "concat('''', replaceAll(toString("+strings.TrimSpace(name)+"), '''', ''''''), '''')")
		}
		rows := o.ch.Rows(o, "SELECT concat('(', "+strings.Join(values, ", ', ', ")+", ')') FROM "+table)
		o.current.Query("INSERT INTO " + table + " (" + columns + ") VALUES " + strings.Join(rows, ", "))
	}
}

// same insists on that both engines give the same rows.
func (o *onCurrent) same(query string) {
	o.Helper()
	want, got := o.ch.Rows(o, query), o.current.Query(query)
	if !strings.Contains(query, "ORDER BY") {
		slices.Sort(want)
		slices.Sort(got)
	}
	if !slices.Equal(got, want) {
		o.Errorf("%s\nthe current engine answers\n%s\n\n18.16 answers\n%s", query, strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
	o.asked += len(want)
}

// columnsOf adds the columns that an insert names.
func (o *onCurrent) columnsOf(insert string) {
	table, columns, _ := strings.Cut(strings.TrimPrefix(insert, "INSERT INTO "), "(")
	columns, _, _ = strings.Cut(columns, ")")
	o.columns[strings.TrimSpace(table)] = columns
}

// kindOf returns the first word of a statement.
func kindOf(statement string) string {
	return strings.ToUpper(strings.Fields(statement)[0])
}

func TestStatements_OnACurrentEngine_DoTheSame(t *testing.T) {
	current := chtest.NewCurrent(t)
	d := dbtest.SQLite(t)
	w := newWorld(t, d)
	recording := w.ch.Record()
	w.c = w.open(clickhouse.Config{URL: recording.URL, Password: chtest.Password})
	o := &onCurrent{world: w, current: current, columns: map[string]string{}}

	at := w.now.Add(-time.Hour)
	w.run(`INSERT INTO rule (name, text, pattern, revision, created_at) VALUES ('torrent', '', 'torrent', 1, ?)`, at)
	w.nodes[1], w.nodes[2] = "Tokyo", "Paris 'B'"
	for user := range int64(3) {
		w.addEvents(user+1, at)
		for ago := range int64(24 * 8) {
			w.log.count(key{w.hour(ago), user + 1, 1 + ago%2, 1000}, 10+ago, 20)
		}
	}
	w.states = []clickhouse.State{
		{UserID: 1, Up: 1 << 40, Quota: 1 << 50, Balance: -5, Expires: at},
		{UserID: 2, Expires: at},
		{UserID: 3, Expires: at},
	}
	w.copy()
	w.log.count(key{w.hour(0), 1, 1, 1000}, 1000, 0) // sent again under a higher version
	w.copy()
	q := clickhouse.Query{UserID: 1, From: w.now.AddDate(0, 0, -3), To: w.now, Limit: 20, Offset: 5}
	if _, source, err := w.c.Records(t.Context(), q); err != nil || source != clickhouse.FromClickHouse {
		t.Fatal(source, err)
	}
	if _, source, err := w.c.History(t.Context(), q); err != nil || source != clickhouse.FromClickHouse {
		t.Fatal(source, err)
	}
	if _, err := w.c.CompareTraffic(t.Context()); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, statement := range recording.Statements(t) {
		kind := kindOf(statement)
		if kinds[kind]++; kind == "CREATE" {
			current.Query(statement)
		} else if kind == "INSERT" {
			o.columnsOf(statement)
		}
	}
	o.load()
	for _, statement := range recording.Statements(t) {
		if kind := kindOf(statement); kind == "SELECT" {
			o.same(statement)
		}
	}
	if kinds["CREATE"] < len(tables) || kinds["INSERT"] < len(tables) || kinds["SELECT"] < 8 || o.asked < 30 {
		t.Fatalf("only %v statements were recorded, with %d rows", kinds, o.asked)
	}

	// A user closes the account, and a day has a row that must not be there: both are deleted.
	recording = w.ch.Record()
	w.c = w.open(clickhouse.Config{URL: recording.URL, Password: chtest.Password})
	wrong := `INSERT INTO traffic SELECT 99, toDateTime('2026-03-05 04:00:00', 'UTC'), 1, 1000, 1, 1, 1, 1`
	if err := w.ch.Conn.Exec(t.Context(), wrong); err != nil {
		t.Fatal(err)
	}
	current.Query(wrong)
	if err := w.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return w.c.Forget(ctx, tx, 2)
	}); err != nil {
		t.Fatal(err)
	}
	w.copy()
	if done, err := w.c.CompareTraffic(t.Context()); err != nil || done.Healed != 1 {
		t.Fatal(done, err)
	}
	o.load()
	altered := 0
	for _, statement := range recording.Statements(t) {
		switch kind := kindOf(statement); {
		case kind == "ALTER":
			current.Query(statement)
			altered++
		case strings.Contains(statement, "system.mutations"):
			o.await(statement)
		}
	}
	if altered != 6 {
		t.Errorf("%d deletions were recorded, want those of a user from 5 tables and that of a day", altered)
	}
	for _, table := range tables {
		if table != "airstrip_schema" {
			o.same("SELECT * FROM " + table + " FINAL")
		}
	}
	w.has(2)
}

// await runs a statement until it answers 0, as the server does.
func (o *onCurrent) await(statement string) {
	o.Helper()
	for end := time.Now().Add(20 * time.Second); o.current.Query(statement)[0] != "0"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			o.Fatal(fmt.Sprint("deletions have not ended: ", statement))
		}
	}
}
