package app

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/dberr"
	"airstrip/internal/node"
	"airstrip/internal/shop"
)

// serveOnDisk has a server of crash_test.go begin on an empty disk of so many bytes, which only it sees.
const serveOnDisk = "AIRSTRIP_TEST_DISK"

// mountFlags give a process mounts of its own in a namespace where it is root, as whoever runs the tests may have them.
const mountFlags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS

// mountDisk mounts an empty disk over dir and copies the files that are there onto it.
func mountDisk(dir, size string) error {
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		return err
	}
	return writeFiles(dir, files)
}

func writeFiles(dir string, files map[string][]byte) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// mayMount reports whether this machine lets a test have a disk of its own.
func mayMount(t *testing.T) bool {
	t.Helper()
	probe := exec.Command("/bin/sh", "-c", `mount --make-rprivate / && mount -t tmpfs -o size=64k tmpfs "$0"`,
		t.TempDir())
	probe.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  mountFlags,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := probe.CombinedOutput()
	if err != nil {
		t.Logf("no disk of the test's own (%v %s): its full disk is a limit on the size of files instead", err, out)
	}
	return err == nil
}

// unwritable is a server whose database cannot be written from begin on, and can again from end on.
type unwritable struct {
	*process
	site       *testServer // that made what the server begins with
	begin, end func(t *testing.T)
	sound      func(t *testing.T) // fails where the doctor would complain
	code       string             // of the fault that /ready answers
	reads      bool               // whether reading goes on

	user testUser
	pack int64
	node string // the secret of a node
}

func TestNothingCanBeWritten_ReadyAndMetricTell_CallsAnswer503_AndGoOnAfterwards(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *unwritable{
		"sqlite, no file can be written":   onLimitedFiles,
		"sqlite, the disk is full":         onFullDisk,
		"sqlite, another program holds it": onHeldFile,
		"postgres, the disk is full":       func(t *testing.T) *unwritable { return onRefusing(t, "53100") },
		"postgres, the disk fails":         func(t *testing.T) *unwritable { return onRefusing(t, "58030") },
		"postgres, read-only":              onReadOnly,
		"postgres, the primary is lost":    onLostPrimary,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := open(t)
			u.wantReady(t, true)
			u.wantDone(t, "before")
			u.begin(t)
			for what, got := range u.callAll("during") {
				u.wantUnavailable(t, what, got)
			}
			u.wantUnavailable(t, "a notify", send(u.process, http.MethodPost, "/v1/payment/notify/sandbox", "", "",
				"{}"))
			u.wantReady(t, false)
			got := send(u.process, http.MethodGet, "/api/v2/user/wallet", u.user.bearer, "", "")
			if u.reads && got.status != http.StatusOK {
				t.Errorf("during: reading: %s", got)
			} else if !u.reads {
				u.wantUnavailable(t, "reading", got)
			}
			u.end(t)
			u.wantReady(t, true)
			u.wantDone(t, "during") // what failed is repeated
			u.sound(t)
		})
	}
}

// furnish makes who calls.
func (u *unwritable) furnish(t *testing.T) {
	t.Helper()
	plan := u.site.sells(t, shop.KindPlan, 100)
	u.pack, u.user = u.site.sells(t, shop.KindPackage, 100), u.site.addUser(t, "user", 1000)
	if w := u.site.call(t.Context(), u.user, http.MethodPost, buy(plan), "{}"); w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	var err error
	if _, u.node, err = u.site.Nodes.Add(t.Context(), node.Draft("hk", node.VMess, "hk.example", 443)); err != nil {
		t.Fatal(err)
	}
}

// callAll makes a call of each kind that writes. Of the same phase they are the same.
func (u *unwritable) callAll(phase string) map[string]called {
	at := time.Now().UTC().Truncate(time.Hour)
	report, _ := json.Marshal(map[string]any{
		"boot": uuid.NewSHA1(uuid.Nil, []byte(phase)), "sequence": 1, "from": at.Add(-time.Minute), "to": at,
		"rows": []any{map[string]any{"user_id": u.user.id, "up": 0, "down": 1000}},
	})
	bytes := 1000 + len(phase)
	calls := map[string]func() called{
		"a purchase": func() called {
			return send(u.process, http.MethodPost, buy(u.pack), u.user.bearer, phase, "{}")
		},
		"a recharge": func() called {
			return send(u.process, http.MethodPost, "/api/v2/user/wallet/recharge", u.user.bearer, "recharge-"+phase,
				`{"gateway":"sandbox","amount":"10.00"}`)
		},
		"a report": func() called {
			return send(u.process, http.MethodPost, "/api/agent/v1/reports", u.node, "", string(report))
		},
		"a report of SSPanel's kind": func() called {
			return send(u.process, http.MethodPost, "/v1/mod_mu/users/traffic?key="+u.node, "", "",
				fmt.Sprintf(`{"data":[{"user_id":%d,"u":0,"d":%d}]}`, u.user.id, bytes))
		},
		"a report of v2board's kind": func() called {
			path := "/api/v1/server/UniProxy/push?node_id=1&node_type=vmess&token=" + u.node
			return send(u.process, http.MethodPost, path, "", "",
				fmt.Sprintf(`{"%d":[0,%d]}`, u.user.id, bytes+1))
		},
		"a sign-in": func() called {
			return send(u.process, http.MethodPost, "/api/v2/auth/account_login/login", "", "",
				`{"email":"user@example.com","password":"a long enough password"}`)
		},
		"an older sign-in": func() called {
			return send(u.process, http.MethodPost, "/v1/auth/login", "", "",
				`{"email":"user@example.com","passwd":"a long enough password"}`)
		},
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	out := map[string]called{}
	for what, call := range calls {
		all.Go(func() {
			got := call()
			mu.Lock()
			defer mu.Unlock()
			out[what] = got
		})
	}
	all.Wait()
	return out
}

// wantDone makes the calls of a phase until all are answered: the server learns of what the test made within a second.
func (u *unwritable) wantDone(t *testing.T, phase string) {
	t.Helper()
	failed := map[string]called{}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		failed = u.callAll(phase)
		maps.DeleteFunc(failed, func(_ string, got called) bool { return got.status == http.StatusOK })
		if len(failed) == 0 {
			return
		}
	}
	t.Errorf("while the database can be written: %v", failed)
}

func (u *unwritable) wantUnavailable(t *testing.T, what string, got called) {
	t.Helper()
	if got.status != http.StatusServiceUnavailable || got.retryAfter == "" || got.retryAfter == "0" {
		t.Errorf("during: %s: %s, Retry-After %q; want 503 and a time", what, got, got.retryAfter)
	}
}

// wantReady waits until /ready and the metric say that the database can be written, or that it cannot.
func (u *unwritable) wantReady(t *testing.T, ready bool) {
	t.Helper()
	var got called
	var metric string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if got = send(u.process, http.MethodGet, "/ready", "", "", ""); got.err != nil {
			t.Fatal("the server is gone: ", got.err)
		}
		for line := range strings.Lines(send(u.process, http.MethodGet, "/metrics", u.config.MetricsToken, "",
			"").body) {
			if value, ok := strings.CutPrefix(line, "airstrip_database_writable "); ok {
				metric = strings.TrimSpace(value)
			}
		}
		if ready && got.status == http.StatusOK && metric == "1" {
			return
		}
		away := got.status == http.StatusServiceUnavailable && got.retryAfter != "" &&
			strings.Contains(got.body, u.code)
		if !ready && away && metric == "0" {
			return
		}
	}
	t.Errorf("/ready: %s, Retry-After %q, the metric: %q; want ready %t, else %s",
		got, got.retryAfter, metric, ready, u.code)
}

// serveUnwritable starts a server on what a test server made: at the address of PostgreSQL given, else on SQLite, then
// on a disk of its own where it has a size. The server itself reaches PostgreSQL at another address where one is given.
func serveUnwritable(t *testing.T, database, other, disk string) *unwritable {
	t.Helper()
	c := config(t)
	c.Demo, c.LogLevel, c.MetricsToken, c.DatabaseURL = true, "error", "metrics", database
	if database != "" {
		c.SecretKey = keyText
	}
	u := &unwritable{process: &process{config: c, disk: disk}, site: newTestServer(t, c)}
	u.sound, u.reads = u.site.sound, true
	u.furnish(t)
	if other != "" {
		u.config.DatabaseURL = other
	}
	u.process.start(t)
	t.Cleanup(func() {
		u.kill()
		if t.Failed() {
			t.Logf("the server's log: %s", u.log.Bytes())
		}
	})
	u.waitReady(t)
	return u
}

// onLimitedFiles has each write to a file of the server's fail, as on a disk with errors.
func onLimitedFiles(t *testing.T) *unwritable {
	u := serveUnwritable(t, "", "", "")
	u.code = "database_not_writable"
	limit := func(bytes uint64) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			most := &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
			if err := unix.Prlimit(u.cmd.Process.Pid, unix.RLIMIT_FSIZE, most, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	u.begin, u.end = limit(0), limit(unix.RLIM_INFINITY)
	return u
}

// onFullDisk fills the disk that the server's folder is on.
func onFullDisk(t *testing.T) *unwritable {
	if !mayMount(t) {
		return onLimitedFiles(t)
	}
	u := serveUnwritable(t, "", "", "16m")
	u.code = "database_not_writable"
	disk := fmt.Sprintf("/proc/%d/root%s", u.cmd.Process.Pid, u.config.Data)
	filler := filepath.Join(disk, "filler")
	u.sound = func(t *testing.T) {
		t.Helper()
		c := u.config
		c.Data = t.TempDir()
		files := map[string][]byte{"secret.key": nil, db.SQLiteFile: nil, db.SQLiteFile + "-wal": nil}
		u.signal(t, syscall.SIGSTOP) // the files are of one moment
		for name := range files {
			var err error
			if files[name], err = os.ReadFile(filepath.Join(disk, name)); err != nil {
				t.Fatal(err)
			}
		}
		u.signal(t, syscall.SIGCONT)
		if err := writeFiles(c.Data, files); err != nil {
			t.Fatal(err)
		}
		newTestServer(t, c).sound(t)
	}
	u.begin = func(t *testing.T) {
		t.Helper()
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if n, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("after %d bytes: %v, want a full disk", n, err)
		}
	}
	u.end = func(t *testing.T) {
		t.Helper()
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return min(len(b), 512), nil }

// onHeldFile has another program hold the write lock of the file.
func onHeldFile(t *testing.T) *unwritable {
	u := serveUnwritable(t, "", "", "")
	u.code = "database_busy"
	other, err := sql.Open("sqlite", filepath.Join(u.config.Data, db.SQLiteFile)+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	other.SetMaxOpenConns(1)
	run := func(text string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if _, err := other.ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	u.begin, u.end = run(`BEGIN IMMEDIATE`), run(`ROLLBACK`)
	return u
}

// onPostgres starts a server on a PostgreSQL database that the test changes by the statements, each in a transaction.
func onPostgres(t *testing.T, code string, begin, end []string) *unwritable {
	address := dbtest.PostgresURL(t)
	u := serveUnwritable(t, address, "", "")
	u.code = code
	admin, err := db.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	run := func(statements []string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			for _, text := range statements {
				_, err := admin.ExecContext(t.Context(), text)
				for err != nil && dberr.Repeatable(err) { // a deadlock with the server, which still writes
					_, err = admin.ExecContext(t.Context(), text)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	u.begin, u.end = run(begin), run(end)
	return u
}

// onRefusing has PostgreSQL refuse all that writes with the error that it has for such a disk.
func onRefusing(t *testing.T, state string) *unwritable {
	return onPostgres(t, "database_not_writable", []string{`DO $do$ DECLARE t text; BEGIN
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
			AS $$ BEGIN RAISE 'refused' USING ERRCODE = '` + state + `'; END $$;
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
			EXECUTE format('CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE
			ON %I EXECUTE FUNCTION refuse()', t);
		END LOOP; END $do$`}, []string{`DROP FUNCTION refuse CASCADE`})
}

// onReadOnly makes the database read-only, as a standby is and a primary whose operator has it so. The sessions end
// after that is committed, so that none begins in between and stays writable.
func onReadOnly(t *testing.T) *unwritable {
	const set = `DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET default_transaction_read_only = %s',
		current_database()); END $$`
	const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`
	return onPostgres(t, "database_not_writable",
		[]string{fmt.Sprintf(set, "on"), endSessions}, []string{fmt.Sprintf(set, "off"), endSessions})
}

// onLostPrimary has nobody answer at the address of PostgreSQL.
func onLostPrimary(t *testing.T) *unwritable {
	direct := dbtest.PostgresURL(t)
	address, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newTCPProxy(t, address.Query().Get("host")+"/.s.PGSQL.5432")
	proxied := fmt.Sprintf("postgres://postgres@%s%s?sslmode=disable", proxy.address, address.Path)
	u := serveUnwritable(t, direct, proxied, "")
	u.code, u.reads = "database_unreachable", false
	u.begin, u.end = func(*testing.T) { proxy.refuse() }, func(*testing.T) { proxy.listen() }
	return u
}
