package run_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

// problemsOf returns everything that a summary reports as wrong.
func problemsOf(s run.Summary) string {
	var all []string
	for _, f := range s.Findings {
		if f.Wrong != "" {
			all = append(all, f.What+": "+f.Wrong)
		}
	}
	return strings.Join(all, "\n")
}

// waitForStatus waits until the status of the node contains all of the words, and returns what it reports as wrong.
func (e *testEnv) waitForStatus(words ...string) (wrong string) {
	e.t.Helper()
	eventually(e.t, 15*time.Second, "the status says "+strings.Join(words, ", "), func() bool {
		wrong = problemsOf(run.Summarize(e.data))
		for _, word := range words {
			if !strings.Contains(wrong, word) {
				return false
			}
		}
		return true
	})
	return wrong
}

func (e *testEnv) well() {
	e.t.Helper()
	wrong := "not asked"
	eventually(e.t, 15*time.Second, "all is well",
		func() bool { wrong = problemsOf(run.Summarize(e.data)); return wrong == "" })
}

func TestStatus_SecretRefusedOrServerAway(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	e.well()
	answer := func(status int, code string) {
		e.set(func() {
			e.fault = func(rw http.ResponseWriter, r *http.Request) bool { writeError(rw, status, code); return true }
		})
		e.http.CloseClientConnections()
	}
	answer(401, "bad_secret")
	e.waitForStatus("server "+e.http.URL, "refuses the node's secret", "since", "the last answer came at")
	answer(503, "away")
	e.waitForStatus("503 away")
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000) // Listed users are served all the same.
	e.set(func() { e.fault = nil })
	e.well()
}

func TestStatus_ServerNeverReached(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.serverURL = "http://127.0.0.1:1"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx, e.config(t.Output())) }()
	e.waitForStatus("nobody is served", "connection refused", "never since the agent's start")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	e.waitForStatus("none runs on " + e.data)
}

func TestStatus_PortTaken_UntilItIsFree(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	e.well()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	node := e.setup.Node
	node.Port = taken.Addr().(*net.TCPAddr).Port
	e.publish(api.Change{Node: &node})
	e.waitForStatus("listener: port", "in use")
	taken.Close()
	e.well()
}

func TestStatus_Certificate(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	cert := SelfSigned(t, "a.test")
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("c.pem", cert.PEM)
	put("k.pem", cert.Key)
	e.start()
	node := e.setup.Node
	node.Settings.Security = "tls"
	node.Settings.TLS = api.TLS{
		ServerName: "a.test", CertificateFile: filepath.Join(dir, "c.pem"),
		KeyFile: filepath.Join(dir, "k.pem"),
	}
	e.publish(api.Change{Node: &node})
	e.well()
	put("c.pem", cert.Key) // Certificate and key are swapped.
	put("k.pem", cert.PEM)
	e.waitForStatus("certificate for a.test", "certificate_file", "c.pem", "key_file")
	put("c.pem", cert.PEM)
	put("k.pem", cert.Key)
	e.well()
	ending := node
	ending.Settings.TLS = api.TLS{ServerName: "b.test"}
	late := SelfSignedUntil(t, "b.test", time.Now().Add(10*time.Minute))
	ending.Settings.TLS.Certificate, ending.Settings.TLS.Key = late.PEM, late.Key
	e.publish(api.Change{Node: &ending})
	e.waitForStatus("certificate for b.test", "ends soon")
}

func TestStatus_WaitingAndRefusedReports(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reports") {
			writeError(rw, 500, "internal")
			return true
		}
		return false
	})
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	eventually(t, 5*time.Second, "a report waits", func() bool { return run.Summarize(e.data).Waiting == 1 })
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(spooled(t, e.data)[0], old, old); err != nil {
		t.Fatal(err)
	}
	e.waitForStatus("reports: 1 wait", "500 internal", old.Format("15:04:05"))
	e.set(func() {
		e.fault = func(rw http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/reports") {
				writeError(rw, 410, "batch_too_old")
				return true
			}
			return false
		}
	})
	if wrong := e.waitForStatus("reports: 1 refused", "spool/refused"); strings.Contains(wrong, "server") {
		t.Errorf("that one report is refused says nothing of the server: %s", wrong)
	}
}

func TestStatus_ClosedOrHiddenNode(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	node := e.setup.Node
	node.Closed = true
	e.publish(api.Change{Node: &node})
	e.waitForStatus("closed")
	node.Closed, node.Hidden = false, true
	e.publish(api.Change{Node: &node})
	eventually(t, 5*time.Second, "that it is hidden is said and not wrong", func() bool {
		s := run.Summarize(e.data)
		for _, f := range s.Findings {
			if strings.Contains(f.Note, "hides") {
				return problemsOf(s) == ""
			}
		}
		return false
	})
}

func TestStatus_WrongClock(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", time.Now().Add(10*time.Minute+30*time.Second).UTC().Format(http.TimeFormat))
		return false
	})
	e.start()
	e.waitForStatus("clock: it is 10m", "behind")
}

func TestStatus_NamesWhyAgentEnded(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	wrong := e.config(t.Output())
	wrong.Node = 2
	if run.Run(t.Context(), wrong) == nil {
		t.Fatal("another node's secret is taken")
	}
	e.waitForStatus("none runs", "another node")
	e.start()
	e.well()
}

func TestStatus_AgentDoesNotAnswer(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	e.well()
	if err := os.Remove(filepath.Join(e.data, "status.sock")); err != nil {
		t.Fatal(err)
	}
	e.waitForStatus("does not tell how it stands", "restart")
}

func TestStatus_AfterShortageOfFiles_AnswersAgain(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	agent := e.process()
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Process.Kill(); agent.Wait() })
	e.well()
	var limit unix.Rlimit
	if err := unix.Prlimit(agent.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(agent.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Max: limit.Max}, nil); err != nil {
		t.Fatal(err)
	}
	if s := run.Summarize(e.data); !strings.Contains(problemsOf(s), "does not tell how it stands") {
		t.Fatalf("it has no file for an answer, and says %+v", s)
	}
	if err := unix.Prlimit(agent.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	// The agent may not have contacted the server again yet.
	eventually(t, 15*time.Second, "it tells how it stands", func() bool {
		return !strings.Contains(problemsOf(run.Summarize(e.data)), "does not tell")
	})
}

func TestStatus_BeingRead_DoesNotBlockStart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	list := filepath.Join(data, "state.json")
	if err := unix.Mkfifo(list, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan run.Summary)
	go func() { asked <- run.Summarize(data) }()
	slow, err := os.OpenFile(list, os.O_WRONLY, 0) // Once it is being read.
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Errorf("while a long list is read: %v", err)
	}
	slow.Close()
	<-asked
}

func TestDataFolder_Removed_ReportsAllAndEnds(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(folder string) error{
		"the folder": os.RemoveAll,
		"its files":  func(folder string) error { return os.Remove(filepath.Join(folder, "counters")) },
		"for an empty one": func(folder string) error {
			return errors.Join(os.RemoveAll(folder),
				os.Mkdir(folder, 0o700))
		},
	} {
		e := newTestEnv(t, User(1))
		e.node.ReportSeconds = 3600
		ended := make(chan error, 1)
		go func() { ended <- run.Run(t.Context(), e.config(t.Output())) }()
		e.listening()
		e.mustExchange(e.client(User(1)).Dial(e.echo), 5000)
		if err := remove(e.data); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if !errors.Is(err, meter.ErrRemoved) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: it goes on", name)
		}
		if bill := e.billedBytes(1); bill != 10_000 {
			t.Errorf("%s: billed %d, moved 10000", name, bill)
		}
		e.start()
		e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
		e.well()
		if err := e.stop(); err != nil {
			t.Error(err)
		}
		if bill := e.billedBytes(1); bill != 12_000 {
			t.Errorf("%s: billed %d in the end, moved 12000", name, bill)
		}
	}
}

func TestStatus_NotRunning_IsReadFromFolder(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1), User(2))
	e.start()
	eventually(t, 5*time.Second, "all is well", func() bool {
		s := run.Summarize(e.data)
		return s.Running && s.Users == 2 && s.Node == e.setup.Node.ID && s.Revision == 1 && problemsOf(s) == ""
	})
	if err := e.stop(); err != nil {
		t.Fatal(err)
	}
	if s := run.Summarize(e.data); s.Running || s.Waiting != 0 || s.Users != 2 ||
		!strings.Contains(problemsOf(s), "none runs") {
		t.Errorf("after the end: %+v", s)
	}
	if s := run.Summarize(e.data + "/nowhere"); !strings.Contains(problemsOf(s), "nowhere") {
		t.Errorf("a folder that is not there: %+v", s)
	}
}

func TestStatus_DuplicateAgent(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.duplicate = true
	e.start()
	e.waitForStatus("another agent serves with this node's secret")
	e.set(func() { e.duplicate = false })
	eventually(t, 30*time.Second, "the other is gone", func() bool { return problemsOf(run.Summarize(e.data)) == "" })
}
