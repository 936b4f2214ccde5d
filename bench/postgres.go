package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// startPostgres starts a PostgreSQL under dir with its default durability, on a Unix socket: a commit is on the disk
// before it is answered.
func startPostgres(dir string) (url string, stop func(), err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", nil, fmt.Errorf("no PostgreSQL in /usr/lib/postgresql; install the Debian package postgresql")
	}
	slices.Sort(found)
	bin := filepath.Dir(found[len(found)-1])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	as := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Geteuid() == 0 { // initdb refuses root
		if as.Credential, err = credential("postgres"); err != nil {
			return "", nil, err
		}
		for _, path := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chown(path, int(as.Credential.Uid), int(as.Credential.Gid)); err != nil {
				return "", nil, err
			}
		}
	}
	data := filepath.Join(dir, "data")
	if err := initdb(bin, dir, data, as); err != nil {
		return "", nil, err
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c",
		"shared_buffers=256MB")
	cmd.SysProcAttr, cmd.Dir = as, dir
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { cmd.Process.Signal(syscall.SIGINT); cmd.Wait() }
	for range 200 {
		ask := exec.Command(filepath.Join(bin, "pg_isready"), "-q", "-h", dir)
		ask.Dir = dir
		if ask.Run() == nil {
			return "postgres://postgres@/postgres?host=" + dir, stop, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("PostgreSQL did not start")
}

// initdb makes the cluster unless an earlier run has made it.
func initdb(bin, dir, data string, as *syscall.SysProcAttr) error {
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err == nil {
		return nil
	}
	begin := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C.UTF-8")
	begin.SysProcAttr, begin.Dir = as, dir
	if out, err := begin.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}
