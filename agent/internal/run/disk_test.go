package run_test

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

// limitDisk prevents this process from writing to any file while the file full exists, from its return on. It differs
// from a full disk only in the kernel's error. Its own checks need no file.
func limitDisk(full string) {
	signal.Ignore(syscall.SIGXFSZ)
	var all syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &all); err != nil {
		panic(err)
	}
	was := false
	look := func() {
		limit := all
		_, err := os.Stat(full)
		is := err == nil
		if is {
			limit.Cur = 0
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
		if is && !was {
			fmt.Fprintln(os.Stderr, diskIsFull)
		}
		was = is
	}
	look()
	go func() {
		for ; ; time.Sleep(20 * time.Millisecond) {
			look()
		}
	}()
}

const diskIsFull = "from now on the disk is full"

// startWithFullDisk starts an agent whose disk is full while the file exists. It is killed by end, or at the end of the
// test.
func (e *testEnv) startWithFullDisk(full string) (log *output, end func()) {
	e.t.Helper()
	agent := e.process("AGENT_FULL_DISK=" + full)
	log = new(output)
	agent.Stderr = log
	if err := agent.Start(); err != nil {
		e.t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		agent.Process.Kill()
		agent.Wait()
		e.t.Log(log)
	})
	e.t.Cleanup(end)
	e.listening()
	return log, end
}

func TestFullDisk_EmptyFolder_StartsAndReports(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	full := filepath.Join(t.TempDir(), "full")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log, end := e.startWithFullDisk(full)
	conn := e.client(User(1)).Dial(e.echo)
	e.mustExchange(conn, 1000)
	for _, words := range []string{
		"no room for the counters file", "could not be written to the spool",
		"the state could not be saved",
	} {
		eventually(t, 10*time.Second, "the log says: "+words,
			func() bool { return strings.Contains(log.String(), words) })
	}
	e.mustExchange(conn, 5000)
	eventually(t, 5*time.Second, "the status says so, too", func() bool {
		wrong := problemsOf(run.Summarize(e.data))
		return strings.Contains(wrong, "in memory only") && strings.Contains(wrong, "spooling a batch") &&
			strings.Contains(wrong, e.data)
	})
	if bill := e.billedBytes(1); bill != 0 {
		t.Errorf("billed %d while no report could be kept", bill)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	e.mustBill(1, 12_000)
	end()
	e.startWithFullDisk(full) // There is a counters file now.
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	e.mustBill(1, 14_000)
}

func TestFullDisk_ReportsAndContinuesCounting(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	full := filepath.Join(t.TempDir(), "full")
	log, _ := e.startWithFullDisk(full)
	conn := e.client(User(1)).Dial(e.echo)
	e.mustExchange(conn, 1000)
	e.mustBill(1, 2000)

	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, diskIsFull, func() bool { return strings.Contains(log.String(), diskIsFull) })
	e.mustExchange(conn, 5000)
	e.publish(api.Change{Users: []api.User{User(2)}})
	e.mustLetIn(e.client(User(2)), "a new user")
	for _, words := range []string{"could not be written to the spool", "the state could not be saved"} {
		eventually(t, 10*time.Second, "the log says: "+words,
			func() bool { return strings.Contains(log.String(), words) })
	}
	e.mustExchange(conn, 5000)
	if bill := e.billedBytes(1); bill != 2000 {
		t.Errorf("billed %d while no report could be kept", bill)
	}

	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	e.mustBill(1, 22_000)
	eventually(t, 10*time.Second, "all is well again", func() bool { return problemsOf(run.Summarize(e.data)) == "" })
	eventually(t, 10*time.Second, "the list with the new user is saved", func() bool {
		text, err := os.ReadFile(filepath.Join(e.data, "state.json"))
		return err == nil && bytes.Contains(text, []byte(User(2).UUID))
	})
}

// output is the output of a process, which can be read while it is written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
