package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/app"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

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
	forEachDatabase(t, func(s testSite) {
		applyNewerMigration(s)
		before := s.databaseFile()
		for _, args := range [][]string{
			{"serve"},
			{"migrate"},
			{"user", "list"},
			{"setting", "set", "site_name=x"},
			{"doctor"},
			{"seed", "--demo"},
		} {
			err := s.run(nil, args...)
			var newer *db.NewerSchemaError
			if !errors.As(err, &newer) || newer.Database != 29991231235959 || newer.Program != db.ProgramSchema() {
				s.Errorf("%v: %v", args, err)
			}
			for _, said := range []string{"29991231235959", "newer version", "restore a backup"} {
				if err != nil && !strings.Contains(err.Error(), said) {
					s.Errorf("%v: %q is not in %v", args, said, err)
				}
			}
		}
		if after := s.databaseFile(); !bytes.Equal(before, after) {
			s.Error("a command that refused has written")
		}
	})
}

func TestADatabaseWithoutItsKeyGetsNoOther(t *testing.T) {
	s := testSite{t, app.Config{Data: t.TempDir()}}
	s.mustRun(nil, "migrate")
	key := filepath.Join(s.config.Data, "secret.key")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"migrate"}, {"user", "list"}} {
		if err := s.run(nil, args...); err == nil || !strings.Contains(err.Error(), "secret.key") {
			t.Errorf("%v: %v", args, err)
		}
		if _, err := os.Stat(key); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%v made a key: %v", args, err)
		}
	}
}
