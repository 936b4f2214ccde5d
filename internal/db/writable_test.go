package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

func TestPostgres_ThatRefusesWrites_IsUnavailableUntilItTakesThemAgain(t *testing.T) {
	for name, c := range map[string]struct {
		state string
		want  *fault.Error
	}{
		"full disk":             {"53100", dberr.ErrNotWritable},
		"failing disk":          {"58030", dberr.ErrNotWritable},
		"read-only file system": {"42501", dberr.ErrNotWritable},
		"corrupted page":        {"XX001", nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.Postgres(t)
			wantWritable(t, d)
			execute(t, d, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '`+c.state+`'; END $$`,
				`CREATE TRIGGER refuse BEFORE INSERT ON write_probe EXECUTE FUNCTION refuse()`,
				`CREATE TRIGGER refuse BEFORE INSERT ON setting EXECUTE FUNCTION refuse()`)
			wantNotWritable(t, d, c.want)
			execute(t, d, `DROP FUNCTION refuse CASCADE`)
			wantWritable(t, d)
		})
	}
}

func TestPostgres_ThatIsReadOnly_IsUnavailableUntilItIsThePrimaryAgain(t *testing.T) {
	db.ShortenWaits(t, time.Second)
	url := dbtest.PostgresURL(t)
	d, admin := open(t, url), open(t, url)
	execute(t, admin, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`)
	endOthers(t, admin)
	wantNotWritable(t, d, dberr.ErrNotWritable)
	tries := 0
	_ = d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		tries++
		return insert(ctx, tx)
	})
	if tries < 2 {
		t.Errorf("a transaction met a change of the primary and was tried %d times, want several", tries)
	}
	tries = 0
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		if tries++; tries == 1 {
			return insert(ctx, tx)
		}
		<-ctx.Done()
		return ctx.Err()
	}); !errors.Is(err, dberr.ErrNotWritable) {
		t.Errorf("a transaction whose last try is cut short: %v, want what the first one met", err)
	}
	db.ShortenFailover(t)
	tries = 0
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		tries++
		return insert(ctx, tx)
	}); !errors.Is(err, dberr.ErrNotWritable) || tries != 1 {
		t.Errorf("long after the begin a transaction was tried %d times, want 1: %v", tries, err)
	}
	// The administrator's connection began before, so it may still write.
	execute(t, admin, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$`)
	endOthers(t, admin)
	wantWritable(t, d)
}

func TestSQLite_ThatRefusesWrites_IsUnavailableUntilItTakesThemAgain(t *testing.T) {
	for name, c := range map[string]struct{ begin, end string }{
		"read-only": {`PRAGMA query_only = 1`, `PRAGMA query_only = 0`},
		"full":      {`PRAGMA max_page_count = 1`, `PRAGMA max_page_count = 1073741823`}, // 1 means: as large as it is
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.SQLite(t)
			wantWritable(t, d)
			if err := d.ExecOnWriter(t.Context(), c.begin); err != nil {
				t.Fatal(err)
			}
			if name == "full" { // the probe finds room in the pages that are there
				if err := grow(t, d); !errors.Is(err, dberr.ErrNotWritable) {
					t.Errorf("a transaction: %v", err)
				}
			} else {
				wantNotWritable(t, d, dberr.ErrNotWritable)
			}
			if err := d.ExecOnWriter(t.Context(), c.end); err != nil {
				t.Fatal(err)
			}
			wantWritable(t, d)
		})
	}
}

func TestSQLite_ThatAnotherProgramHolds_IsBusyAndUnavailableOnceThatLasts(t *testing.T) {
	db.ShortenWaits(t, 300*time.Millisecond)
	dir := t.TempDir()
	d, err := db.Open(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := errors.Join(d.Migrate(t.Context()),
		d.ExecOnWriter(t.Context(), `PRAGMA busy_timeout = 100`)); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", filepath.Join(dir, db.SQLiteFile))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	if err := grow(t, d); !errors.Is(err, dberr.ErrBusy) {
		t.Errorf("a transaction: %v", err)
	}
	d.ProbeWrites(t.Context())
	if got := d.WriteProblem(); got != nil {
		t.Errorf("a probe that waits for the first time: %v", got)
	}
	eventually(t, "the probe reports that the wait lasts", func() bool {
		d.ProbeWrites(t.Context())
		return d.WriteProblem() != nil
	})
	wantNotWritable(t, d, dberr.ErrBusy)
	if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	wantWritable(t, d)
}

// A transaction that fails for a full disk has the probe look at once, and the probe finds by itself when it is over.
func TestFollowWritable_TellsBeginAndEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); d.FollowWritable(ctx) }()
		if err := grow(t, d); err != nil {
			t.Fatal(err)
		}
		refuse, allow := `ALTER TABLE write_probe RENAME TO gone`, `ALTER TABLE gone RENAME TO write_probe`
		if err := d.ExecOnWriter(t.Context(), refuse); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the problem is told", func() bool { return errors.Is(d.WriteProblem(), dberr.ErrNotWritable) })
		if err := d.ExecOnWriter(t.Context(), allow); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the end is told", func() bool { return d.WriteProblem() == nil })
		stop()
		<-ended
	})
}

func TestTheWriteProbe_LeavesNoRow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for range 3 {
			d.ProbeWrites(t.Context())
		}
		if n, err := d.NewSelect().Table("write_probe").Count(t.Context()); err != nil || n != 0 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

// grow writes more into the database than its pages have room for.
func grow(t *testing.T, d *db.DB) error {
	t.Helper()
	return d.Tx(t.Context(), insert)
}

func insert(ctx context.Context, tx bun.Tx) error {
	_, err := tx.NewRaw(`INSERT INTO setting (name, value, updated_at) VALUES (?, ?, ?)`, uuid.NewString(),
		fmt.Sprintf("%q", strings.Repeat("filler", 20_000)), time.Now()).Exec(ctx)
	return err
}

// wantNotWritable holds what a transaction and the probe say against each other; nil stands for an error that a caller
// sees as an internal one.
func wantNotWritable(t *testing.T, d *db.DB, want *fault.Error) {
	t.Helper()
	err := grow(t, d)
	if _, known := fault.As(err); err == nil || known != (want != nil) || want != nil && !errors.Is(err, want) {
		t.Errorf("a transaction: %v, want %v", err, want)
	}
	d.ProbeWrites(t.Context())
	if want == nil {
		want = dberr.ErrNotWritable // whatever keeps the probe from writing
	}
	if got, _ := fault.As(d.WriteProblem()); got == nil || got.Code != want.Code || got.RetryAfter == 0 {
		t.Errorf("the probe: %v, want %s with a time to try again", got, want.Code)
	}
}

func wantWritable(t *testing.T, d *db.DB) {
	t.Helper()
	d.ProbeWrites(t.Context())
	if got := d.WriteProblem(); got != nil {
		t.Errorf("the probe: %v", got)
	}
	if err := grow(t, d); err != nil {
		t.Errorf("a transaction: %v", err)
	}
}

func open(t *testing.T, url string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func execute(t *testing.T, d *db.DB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := d.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// endOthers ends all other sessions of the database: what a database is set to holds for those that begin.
func endOthers(t *testing.T, d *db.DB) {
	t.Helper()
	execute(t, d, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid()`)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
