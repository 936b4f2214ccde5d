package main

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
	"airstrip/internal/db/dbtest"
)

// tree gives the names and hashes of all files in a folder.
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
	d := desk{t, app.Config{Data: t.TempDir()}}
	d.prints(nil, "migrate")
	d.prints(nil, "user", "add", "--email", "me@example.com")
	copies := map[string]func(to string){
		"the file alone": func(string) {},
		"with the log of a running server": func(to string) {
			site, err := db.Open(t.Context(), "", d.config.Data)
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
			copyTo(t, filepath.Join(to, db.SQLiteFile), filepath.Join(d.config.Data, db.SQLiteFile))
			copyTo(t, filepath.Join(to, db.SQLiteFile+"-wal"), filepath.Join(d.config.Data, db.SQLiteFile+"-wal"))
		},
	}
	for name, more := range copies {
		t.Run(name, func(t *testing.T) {
			there := desk{t, app.Config{Data: t.TempDir()}}
			copyTo(t, filepath.Join(there.config.Data, db.SQLiteFile), filepath.Join(d.config.Data, db.SQLiteFile))
			more(there.config.Data)
			before := tree(t, there.config.Data)
			said := there.says(t, "doctor")
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
	eachDesk(t, func(d desk) {
		d.config.SecretKey = strings.Repeat("fedcba9876543210", 4)
		if err := d.run(nil, "doctor"); err == nil || !strings.Contains(err.Error(), "not as it must be") {
			d.Error(err)
		}
	})
}

// says runs a command that prints text.
func (d desk) says(t *testing.T, args ...string) string {
	t.Helper()
	out, err := program(t.Context(), d.config, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// fails runs a command in a process of its own that must fail, and gives what it prints.
func (d desk) fails(t *testing.T, args ...string) string {
	t.Helper()
	out, err := program(t.Context(), d.config, args...).CombinedOutput()
	if err == nil {
		t.Fatalf("%v succeeds: %s", args, out)
	}
	return string(out)
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// places gives an empty place of each engine.
func places(t *testing.T) map[string]app.Config {
	key := strings.Repeat("0123456789abcdef", 4)
	return map[string]app.Config{
		"sqlite":   {Data: filepath.Join(t.TempDir(), "new"), SecretKey: key},
		"postgres": {Data: t.TempDir(), DatabaseURL: dbtest.EmptyPostgresURL(t), SecretKey: key},
	}
}

// seeded gives a site of each engine with a demonstration in it.
func seeded(t *testing.T) map[string]desk {
	sites := map[string]desk{}
	for engine, c := range places(t) {
		d := desk{t, c}
		d.says(t, "seed", "--demo", "--users=5")
		sites[engine] = d
	}
	return sites
}

func TestABackupOfEitherEngineIsRestoredOnBoth(t *testing.T) {
	for from, site := range seeded(t) {
		file := filepath.Join(t.TempDir(), "site.backup")
		if said := site.says(t, "backup", file); !strings.Contains(said, "secret key is not in it") || !strings.Contains(said, "AIRSTRIP_SECRET_KEY") {
			t.Errorf("backup says %s", said)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("the file is %v, %v", info, err)
		}
		if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
			t.Errorf("beside the file there are %v, %v", left, err)
		}
		before := tree(t, filepath.Dir(file))
		if said := site.fails(t, "backup", file); !strings.Contains(said, "is there already") || tree(t, filepath.Dir(file)) != before {
			t.Errorf("a second backup to the same file says %s", said)
		}
		if said := site.fails(t, "restore", file); !strings.Contains(said, "empty place") {
			t.Errorf("restore into the site itself says %s", said)
		}
		users := site.says(t, "user", "list")
		for to, place := range places(t) {
			t.Run(from+" to "+to, func(t *testing.T) {
				there := desk{t, place}
				if said := there.says(t, "restore", file); !strings.Contains(said, "Restored") {
					t.Errorf("restore says %s", said)
				}
				if said := there.says(t, "doctor"); !strings.Contains(said, "All rules hold") {
					t.Errorf("the doctor says %s", said)
				}
				if restored := there.says(t, "user", "list"); restored != users {
					t.Errorf("there were the users %s\nthere are %s", users, restored)
				}
				there.says(t, "user", "add", "--email", "next@example.com") // takes the next number
				again := filepath.Join(t.TempDir(), "again.backup")
				there.says(t, "backup", again)
			})
		}
	}
}

func TestADamagedBackupRestoresNothing(t *testing.T) {
	site := desk{t, places(t)["sqlite"]}
	site.says(t, "migrate")
	file := filepath.Join(t.TempDir(), "site.backup")
	site.says(t, "backup", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{"empty": nil, "of another program": []byte("PK\x03\x04 something else\n"), "longer": append(bytes.Clone(whole), 0)}
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
		place := filepath.Join(t.TempDir(), "new")
		_, err := app.Restore(t.Context(), app.Config{Data: place}, file)
		if !errors.Is(err, backup.ErrFile) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", what, err)
		}
		if left, err := os.ReadDir(place); err == nil {
			t.Errorf("%s leaves %v", what, left)
		}
	}
}

func TestRestoreRefusesAPlaceInUse(t *testing.T) {
	site := desk{t, places(t)["sqlite"]}
	site.says(t, "migrate")
	file := filepath.Join(t.TempDir(), "site.backup")
	site.says(t, "backup", file)
	for _, left := range []string{db.SQLiteFile, db.SQLiteFile + "-wal", db.SQLiteFile + "-shm"} {
		place := t.TempDir()
		if err := os.WriteFile(filepath.Join(place, left), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := app.Restore(t.Context(), app.Config{Data: place}, file); err == nil || !strings.Contains(err.Error(), left) {
			t.Errorf("beside %s: %v", left, err)
		}
	}
	other := app.Config{Data: t.TempDir(), SecretKey: strings.Repeat("fedcba9876543210", 4)}
	if _, err := app.Restore(t.Context(), other, file); err == nil || !strings.Contains(err.Error(), "not the one that this backup needs") {
		t.Errorf("with another key: %v", err)
	}
}

func TestABackupOfANewerProgramIsRefused(t *testing.T) {
	eachDesk(t, func(d desk) {
		file := filepath.Join(d.TempDir(), "site.backup")
		site, err := db.Open(d.Context(), d.config.DatabaseURL, d.config.Data)
		if err != nil {
			d.Fatal(err)
		}
		defer site.Close()
		fromTheFuture(d)
		f, err := os.Create(file)
		if err != nil {
			d.Fatal(err)
		}
		defer f.Close()
		if _, err := backup.Write(d.Context(), site, f, backup.Header{Program: "9.9"}); err != nil { // as the newer program would
			d.Fatal(err)
		}
		for engine, c := range places(d.T) {
			_, err := app.Restore(d.Context(), c, file)
			if err == nil || !strings.Contains(err.Error(), "airstrip 9.9") || !strings.Contains(err.Error(), "29991231235959") {
				d.Errorf("%s: %v", engine, err)
			}
		}
		if err := d.run(nil, "backup", filepath.Join(d.TempDir(), "other.backup")); err == nil {
			d.Error("a program backs up a schema that it does not know")
		}
	})
}
