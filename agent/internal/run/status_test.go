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

// wrongOf is all that a summary says is wrong.
func wrongOf(s run.Summary) string {
	var all []string
	for _, f := range s.Findings {
		if f.Wrong != "" {
			all = append(all, f.What+": "+f.Wrong)
		}
	}
	return strings.Join(all, "\n")
}

// says waits until the status of the node says all of the words, and answers what it says is wrong.
func (w *world) says(words ...string) (wrong string) {
	w.t.Helper()
	eventually(w.t, 15*time.Second, "the status says "+strings.Join(words, ", "), func() bool {
		wrong = wrongOf(run.Summarize(w.data))
		for _, word := range words {
			if !strings.Contains(wrong, word) {
				return false
			}
		}
		return true
	})
	return wrong
}

func (w *world) well() {
	w.t.Helper()
	wrong := "not asked"
	eventually(w.t, 15*time.Second, "all is well", func() bool { wrong = wrongOf(run.Summarize(w.data)); return wrong == "" })
}

func TestStatusTellsOfASecretThatIsRefusedAndOfAServerThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	w.well()
	answer := func(status int, code string) {
		w.set(func() {
			w.fault = func(rw http.ResponseWriter, r *http.Request) bool { failure(rw, status, code); return true }
		})
		w.http.CloseClientConnections()
	}
	answer(401, "bad_secret")
	w.says("server "+w.http.URL, "refuses the node's secret", "since", "the last answer came at")
	answer(503, "away")
	w.says("503 away")
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000) // who is listed is served all the same
	w.set(func() { w.fault = nil })
	w.well()
}

func TestStatusOfAnAgentThatNeverReachedTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.front = "http://127.0.0.1:1"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx, w.config(t.Output())) }()
	w.says("nobody is served", "connection refused", "never since the agent's start")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	w.says("none runs on " + w.data)
}

func TestStatusTellsOfAPortThatIsTakenUntilItIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	w.well()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	node := w.setup.Node
	node.Port = taken.Addr().(*net.TCPAddr).Port
	w.publish(api.Change{Node: &node})
	w.says("listener: port", "in use")
	taken.Close()
	w.well()
}

func TestStatusTellsOfTheCertificate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	cert := SelfSigned(t, "a.test")
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("c.pem", cert.PEM)
	put("k.pem", cert.Key)
	w.start()
	node := w.setup.Node
	node.Settings.Security = "tls"
	node.Settings.TLS = api.TLS{ServerName: "a.test", CertificateFile: filepath.Join(dir, "c.pem"), KeyFile: filepath.Join(dir, "k.pem")}
	w.publish(api.Change{Node: &node})
	w.well()
	put("c.pem", cert.Key) // the two in each other's place
	put("k.pem", cert.PEM)
	w.says("certificate for a.test", "certificate_file", "c.pem", "key_file")
	put("c.pem", cert.PEM)
	put("k.pem", cert.Key)
	w.well()
	ending := node
	ending.Settings.TLS = api.TLS{ServerName: "b.test"}
	late := SelfSignedUntil(t, "b.test", time.Now().Add(10*time.Minute))
	ending.Settings.TLS.Certificate, ending.Settings.TLS.Key = late.PEM, late.Key
	w.publish(api.Change{Node: &ending})
	w.says("certificate for b.test", "ends soon")
}

func TestStatusTellsOfReportsThatWaitOrAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reports") {
			failure(rw, 500, "internal")
			return true
		}
		return false
	}
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	eventually(t, 5*time.Second, "a report waits", func() bool { return run.Summarize(w.data).Waiting == 1 })
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(spooled(t, w.data)[0], old, old); err != nil {
		t.Fatal(err)
	}
	w.says("reports: 1 wait", "500 internal", old.Format("15:04:05"))
	w.set(func() {
		w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/reports") {
				failure(rw, 410, "batch_too_old")
				return true
			}
			return false
		}
	})
	if wrong := w.says("reports: 1 refused", "spool/refused"); strings.Contains(wrong, "server") {
		t.Errorf("that one report is refused says nothing of the server: %s", wrong)
	}
}

func TestStatusTellsOfANodeThatIsClosedOrHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	node := w.setup.Node
	node.Closed = true
	w.publish(api.Change{Node: &node})
	w.says("closed")
	node.Closed, node.Hidden = false, true
	w.publish(api.Change{Node: &node})
	eventually(t, 5*time.Second, "that it is hidden is said and not wrong", func() bool {
		s := run.Summarize(w.data)
		for _, f := range s.Findings {
			if strings.Contains(f.Note, "hides") {
				return wrongOf(s) == ""
			}
		}
		return false
	})
}

func TestStatusTellsOfAClockThatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", time.Now().Add(10*time.Minute+30*time.Second).UTC().Format(http.TimeFormat))
		return false
	}
	w.start()
	w.says("clock: it is 10m", "behind")
}

func TestStatusSaysWhyAnAgentEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	wrong := w.config(t.Output())
	wrong.Node = 2
	if run.Run(t.Context(), wrong) == nil {
		t.Fatal("another node's secret is taken")
	}
	w.says("none runs", "another node")
	w.start()
	w.well()
}

func TestStatusOfAnAgentThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	w.well()
	if err := os.Remove(filepath.Join(w.data, "status.sock")); err != nil {
		t.Fatal(err)
	}
	w.says("does not tell how it stands", "restart")
}

func TestStatusAnswersAgainAfterAShortageOfFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	agent := w.process()
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Process.Kill(); agent.Wait() })
	w.well()
	var limit unix.Rlimit
	if err := unix.Prlimit(agent.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(agent.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Max: limit.Max}, nil); err != nil {
		t.Fatal(err)
	}
	if s := run.Summarize(w.data); !strings.Contains(wrongOf(s), "does not tell how it stands") {
		t.Fatalf("it has no file for an answer, and says %+v", s)
	}
	if err := unix.Prlimit(agent.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, 15*time.Second, "it tells how it stands", func() bool { // the server may not have been asked again yet
		return !strings.Contains(wrongOf(run.Summarize(w.data)), "does not tell")
	})
}

func TestAskingHowAFolderStandsKeepsNoAgentFromIt(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	list := filepath.Join(data, "state.json")
	if err := unix.Mkfifo(list, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan run.Summary)
	go func() { asked <- run.Summarize(data) }()
	slow, err := os.OpenFile(list, os.O_WRONLY, 0) // once it is being read
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

func TestAnAgentWhoseFolderIsRemovedReportsAllAndEnds(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(folder string) error{
		"the folder":       os.RemoveAll,
		"its files":        func(folder string) error { return os.Remove(filepath.Join(folder, "counters")) },
		"for an empty one": func(folder string) error { return errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)) },
	} {
		w := newWorld(t, User(1))
		w.node.ReportSeconds = 3600
		ended := make(chan error, 1)
		go func() { ended <- run.Run(t.Context(), w.config(t.Output())) }()
		w.listening()
		w.mustExchange(w.client(User(1)).Dial(w.echo), 5000)
		if err := remove(w.data); err != nil {
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
		if bill := w.bill(1); bill != 10_000 {
			t.Errorf("%s: billed %d, moved 10000", name, bill)
		}
		w.start()
		w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
		w.well()
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		if bill := w.bill(1); bill != 12_000 {
			t.Errorf("%s: billed %d in the end, moved 12000", name, bill)
		}
	}
}

func TestTheFolderTellsHowAnAgentStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1), User(2))
	w.start()
	eventually(t, 5*time.Second, "all is well", func() bool {
		s := run.Summarize(w.data)
		return s.Running && s.Users == 2 && s.Node == w.setup.Node.ID && s.Revision == 1 && wrongOf(s) == ""
	})
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if s := run.Summarize(w.data); s.Running || s.Waiting != 0 || s.Users != 2 || !strings.Contains(wrongOf(s), "none runs") {
		t.Errorf("after the end: %+v", s)
	}
	if s := run.Summarize(w.data + "/nowhere"); !strings.Contains(wrongOf(s), "nowhere") {
		t.Errorf("a folder that is not there: %+v", s)
	}
}

func TestStatusTellsOfAnotherAgentWithTheSameSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.double = true
	w.start()
	w.says("another agent serves with this node's secret")
	w.set(func() { w.double = false })
	eventually(t, 30*time.Second, "the other is gone", func() bool { return wrongOf(run.Summarize(w.data)) == "" })
}
