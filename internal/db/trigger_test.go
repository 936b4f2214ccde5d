package db_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// unprotected gives what the check says of triggers after statements that no part of the program would run.
func unprotected(t *testing.T, d *db.DB, statements ...string) (found []string) {
	t.Helper()
	for _, s := range statements {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, s)
			return err
		}); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	broken, err := d.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range broken {
		found = append(found, v.Rule+": "+v.What)
	}
	return found
}

// Triggers that are there and do nothing are found as missing ones are.
func TestCheck_TriggersThatDoNothing_AreFound(t *testing.T) {
	const (
		create = `CREATE TRIGGER audit_seal_no_update BEFORE UPDATE ON audit_seal `
		refuse = `BEGIN SELECT RAISE(ABORT, 'audit_seal is append-only'); END`
		call   = `EXECUTE FUNCTION audit_seal_append_only()`
	)
	drop := map[bool]string{
		true:  `DROP TRIGGER audit_seal_no_update`,
		false: `DROP TRIGGER audit_seal_no_update ON audit_seal`,
	}
	for name, engines := range map[string]map[bool][]string{ // by whether it is SQLite
		"missing":  {true: {drop[true]}, false: {drop[false]}},
		"disabled": {true: {drop[true]}, false: {`ALTER TABLE audit_seal DISABLE TRIGGER ALL`}},
		"condition": {
			true:  {drop[true], create + `WHEN (false) ` + refuse},
			false: {drop[false], create + `FOR EACH ROW WHEN (false) ` + call},
		},
		"body": {
			true: {drop[true], create + `BEGIN SELECT 1; END`},
			false: {`CREATE OR REPLACE FUNCTION audit_seal_append_only() RETURNS trigger LANGUAGE plpgsql AS
				$$BEGIN RETURN COALESCE(NEW, OLD); END$$`},
		},
		"some columns": {
			true:  {drop[true], strings.Replace(create, "UPDATE", "UPDATE OF seq", 1) + refuse},
			false: {drop[false], strings.Replace(create, "UPDATE", "UPDATE OF seq", 1) + `FOR EACH ROW ` + call},
		},
		"afterwards": {
			true:  {drop[true], strings.Replace(create, "BEFORE", "AFTER", 1) + refuse},
			false: {drop[false], strings.Replace(create, "BEFORE", "AFTER", 1) + `FOR EACH ROW ` + call},
		},
		"statement": {
			true:  {drop[true]},
			false: {drop[false], create + `FOR EACH STATEMENT ` + call},
		},
		"another one added": {
			true: {`CREATE TRIGGER quiet BEFORE INSERT ON audit_seal BEGIN SELECT RAISE(IGNORE); END`},
			false: {
				`CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$`,
				`CREATE TRIGGER quiet BEFORE INSERT ON audit_seal FOR EACH ROW EXECUTE FUNCTION quiet()`,
			},
		},
		"rewritten by a rule": {
			true:  {drop[true]},
			false: {`CREATE RULE quiet AS ON INSERT TO audit_seal DO INSTEAD NOTHING`},
		},
		"hidden by a policy": {
			true:  {drop[true]},
			false: {`ALTER TABLE audit_seal ENABLE ROW LEVEL SECURITY`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				if found := unprotected(t, d); found != nil {
					t.Fatalf("found %q in a database that nobody changed", found)
				}
				found := unprotected(t, d, engines[d.SQLite()]...)
				if len(found) != 1 || !strings.Contains(found[0],
					"the triggers of the table audit_seal are not those") {
					t.Errorf("found %q, want the triggers of audit_seal", found)
				}
			})
		})
	}
}

// CheckTriggers knows the triggers that {{append_only}} makes, so no migration makes another.
func TestMigrations_MakeNoTriggersOfTheirOwn(t *testing.T) {
	own := regexp.MustCompile(`(?i)\bCREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+)?(TRIGGER|FUNCTION|RULE)\b`)
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := own.Find(text); found != nil {
			t.Errorf("%s has %q: the doctor does not know it", file, found)
		}
	}
}
