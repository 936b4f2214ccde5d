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
	"time"

	"airstrip/internal/db"
)

// server is one PostgreSQL per test binary, in a temporary folder, with a Unix socket only. It ends when the test
// binary is gone, however that ended, and its folder with it.
var server postgres

type postgres struct {
	once sync.Once
	bin  string
	dir  string
	err  error
	// as is the user that PostgreSQL runs as where the tests run as root; nil elsewhere.
	as *syscall.SysProcAttr
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

func (p *postgres) data() string { return filepath.Join(p.dir, "data") }

func (p *postgres) start() (err error) {
	if p.bin, err = binaries(); err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp(memory(), "airstrip-pg-"); err != nil {
		return err
	}
	if os.Geteuid() == 0 { // initdb refuses root
		if p.as, err = postgresUser(p.dir); err != nil {
			return err
		}
	}
	if err := madeOnce("airstrip-postgres", p.data(), p.makeTemplate); err != nil {
		return err
	}
	watch, err := p.serve("QUIT", p.dir)
	if err != nil {
		return err
	}
	go watch.Wait()
	p.admin, err = p.connect()
	return err
}

// makeTemplate makes the data folder of a server that has the migrated database which each test's own is copied from.
func (p *postgres) makeTemplate() error {
	if err := run(p.as, filepath.Join(p.bin, "initdb"), "-D", p.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C.UTF-8", "--no-sync", "--wal-segsize=1"); err != nil {
		return err
	}
	watch, err := p.serve("INT", "")
	if err != nil {
		return err
	}
	err = p.migrateTemplate()
	return errors.Join(err, p.alive.Close(), watch.Wait())
}

func (p *postgres) migrateTemplate() error {
	admin, err := p.connect()
	if err != nil {
		return err
	}
	_, err = admin.ExecContext(context.Background(), `CREATE DATABASE airstrip_template`)
	if err := errors.Join(err, admin.Close()); err != nil {
		return err
	}
	return migrate(p.url("airstrip_template"), "")
}

// serve starts the server. A small shell beside it ends it by the signal when this process is gone or closes p.alive,
// and removes the folder then.
func (p *postgres) serve(signal, remove string) (*exec.Cmd, error) {
	// The watcher holds the read end of a pipe whose write end only the test binary has.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p.alive = w
	watch := exec.Command("/bin/sh", "-c", `dir=$1 signal=$2 remove=$3; shift 3
"$@" -D "$dir/data" -k "$dir" >"$dir/log" 2>&1 & pid=$!
cat >/dev/null; kill -"$signal" $pid; wait $pid; rm -rf "$remove"`, "postgres", p.dir, signal, remove,
		filepath.Join(p.bin, "postgres"),
		"-c", "listen_addresses=", "-c", "max_connections=300", "-c", "shared_buffers=64MB",
		// Nothing has to outlive the tests, and what PostgreSQL does by itself is for databases that live longer.
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "checkpoint_timeout=1h",
		"-c", "max_wal_size=4GB", "-c", "autovacuum=off", "-c", "jit=off")
	watch.Stdin, watch.SysProcAttr = r, &syscall.SysProcAttr{Setpgid: true}
	if p.as != nil {
		watch.SysProcAttr.Credential = p.as.Credential
	}
	watch.Dir = p.dir
	return watch, watch.Start()
}

// connect waits until the server serves.
func (p *postgres) connect() (*db.DB, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for {
		d, err := db.Open(ctx, p.url("postgres"), "")
		if err == nil {
			return d, nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(p.dir, "log"))
			return nil, fmt.Errorf("%w\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
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
