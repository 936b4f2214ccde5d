package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/app"
	"airstrip/internal/backup"
	"airstrip/internal/db"
)

// tree returns the names and hashes of all files in a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheDoctorWritesNothing(t *testing.T) {
	s := testSite{t, app.Config{Data: t.TempDir()}}
	s.mustRun(nil, "migrate")
	s.mustRun(nil, "user", "add", "--email", "me@example.com")
	copies := map[string]func(to string){
		"the file alone": func(string) {},
		"with the log of a running server": func(to string) {
			site, err := db.Open(t.Context(), "", s.config.Data)
			if err != nil {
				t.Fatal(err)
			}
			defer site.Close()
			if err := site.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := db.Bump(ctx, tx, "logged")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			copyTo(t, filepath.Join(to, db.SQLiteFile), filepath.Join(s.config.Data, db.SQLiteFile))
			copyTo(t, filepath.Join(to, db.SQLiteFile+"-wal"), filepath.Join(s.config.Data, db.SQLiteFile+"-wal"))
		},
	}
	for name, more := range copies {
		t.Run(name, func(t *testing.T) {
			there := testSite{t, app.Config{Data: t.TempDir()}}
			copyTo(t, filepath.Join(there.config.Data, db.SQLiteFile), filepath.Join(s.config.Data, db.SQLiteFile))
			more(there.config.Data)
			before := tree(t, there.config.Data)
			said := there.mustPrint(t, "doctor")
			if !strings.Contains(said, "secret key is not at") || !strings.Contains(said, "All rules hold") {
				t.Errorf("it says %s", said)
			}
			if after := tree(t, there.config.Data); after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
}

func TestTheDoctorFindsAKeyThatDoesNotFit(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.config.SecretKey = strings.Repeat("fedcba9876543210", 4)
		if err := s.run(nil, "doctor"); err == nil || !strings.Contains(err.Error(), "not as it must be") {
			s.Error(err)
		}
	})
}

func TestABackupOfEitherEngineIsRestoredOnBoth(t *testing.T) {
	for from, site := range newDemoSites(t) {
		file := filepath.Join(t.TempDir(), "site.backup")
		if said := site.mustPrint(t, "backup", file); !strings.Contains(said, "secret key is not in it") ||
			!strings.Contains(said, "AIRSTRIP_SECRET_KEY") {
			t.Errorf("backup says %s", said)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("the file is %v, %v", info, err)
		}
		if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
			t.Errorf("beside the file there are %v, %v", left, err)
		}
		before := tree(t, filepath.Dir(file))
		if said := site.mustFail(t, "backup", file); !strings.Contains(said, "is there already") ||
			tree(t, filepath.Dir(file)) != before {
			t.Errorf("a second backup to the same file says %s", said)
		}
		if said := site.mustFail(t, "restore", file); !strings.Contains(said, "empty place") {
			t.Errorf("restore into the site itself says %s", said)
		}
		users := site.mustPrint(t, "user", "list")
		for to, dir := range emptySites(t) {
			t.Run(from+" to "+to, func(t *testing.T) {
				there := testSite{t, dir}
				if said := there.mustPrint(t, "restore", file); !strings.Contains(said, "Restored") {
					t.Errorf("restore says %s", said)
				}
				if said := there.mustPrint(t, "doctor"); !strings.Contains(said, "All rules hold") {
					t.Errorf("the doctor says %s", said)
				}
				if restored := there.mustPrint(t, "user", "list"); restored != users {
					t.Errorf("there were the users %s\nthere are %s", users, restored)
				}
				there.mustPrint(t, "user", "add", "--email", "next@example.com") // takes the next number
				again := filepath.Join(t.TempDir(), "again.backup")
				there.mustPrint(t, "backup", again)
			})
		}
	}
}

func TestADamagedBackupRestoresNothing(t *testing.T) {
	site := testSite{t, emptySites(t)["sqlite"]}
	site.mustPrint(t, "migrate")
	file := filepath.Join(t.TempDir(), "site.backup")
	site.mustPrint(t, "backup", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{
		"empty": nil, "of another program": []byte("PK\x03\x04 something else\n"),
		"longer": append(bytes.Clone(whole), 0),
	}
	for range 200 {
		at := rand.IntN(len(whole))
		damages[fmt.Sprintf("cut at %d", at)] = whole[:at]
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << rand.IntN(8)
		damages[fmt.Sprintf("flipped at %d", at)] = flipped
	}
	for what, damaged := range damages {
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "new")
		_, err := app.Restore(t.Context(), app.Config{Data: dir}, file)
		if !errors.Is(err, backup.ErrFile) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", what, err)
		}
		if left, err := os.ReadDir(dir); err == nil {
			t.Errorf("%s leaves %v", what, left)
		}
	}
}

func TestRestoreRefusesAPlaceInUse(t *testing.T) {
	site := testSite{t, emptySites(t)["sqlite"]}
	site.mustPrint(t, "migrate")
	file := filepath.Join(t.TempDir(), "site.backup")
	site.mustPrint(t, "backup", file)
	for _, left := range []string{db.SQLiteFile, db.SQLiteFile + "-wal", db.SQLiteFile + "-shm"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, left), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := app.Restore(t.Context(), app.Config{Data: dir}, file); err == nil ||
			!strings.Contains(err.Error(), left) {
			t.Errorf("beside %s: %v", left, err)
		}
	}
	other := app.Config{Data: t.TempDir(), SecretKey: strings.Repeat("fedcba9876543210", 4)}
	if _, err := app.Restore(t.Context(), other, file); err == nil ||
		!strings.Contains(err.Error(), "not the one that this backup needs") {
		t.Errorf("with another key: %v", err)
	}
}

func TestABackupOfANewerProgramIsRefused(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		file := filepath.Join(s.TempDir(), "site.backup")
		site, err := db.Open(s.Context(), s.config.DatabaseURL, s.config.Data)
		if err != nil {
			s.Fatal(err)
		}
		defer site.Close()
		applyNewerMigration(s)
		f, err := os.Create(file)
		if err != nil {
			s.Fatal(err)
		}
		defer f.Close()
		// as the newer program would
		if _, err := backup.Write(s.Context(), site, f, backup.Header{Program: "9.9"}); err != nil {
			s.Fatal(err)
		}
		for engine, c := range emptySites(s.T) {
			_, err := app.Restore(s.Context(), c, file)
			if err == nil || !strings.Contains(err.Error(), "airstrip 9.9") ||
				!strings.Contains(err.Error(), "29991231235959") {
				s.Errorf("%s: %v", engine, err)
			}
		}
		if err := s.run(nil, "backup", filepath.Join(s.TempDir(), "other.backup")); err == nil {
			s.Error("a program backs up a schema that it does not know")
		}
	})
}
