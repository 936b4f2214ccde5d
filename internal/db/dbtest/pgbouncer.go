package dbtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// PgBouncer starts a PgBouncer before PostgreSQL, with more lines for its configuration, and gives the address of the
// database of databaseURL through it. It hands each transaction to one of few connections. It ends with the test.
func PgBouncer(t testing.TB, databaseURL, settings string) string {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // Debian's, which is not on everybody's PATH
	}
	dir, err := os.MkdirTemp("", "airstrip-pgb-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const port = "6432"
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
* = host=%s user=postgres
[pgbouncer]
listen_port = %s
unix_socket_dir = %s
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 500
logfile = %s/log
%s
`, address.Query().Get("host"), port, dir, dir, settings)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(program, "-q", config)
	run.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 { // it refuses root
		if run.SysProcAttr, err = postgresUser(dir); err != nil {
			t.Fatal(err)
		}
	}
	run.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := run.Start(); err != nil {
		t.Fatal("PgBouncer for tests; install the Debian package pgbouncer: ", err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL."+port))
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("PgBouncer does not listen: %v\n%s", err, log)
		}
	}
	return fmt.Sprintf("postgres://postgres@%s?host=%s&port=%s", address.Path, dir, port)
}
