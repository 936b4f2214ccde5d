package dberr_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

// state is an error of PostgreSQL.
func state(code string) error { return fmt.Errorf("insert: %w", &pgconn.PgError{Code: code}) }

func TestEachErrorOfPostgres_HasItsFault_AndIsRepeatedWhereThatHelps(t *testing.T) {
	for _, c := range []struct {
		what, code string
		fault      *fault.Error // nil: an error of ours
		repeated   bool
		rolledBack bool // as the answer to a COMMIT
	}{
		{"serialization_failure, also of a standby's conflict with its primary", "40001", dberr.ErrBusy, true, true},
		{"deadlock_detected", "40P01", dberr.ErrBusy, true, true},
		{"lock_not_available", "55P03", dberr.ErrBusy, true, true},
		{"query_canceled, as by statement_timeout", "57014", dberr.ErrBusy, false, true},
		{"too_many_connections", "53300", dberr.ErrBusy, false, true},
		{"out_of_memory", "53200", dberr.ErrBusy, false, true},
		{"disk_full", "53100", dberr.ErrNotWritable, false, true},
		{"io_error, as of fsync", "58030", dberr.ErrNotWritable, false, true},
		{"undefined_file", "58P01", dberr.ErrNotWritable, false, true},
		{"insufficient_privilege, as of a read-only file system", "42501", dberr.ErrNotWritable, false, true},
		{"read_only_sql_transaction, as of a hot standby", "25006", dberr.ErrNotWritable, true, true},
		{"admin_shutdown", "57P01", dberr.ErrUnreachable, true, false},
		{"crash_shutdown, as after a failed fsync of the log", "57P02", dberr.ErrUnreachable, true, false},
		{"cannot_connect_now, as of a server that starts", "57P03", dberr.ErrUnreachable, true, false},
		{"idle_in_transaction_session_timeout", "25P03", dberr.ErrUnreachable, true, true},
		{"connection_failure", "08006", dberr.ErrUnreachable, true, false},
		{"invalid_password", "28P01", dberr.ErrUnreachable, true, true},
		{"invalid_catalog_name", "3D000", dberr.ErrUnreachable, true, true},
		{"unique_violation", "23505", nil, false, true},
		{"syntax_error", "42601", nil, false, true},
		{"an empty code", "", nil, false, true},
	} {
		err := state(c.code)
		got := dberr.Fault(err)
		if (got == nil) != (c.fault == nil) || got != nil && got.Code != c.fault.Code {
			t.Errorf("%s: fault %v, want %v", c.what, got, c.fault)
		}
		if got != nil && (got.Status != 503 || got.RetryAfter == 0 || !errors.Is(got, err)) {
			t.Errorf("%s: %d after %s, want 503, a time and the cause", c.what, got.Status, got.RetryAfter)
		}
		if got := dberr.Repeatable(err); got != c.repeated {
			t.Errorf("%s: repeatable %t, want %t", c.what, got, c.repeated)
		}
		if got := dberr.RolledBack(err); got != c.rolledBack {
			t.Errorf("%s: as the answer to a COMMIT rolled back %t, want %t", c.what, got, c.rolledBack)
		}
	}
}

func TestALostConnection_IsUnreachable_AndNotCertainlyRolledBack(t *testing.T) {
	for what, c := range map[string]struct {
		err        error
		fault      bool
		rolledBack bool
	}{
		"a connection that broke":   {&dberr.LostConnection{Err: io.ErrUnexpectedEOF}, true, false},
		"one that was never made":   {&pgconn.ConnectError{}, true, false},
		"one that the pool gave up": {driver.ErrBadConn, true, true},
		"the caller's own end": {
			errors.Join(context.Canceled, &dberr.LostConnection{Err: io.EOF}), false,
			false,
		},
		"a failed transaction's COMMIT": {pgx.ErrTxCommitRollback, false, true},
		"a network error of others":     {io.ErrUnexpectedEOF, false, false},
	} {
		got := dberr.Fault(c.err)
		if (got != nil) != c.fault || got != nil && got.Code != dberr.ErrUnreachable.Code {
			t.Errorf("%s: %v, want unreachable %t", what, got, c.fault)
		}
		if got := dberr.Repeatable(c.err); got != c.fault {
			t.Errorf("%s: repeatable %t, want %t", what, got, c.fault)
		}
		if got := dberr.RolledBack(c.err); got != c.rolledBack {
			t.Errorf("%s: rolled back %t, want %t", what, got, c.rolledBack)
		}
	}
}

// The errors of SQLite are made by SQLite itself.
func TestEachErrorOfSQLite_HasItsFault(t *testing.T) {
	for what, c := range map[string]struct {
		begin []string // on the connection that then writes
		other string   // on another one before that
		text  string
		want  *fault.Error
	}{
		"busy": {nil, `BEGIN IMMEDIATE`, `INSERT INTO t VALUES (1)`, dberr.ErrBusy},
		"full": {
			[]string{`PRAGMA max_page_count = 1`},
			``, `INSERT INTO t VALUES (zeroblob(100000))`,
			dberr.ErrNotWritable,
		},
		"read-only":   {[]string{`PRAGMA query_only = 1`}, ``, `INSERT INTO t VALUES (1)`, dberr.ErrNotWritable},
		"cannot open": {nil, ``, `ATTACH '/nowhere/at/all.db' AS x`, dberr.ErrNotWritable},
		"unique":      {[]string{`INSERT INTO t VALUES (1)`}, ``, `INSERT INTO t VALUES (1)`, nil},
		"no table":    {nil, ``, `INSERT INTO nothing VALUES (1)`, nil},
	} {
		t.Run(what, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "test.db")
			own, other := openSQLite(t, file), openSQLite(t, file)
			exec(t, own, `CREATE TABLE t (x UNIQUE)`)
			for _, text := range c.begin {
				exec(t, own, text)
			}
			if c.other != "" {
				exec(t, other, c.other)
			}
			_, err := own.ExecContext(t.Context(), c.text)
			got := dberr.Fault(err)
			if err == nil || (got == nil) != (c.want == nil) || got != nil && got.Code != c.want.Code {
				t.Fatalf("%v is %v, want %v", err, got, c.want)
			}
			if dberr.Repeatable(err) {
				t.Errorf("%v is repeated", err)
			}
			if !dberr.RolledBack(err) {
				t.Errorf("%v leaves open whether it was committed", err)
			}
		})
	}
}

func openSQLite(t *testing.T, file string) *sql.DB {
	t.Helper()
	d, err := sql.Open("sqlite", file+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(50)")
	if err != nil {
		t.Fatal(err)
	}
	d.SetMaxOpenConns(1)
	t.Cleanup(func() { d.Close() })
	return d
}

func exec(t *testing.T, d *sql.DB, text string) {
	t.Helper()
	if _, err := d.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}
