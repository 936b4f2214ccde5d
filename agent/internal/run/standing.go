package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"airstrip/agent/internal/durable"
)

// Finding is one line of how an agent stands, or of what a test of its surroundings found.
type Finding struct {
	What string `json:"what"`
	// Wrong is what keeps it from working, Note what is worth knowing; both are empty where all is well.
	Wrong string `json:"wrong,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Summary of an agent, or of its data folder while none runs.
type Summary struct {
	Running  bool      `json:"running"`
	Node     int64     `json:"node"`
	Server   string    `json:"server,omitempty"`
	Revision int64     `json:"revision"`
	Users    int       `json:"users"`
	Findings []Finding `json:"findings"`
	// Failure is why the last agent ended, empty where that was as it should be.
	Failure string `json:"failure,omitempty"`
	reports
}

// Over says that the agent ended as it should and left nothing to be sent.
func (s *Summary) Over() bool { return !s.Running && s.Failure == "" && s.Waiting == 0 }

// reports of a folder. Waiting ones are not answered yet, the first since Oldest; Refused ones never will be counted.
type reports struct {
	Waiting int        `json:"reports_waiting"`
	Oldest  *time.Time `json:"oldest_waiting,omitempty"`
	Refused int        `json:"reports_refused"`
}

const (
	socketFile  = "status.sock" // at which a running agent tells how it stands
	failureFile = "failure"     // why the last one ended
)

// socketOf a folder, by a path that is short enough for a socket's address wherever the folder is.
func socketOf(folder *os.File) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketFile)
}

// tell lets Summarize ask how the agent stands, until stop.
func (a *agent) tell(folder *os.File) (stop func()) {
	_ = os.Remove(socketOf(folder)) // that of one who was killed
	door, err := net.Listen("unix", socketOf(folder))
	if err != nil {
		a.log.Warn("status will know no more than what lies in the data folder", "err", err)
		return func() {}
	}
	go func() {
		for {
			conn, err := door.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // such as too many open files
				time.Sleep(100 * time.Millisecond)
				continue
			}
			go func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(answerTime))
				_ = json.NewEncoder(conn).Encode(a.summary()) // whoever went away needs no answer
			}()
		}
	}()
	return func() { door.Close() }
}

// answerTime is how long a running agent has to tell how it stands.
const answerTime = 5 * time.Second

// remember keeps why the agent ended.
func remember(data string, why error) {
	text := time.Now().Format(time.RFC3339) + " " + why.Error() + "\n"
	_ = durable.WriteFile(filepath.Join(data, failureFile), []byte(text)) // the log has it, too
}

// summary is how the agent stands now.
func (a *agent) summary() Summary {
	a.mu.Lock()
	have, node, users, revision := a.have, a.known.Node, len(a.users), a.known.Revision
	a.mu.Unlock()
	s := Summary{Running: true, Node: a.node, Server: a.server, Revision: revision, Users: users}
	say := func(wrong error, what string, args ...any) {
		f := Finding{What: fmt.Sprintf(what, args...)}
		if wrong != nil {
			f.Wrong = wrong.Error()
		}
		s.Findings = append(s.Findings, f)
	}
	say(told(a.troubles.of(identity)), "agent: %s, runs since %s", a.version, clock(a.started))
	say(a.serverTrouble(), "server %s", a.server)
	if !have {
		say(errors.New("nobody is served: there is no list of the server's yet, nor one of an earlier day"), "node %d", a.node)
	} else {
		s.Findings = append(s.Findings, standingOf(node, users, fmt.Sprintf(", %d connections", a.gate.Connections())))
		say(told(a.troubles.of(listener)), "listener: %s", place(node))
		if len(node.Forwards) > 0 {
			say(told(a.troubles.of(relays)), "relays: %d", len(node.Forwards))
		}
		if hasCertificate(node.Settings.TLS) {
			ends, wrong := a.certificate.Standing()
			until := ""
			if !ends.IsZero() {
				until = ", until " + clock(ends)
			}
			say(wrong, "certificate for %s%s", node.Settings.TLS.ServerName, until)
		}
		say(clockTrouble(a.client.Now()), "clock")
	}
	data := filepath.Dir(a.state)
	say(errors.Join(told(a.troubles.of(counters)), told(a.troubles.of(spool)), told(a.troubles.of(state))), "data folder %s", data)
	s.count(data, told(a.troubles.of(sending)))
	return s
}

// serverTrouble is why the server is not reached, or does not take us.
func (a *agent) serverTrouble() error {
	switch c := a.client.Contact(); {
	case c.Failing != nil && c.Answered.IsZero():
		return fmt.Errorf("%w (since %s, and never since the agent's start)", c.Failing, clock(c.Since))
	case c.Failing != nil:
		return fmt.Errorf("%w (since %s; the last answer came at %s)", c.Failing, clock(c.Since), clock(c.Answered))
	case c.Answered.IsZero():
		return errors.New("no answer yet")
	}
	return nil
}

func told(t trouble) error {
	if t.err == nil {
		return nil
	}
	return fmt.Errorf("%w (since %s)", t.err, clock(t.since))
}

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 -0700") }

// late is how long reports may wait without a word.
const late = time.Minute

// count looks at the reports in a folder; sending is why the last one was not answered.
func (s *Summary) count(data string, sending error) {
	waiting, _ := filepath.Glob(filepath.Join(data, "spool", "*.batch")) // the pattern is a good one
	refused, _ := filepath.Glob(filepath.Join(data, "spool", "refused", "*.batch"))
	s.Waiting, s.Refused = len(waiting), len(refused)
	if s.Waiting > 0 {
		if info, err := os.Stat(waiting[0]); err == nil {
			at := info.ModTime().UTC()
			s.Oldest = &at
		}
	}
	f := Finding{What: fmt.Sprintf("reports: %d wait", s.Waiting)}
	if s.Oldest != nil && time.Since(*s.Oldest) > late {
		f.Wrong = "the oldest was written at " + clock(*s.Oldest) + " and is not answered"
		if sending != nil {
			f.Wrong += ": " + sending.Error()
		}
	}
	s.Findings = append(s.Findings, f)
	if s.Refused > 0 {
		s.Findings = append(s.Findings, Finding{
			What:  fmt.Sprintf("reports: %d refused", s.Refused),
			Wrong: "their traffic is not counted; the log says why, and removing them from spool/refused ends this notice",
		})
	}
}

// Summarize says how an agent stands: in its own words while it runs, else by what is in its folder.
func Summarize(data string) (s Summary) {
	folder, err := os.Open(data)
	if err != nil {
		s.Findings = []Finding{{What: "data folder", Wrong: err.Error() + "; has an agent run on it, and may this user read it?"}}
		return s
	}
	defer folder.Close()
	silence := ask(folder, &s)
	if silence == nil {
		return s
	}
	s = Summary{}
	f := Finding{What: "agent", Wrong: "none runs on " + data}
	err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil { // an agent may begin while the rest is read
		err = unix.Flock(int(folder.Fd()), unix.LOCK_UN)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		s.Running = true
		f.Wrong = fmt.Sprintf("one runs on %s and does not tell how it stands (%v): its log may, and a restart", data, silence)
	} else if why, err := os.ReadFile(filepath.Join(data, failureFile)); err == nil {
		s.Failure = strings.TrimSpace(string(why))
		f.Wrong += "; the last one ended " + s.Failure
	}
	s.Findings = append(s.Findings, f)
	saved, err := read(filepath.Join(data, "state.json"))
	switch {
	case err != nil:
		s.Findings = append(s.Findings, Finding{What: "saved list", Wrong: fmt.Sprintf("state.json: %v; without it nobody is served before the server answers", err)})
	case saved != nil:
		s.Node, s.Revision, s.Users = saved.Snapshot.Node.ID, saved.Snapshot.Revision, len(saved.Snapshot.Users)
		s.Findings = append(s.Findings, standingOf(saved.Snapshot.Node, s.Users, " when it was saved"))
	}
	s.count(data, nil)
	return s
}

// ask has the running agent say how it stands.
func ask(folder *os.File, s *Summary) error {
	conn, err := net.DialTimeout("unix", socketOf(folder), answerTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerTime))
	return json.NewDecoder(conn).Decode(s)
}
