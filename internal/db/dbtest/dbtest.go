// Package dbtest gives tests an empty, migrated database of each engine: a file for SQLite, a PostgreSQL server of the
// tests' own. There is no stand-in: a test that asks for PostgreSQL on a machine without it fails.
package dbtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

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
	d, err := db.Open(context.Background(), "", dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.Migrate(context.Background()), d.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, db.SQLiteFile))
})

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

// server is one PostgreSQL per test binary, in a temporary folder, with a Unix socket only. A small shell beside it
// ends it and removes the folder when the test binary is gone, however it ended.
var server postgres

type postgres struct {
	once sync.Once
	dir  string
	err  error
	// alive is the write end of the pipe by which the watcher knows that this process lives.
	alive *os.File
	// admin stays connected: a connection takes as long as making a database does.
	admin *db.DB
}

// drop removes a database without keeping the next test waiting: PostgreSQL takes a tenth of a second to end what is
// still connected. A database that can't be removed takes room until the server ends.
func (p *postgres) drop(name string) {
	go p.admin.ExecContext(context.Background(), `DROP DATABASE "`+name+`" WITH (FORCE)`)
}

func (p *postgres) url(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s", database, p.dir)
}

func (p *postgres) start() error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp(memory(), "airstrip-pg-"); err != nil {
		return err
	}
	var as *syscall.SysProcAttr
	if os.Geteuid() == 0 { // initdb refuses root
		if as, err = postgresUser(p.dir); err != nil {
			return err
		}
	}
	data := filepath.Join(p.dir, "data")
	if err := run(as, filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C.UTF-8", "--no-sync"); err != nil {
		return err
	}
	// The watcher holds the read end of a pipe whose write end only the test binary has: it ends with us.
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.alive = w
	watch := exec.Command("/bin/sh", "-c", `data=$1 dir=$2; shift 2
"$@" -D "$data" -k "$dir" >"$dir/log" 2>&1 & pid=$!
cat >/dev/null; kill -QUIT $pid; wait $pid; rm -rf "$dir"`, "postgres", data, p.dir, filepath.Join(bin, "postgres"),
		"-c", "listen_addresses=", "-c", "max_connections=300", "-c", "shared_buffers=64MB",
		// Nothing has to outlive the tests, and what PostgreSQL does by itself is for databases that live longer.
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "checkpoint_timeout=1h",
		"-c", "max_wal_size=4GB", "-c", "autovacuum=off", "-c", "jit=off")
	watch.Stdin, watch.SysProcAttr = r, &syscall.SysProcAttr{Setpgid: true}
	if as != nil {
		watch.SysProcAttr.Credential = as.Credential
	}
	watch.Dir = p.dir
	if err := watch.Start(); err != nil {
		return err
	}
	r.Close()
	return p.template()
}

// template makes the migrated database that each test's own is copied from.
func (p *postgres) template() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var err error
	for p.admin == nil {
		if p.admin, err = db.Open(ctx, p.url("postgres"), ""); err != nil {
			select {
			case <-ctx.Done():
				log, _ := os.ReadFile(filepath.Join(p.dir, "log"))
				return fmt.Errorf("%w\n%s", err, log)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	if _, err := p.admin.ExecContext(ctx, `CREATE DATABASE airstrip_template`); err != nil {
		return err
	}
	d, err := db.Open(ctx, p.url("airstrip_template"), "")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Migrate(ctx)
}

// memory gives the folder of Linux's memory file system where there is one with room, "" elsewhere. A new database is a
// thousand small files: in memory they take 30 ms, on a disk more than most tests.
func memory() string {
	const folder, room = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return folder
}

func postgresUser(dir string) (*syscall.SysProcAttr, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// binaries finds the newest PostgreSQL server: on the PATH, or where Debian puts it.
func binaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		sort.Strings(found)
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("no initdb found; install the Debian package postgresql")
	}
	return filepath.Dir(path), nil
}

func run(as *syscall.SysProcAttr, name string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr, cmd.Stdout, cmd.Stderr, cmd.Dir = as, &out, &out, os.TempDir()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, out.Bytes())
	}
	return nil
}
