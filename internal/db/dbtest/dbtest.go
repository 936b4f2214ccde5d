// Package dbtest gives tests an empty, migrated database of each engine: a file for SQLite, a PostgreSQL server of the
// tests' own. There is no stand-in: a test that asks for PostgreSQL on a machine without it fails.
package dbtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"airstrip/internal/db"
)

// Each runs test once on SQLite and once on PostgreSQL, each time on a new migrated database.
func Each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// EachAt runs test on a database of each engine that earlier versions migrated: up to this migration.
func EachAt(t *testing.T, migration int64, test func(t *testing.T, d *db.DB)) {
	at := func(t *testing.T, url string) {
		d := open(t, url, t.TempDir())
		if err := d.MigrateTo(t.Context(), migration); err != nil {
			t.Fatal(err)
		}
		test(t, d)
	}
	t.Run("sqlite", func(t *testing.T) { at(t, "") })
	t.Run("postgres", func(t *testing.T) { at(t, EmptyPostgresURL(t)) })
}

// SQLite gives a new migrated SQLite database that ends with the test.
func SQLite(t testing.TB) *db.DB {
	t.Helper()
	dir := t.TempDir()
	SQLiteFile(t, dir)
	return open(t, "", dir)
}

// SQLiteFile puts a new migrated SQLite database into a folder, for tests that start whole servers.
func SQLiteFile(t testing.TB, dir string) {
	t.Helper()
	migrated, err := template()
	if err != nil {
		t.Fatal("SQLite for tests: ", err)
	}
	if err := os.WriteFile(filepath.Join(dir, db.SQLiteFile), migrated, 0o600); err != nil {
		t.Fatal(err)
	}
}

// template gives the migrated SQLite file that each test's own is a copy of: migrating it takes longer than most tests.
var template = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "airstrip-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	migrated := filepath.Join(dir, db.SQLiteFile)
	if err := madeOnce("airstrip-sqlite", migrated, func() error { return migrate("", dir) }); err != nil {
		return nil, err
	}
	return os.ReadFile(migrated)
})

func migrate(url, dir string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, url, dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Migrate(ctx), d.Close())
}

// Postgres gives a new migrated PostgreSQL database that ends with the test.
func Postgres(t testing.TB) *db.DB {
	t.Helper()
	return open(t, PostgresURL(t), "")
}

// PostgresURL gives the address of a new migrated PostgreSQL database, for tests that start whole servers.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return postgresURL(t, "airstrip_template")
}

// EmptyPostgresURL gives the address of a new PostgreSQL database without any table.
func EmptyPostgresURL(t testing.TB) string {
	t.Helper()
	return postgresURL(t, "template1")
}

func postgresURL(t testing.TB, template string) string {
	t.Helper()
	server.once.Do(func() { server.err = server.start() })
	if server.err != nil {
		t.Fatal("PostgreSQL for tests: ", server.err)
	}
	name := "t" + uuid.NewString()[:8]
	if _, err := server.admin.ExecContext(t.Context(), `CREATE DATABASE "`+name+`" TEMPLATE `+template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.drop(name) })
	return server.url(name)
}

func open(t testing.TB, url, dir string) *db.DB {
	t.Helper()
	d, err := db.Open(context.Background(), url, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}
