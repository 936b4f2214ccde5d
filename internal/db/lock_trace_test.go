package db_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestTracedLocks_TakenInOppositeOrder_AreADeadlock(t *testing.T) {
	url, locks := dbtest.TraceLocks(t, dbtest.PostgresURL(t))
	d, err := db.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, err := d.ExecContext(t.Context(), `INSERT INTO revision (name, value) VALUES (?, 1)`, name); err != nil {
			t.Fatal(err)
		}
	}
	// Each word locks the row of its first letter: as an update does, or with the strength behind the colon.
	for _, c := range []struct {
		one, other, third string
		deadlock          bool
	}{
		{one: "a b", other: "a b"},
		{one: "a b", other: "b a", deadlock: true},
		{one: "a b c", other: "c a", deadlock: true},
		{one: "c a b", other: "c b a"},
		{one: "a c b", other: "b c a", deadlock: true},
		{one: "a:SHARE a", other: "a:SHARE a", deadlock: true},
		{one: "a:KEY_SHARE b", other: "b a"},
		{one: "a:KEY_SHARE b", other: "b a:UPDATE", deadlock: true},
		{one: "a b:UPDATE_NOWAIT", other: "b a"},
		{one: "a b", other: "b a:UPDATE_NOWAIT"},
		{one: "a b", other: "b c", third: "c a", deadlock: true},
		{one: "a c", other: "c b", third: "b a", deadlock: true},
		{one: "a b", other: "b c", third: "a c"},
		{one: "d a b", other: "d b c", third: "c a"},
		{one: "a b", other: "d b c", third: "d c a"},
		{one: "a b", other: "b c:UPDATE_NOWAIT", third: "c a"},
		{one: "a b:UPDATE_NOWAIT", other: "b c", third: "c a"},
		{one: "a b", other: "b c", third: "c a:UPDATE_NOWAIT"},
		{one: "d:KEY_SHARE a b", other: "d:KEY_SHARE b c", third: "c a", deadlock: true},
	} {
		for i, rows := range []string{c.one, c.other, c.third} {
			locks.Name([]string{"one", "other", "third"}[i])
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				for word := range strings.FieldsSeq(rows) {
					name, strength, _ := strings.Cut(word, ":")
					text := `UPDATE revision SET value = value + 1 WHERE name = ?`
					if strength != "" {
						text = `SELECT value FROM revision WHERE name = ? FOR ` + strings.ReplaceAll(strength, "_", " ")
					}
					if _, err := tx.ExecContext(ctx, text, name); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if found := locks.Deadlocks(t); (len(found) > 0) != c.deadlock {
			t.Errorf("%q, %q, %q: %v", c.one, c.other, c.third, found)
		}
	}
}

func TestTracedLocks_OfTriggersThatWaitForTheCommit_ComeLast(t *testing.T) {
	address := dbtest.PostgresURL(t)
	plain, err := db.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.ExecContext(t.Context(), `CREATE TABLE summed (id INT PRIMARY KEY, n INT);
		CREATE TABLE changed (id INT PRIMARY KEY, n INT);
		INSERT INTO summed VALUES (1, 0); INSERT INTO changed VALUES (1, 0); INSERT INTO revision VALUES ('a', 1);
		CREATE FUNCTION sum_up() RETURNS trigger LANGUAGE plpgsql AS
			$$BEGIN UPDATE summed SET n = n + 1; RETURN NULL; END$$;
		CREATE CONSTRAINT TRIGGER sum_up AFTER UPDATE ON changed DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
			EXECUTE FUNCTION sum_up()`); err != nil {
		t.Fatal(err)
	}
	url, locks := dbtest.TraceLocks(t, address)
	d, err := db.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	run := func(tables ...string) {
		t.Helper()
		locks.Name(strings.Join(tables, " "))
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for _, table := range tables {
				column := "n"
				if table == "revision" {
					column = "value"
				}
				if _, err := tx.ExecContext(ctx, `UPDATE `+table+` SET `+column+` = 1`); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run("changed", "revision")
	run("revision", "summed")
	if found := locks.Deadlocks(t); len(found) > 0 {
		t.Errorf("the trigger waits for the commit: %v", found)
	}
	run("changed", "revision")
	run("summed", "revision")
	if found := locks.Deadlocks(t); len(found) != 1 {
		t.Errorf("the trigger locks a row at the commit: %v", found)
	}
}
