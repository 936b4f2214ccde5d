package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/app"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

const asProgram = "AIRSTRIP_TEST_PROGRAM"

// TestMain lets the test binary be the program, for tests that need several processes.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program gives a process of the program, ready to start.
func program(ctx context.Context, c app.Config, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "AIRSTRIP_DATA="+c.Data, "AIRSTRIP_DATABASE_URL="+c.DatabaseURL, "AIRSTRIP_SECRET_KEY="+c.SecretKey)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func TestProcessesThatBeginOneSiteAllEndWell(t *testing.T) {
	t.Parallel()
	postgres := dbtest.EmptyPostgresURL(t)
	for engine, c := range map[string]app.Config{
		"sqlite":   {Data: filepath.Join(t.TempDir(), "new")},
		"postgres": {Data: t.TempDir(), DatabaseURL: postgres, SecretKey: strings.Repeat("0123456789abcdef", 4)},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if out, err := program(t.Context(), c, "migrate").CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				})
			}
			all.Wait()
			if out, err := program(t.Context(), c, "setting", "list").CombinedOutput(); err != nil {
				t.Errorf("afterwards: %v: %s", err, out)
			}
		})
	}
}

func TestAnOlderProgramRefusesANewerSchema(t *testing.T) {
	eachDesk(t, func(d desk) {
		fromTheFuture(d)
		before := d.files()
		for _, args := range [][]string{{"serve"}, {"migrate"}, {"user", "list"}, {"setting", "set", "site_name=x"}, {"doctor"}, {"seed", "--demo"}} {
			err := d.run(nil, args...)
			var newer *db.NewerSchemaError
			if !errors.As(err, &newer) || newer.Database != 29991231235959 || newer.Program != db.ProgramSchema() {
				d.Errorf("%v: %v", args, err)
			}
			for _, said := range []string{"29991231235959", "newer version", "restore a backup"} {
				if err != nil && !strings.Contains(err.Error(), said) {
					d.Errorf("%v: %q is not in %v", args, said, err)
				}
			}
		}
		if after := d.files(); !bytes.Equal(before, after) {
			d.Error("a command that refused has written")
		}
	})
}

// fromTheFuture applies a migration that this program does not have.
func fromTheFuture(d desk) {
	d.Helper()
	site, err := db.Open(d.Context(), d.config.DatabaseURL, d.config.Data)
	if err != nil {
		d.Fatal(err)
	}
	defer site.Close()
	if err := site.Tx(d.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, `CREATE TABLE future (id BIGINT PRIMARY KEY); INSERT INTO goose_db_version (version_id, is_applied) VALUES (29991231235959, TRUE)`)
		return err
	}); err != nil {
		d.Fatal(err)
	}
}

// files gives the content of the SQLite file; nothing with PostgreSQL.
func (d desk) files() []byte {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.config.Data, db.SQLiteFile))
	if err != nil && d.config.DatabaseURL == "" {
		d.Fatal(err)
	}
	return text
}

func TestADatabaseWithoutItsKeyGetsNoOther(t *testing.T) {
	d := desk{t, app.Config{Data: t.TempDir()}}
	d.prints(nil, "migrate")
	key := filepath.Join(d.config.Data, "secret.key")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"migrate"}, {"user", "list"}} {
		if err := d.run(nil, args...); err == nil || !strings.Contains(err.Error(), "secret.key") {
			t.Errorf("%v: %v", args, err)
		}
		if _, err := os.Stat(key); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%v made a key: %v", args, err)
		}
	}
}
