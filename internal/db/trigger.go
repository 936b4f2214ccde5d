package db

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// appendOnlyTable matches the place in a migration at which the engine is made to refuse every change and removal of a
// table's rows. A migration puts it between StatementBegin and StatementEnd. Beside these there are
// those of derivedTables; migrations make no others, so CheckTriggers knows all of them.
var appendOnlyTable = regexp.MustCompile(`\{\{append_only (\w+)\}\}`)

// appendOnly holds these triggers; the key is whether the engine is SQLite.
var appendOnly = map[bool]string{
	true: `CREATE TRIGGER ${1}_no_update BEFORE UPDATE ON $1 BEGIN SELECT RAISE(ABORT, '$1 is append-only'); END;
CREATE TRIGGER ${1}_no_delete BEFORE DELETE ON $1 BEGIN SELECT RAISE(ABORT, '$1 is append-only'); END;`,
	false: `CREATE FUNCTION ${1}_append_only() RETURNS trigger LANGUAGE plpgsql AS
	$$$$BEGIN RAISE EXCEPTION '$1 is append-only' USING ERRCODE = 'check_violation'; END$$$$;
CREATE TRIGGER ${1}_no_update BEFORE UPDATE ON $1 FOR EACH ROW EXECUTE FUNCTION ${1}_append_only();
CREATE TRIGGER ${1}_no_delete BEFORE DELETE ON $1 FOR EACH ROW EXECUTE FUNCTION ${1}_append_only();
CREATE TRIGGER ${1}_no_truncate BEFORE TRUNCATE ON $1 FOR EACH STATEMENT EXECUTE FUNCTION ${1}_append_only();`,
}

// appendOnlyTables returns the tables that the migrations make append-only.
var appendOnlyTables = sync.OnceValue(func() (tables []string) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // the migrations are embedded
	}
	for _, file := range files {
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			panic(err)
		}
		for _, found := range appendOnlyTable.FindAllSubmatch(text, -1) {
			tables = append(tables, string(found[1]))
		}
	}
	return tables
})

// storedTriggers reads the triggers of a table as the engine stores them, by whether it is SQLite. On PostgreSQL that
// includes what each of them calls, and whether it is enabled, has a condition or is for some columns only; and what
// else can turn a statement on the table into another: rules, policies for rows and tables that inherit from it.
var storedTriggers = map[bool]string{
	true: `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`,
	false: `SELECT t.tgenabled::text || ' ' || t.tgtype || ' ' || (t.tgqual IS NULL
		AND t.tgattr = '') || ' ' || t.tgname
			|| ' ' || p.proname || ' ' || l.lanname || ' ' || p.prosrc
		FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang
		WHERE NOT t.tgisinternal AND t.tgrelid = to_regclass(?0)
		UNION ALL SELECT pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class = to_regclass(?0)
		UNION ALL SELECT 'policies' FROM pg_class WHERE oid = to_regclass(?0) AND relrowsecurity
		UNION ALL SELECT 'inherited' FROM pg_inherits WHERE inhparent = to_regclass(?0)`,
}

// expectedTriggers returns what storedTriggers finds on an append-only table that nobody changed.
func expectedTriggers(table string, sqlite bool) (want []string) {
	if sqlite {
		for _, event := range []string{"UPDATE", "DELETE"} {
			want = append(want, fmt.Sprintf(`CREATE TRIGGER %[1]s_no_%[3]s BEFORE %[2]s ON %[1]s
				BEGIN SELECT RAISE(ABORT, '%[1]s is append-only'); END`, table, event, strings.ToLower(event)))
		}
		return want
	}
	// The bits of tgtype: 1 for each row, 2 before, 8 delete, 16 update, 32 truncate.
	for event, bits := range map[string]int{"update": 1 | 2 | 16, "delete": 1 | 2 | 8, "truncate": 2 | 32} {
		want = append(want, fmt.Sprintf(`O %[3]d true %[1]s_no_%[2]s %[1]s_append_only plpgsql
			BEGIN RAISE EXCEPTION '%[1]s is append-only' USING ERRCODE = 'check_violation'; END`, table, event, bits))
	}
	return want
}

// CheckTriggers returns the append-only tables whose triggers differ from those that the migrations made: one is
// missing, disabled, or replaced by one that acts never or only sometimes, or another was added; and the triggers of
// derivedTables that are missing or disabled.
func (d *DB) CheckTriggers(ctx context.Context) (broken []Violation, err error) {
	for _, table := range appendOnlyTables() {
		var stored []string
		if err := d.NewRaw(storedTriggers[d.sqlite], table).Scan(ctx, &stored); err != nil {
			return nil, err
		}
		want := expectedTriggers(table, d.sqlite)
		for _, list := range [][]string{stored, want} {
			for i, definition := range list {
				list[i] = strings.Join(strings.Fields(definition), " ")
			}
			slices.Sort(list)
		}
		if !slices.Equal(stored, want) {
			broken = append(broken, Violation{
				"I3: append-only tables refuse changes and removals of their rows",
				"the triggers of the table " + table + " are not those that the migrations made",
			})
		}
	}
	missing, err := d.missingTriggers(ctx)
	return append(broken, missing...), err
}
