package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Summary describes an agent or, if it does not run, its data folder.
type Summary struct {
	Running  bool     `json:"running"`
	Node     int64    `json:"node"`
	Server   string   `json:"server,omitempty"`
	Revision int64    `json:"revision"`
	Users    int      `json:"users"`
	Findings findings `json:"findings"`
	// Failure is why the last agent ended, empty after a regular stop.
	Failure string `json:"failure,omitempty"`
	reports
}

// IsFinished reports whether the agent stopped regularly and has nothing left to send.
func (s *Summary) IsFinished() bool { return !s.Running && s.Failure == "" && s.Waiting == 0 }

// reports counts the reports of a folder. Waiting ones are not answered yet, the first since Oldest. Refused ones will
// never be counted.
type reports struct {
	Waiting int        `json:"reports_waiting"`
	Oldest  *time.Time `json:"oldest_waiting,omitempty"`
	Refused int        `json:"reports_refused"`
}

// summary returns the present state of the agent.
func (a *agent) summary() Summary {
	a.mu.Lock()
	have, node, users, revision := a.have, a.known.Node, len(a.users), a.known.Revision
	a.mu.Unlock()
	s := Summary{Running: true, Node: a.node, Server: a.server, Revision: revision, Users: users}
	s.Findings.add(a.problems.current(identity), "agent: %s, runs since %s", a.version, formatTime(a.started))
	s.Findings.add(a.serverError(), "server %s", a.server)
	if !have {
		s.Findings.add(errors.New("nobody is served: there is no list of the server's yet, nor one of an earlier day"),
			"node %d", a.node)
	} else {
		s.Findings = append(s.Findings, nodeFinding(node, users, fmt.Sprintf(", %d connections", a.gate.Connections())))
		s.Findings.add(a.problems.current(listenerComponent), "listener: %s", listenAddress(node))
		if len(node.Forwards) > 0 {
			s.Findings.add(a.problems.current(relays), "relays: %d", len(node.Forwards))
		}
		if hasCertificate(node.Settings.TLS) {
			ends, wrong := a.certificate.Status()
			until := ""
			if !ends.IsZero() {
				until = ", until " + formatTime(ends)
			}
			s.Findings.add(wrong, "certificate for %s%s", node.Settings.TLS.ServerName, until)
		}
		s.Findings.add(clockError(a.client.Now()), "clock")
	}
	s.Findings.add(errors.Join(a.problems.current(counters), a.problems.current(spool), a.problems.current(state)),
		"data folder %s", a.data)
	s.addReports(a.data, a.problems.current(sending))
	return s
}

// serverError returns why the server cannot be reached or refuses the agent.
func (a *agent) serverError() error {
	switch c := a.client.Contact(); {
	case c.Failing != nil && c.Answered.IsZero():
		return fmt.Errorf("%w (since %s, and never since the agent's start)", c.Failing, formatTime(c.Since))
	case c.Failing != nil:
		return fmt.Errorf("%w (since %s; the last answer came at %s)", c.Failing, formatTime(c.Since),
			formatTime(c.Answered))
	case c.Answered.IsZero():
		return errors.New("no answer yet")
	}
	return nil
}

// overdueAfter is how long reports may wait before that is a finding.
const overdueAfter = time.Minute

// addReports counts the reports in a folder. sending is why the last one was not answered.
func (s *Summary) addReports(data string, sending error) {
	waiting, _ := filepath.Glob(filepath.Join(data, "spool", "*.batch")) // The pattern is valid.
	refused, _ := filepath.Glob(filepath.Join(data, "spool", "refused", "*.batch"))
	s.Waiting, s.Refused = len(waiting), len(refused)
	if s.Waiting > 0 {
		if info, err := os.Stat(waiting[0]); err == nil {
			at := info.ModTime().UTC()
			s.Oldest = &at
		}
	}
	var wrong error
	if s.Oldest != nil && time.Since(*s.Oldest) > overdueAfter {
		wrong = fmt.Errorf("the oldest was written at %s and is not answered", formatTime(*s.Oldest))
		if sending != nil {
			wrong = fmt.Errorf("%w: %w", wrong, sending)
		}
	}
	s.Findings.add(wrong, "reports: %d wait", s.Waiting)
	if s.Refused > 0 {
		s.Findings.add(errors.New("their traffic is not counted; the log says why, and removing them from "+
			"spool/refused ends this notice"), "reports: %d refused", s.Refused)
	}
}

// Summarize returns the state of an agent: its own answer while it runs, otherwise what its folder shows.
func Summarize(data string) (s Summary) {
	folder, err := os.Open(data)
	if err != nil {
		s.Findings.add(fmt.Errorf("%w; has an agent run on it, and may this user read it?", err), "data folder")
		return s
	}
	defer folder.Close()
	silence := requestStatus(folder, &s)
	if silence == nil {
		return s
	}
	s = Summary{}
	wrong := "none runs on " + data
	err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil { // An agent may start while the folder is being read.
		err = unix.Flock(int(folder.Fd()), unix.LOCK_UN)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		s.Running = true
		wrong = fmt.Sprintf("one runs on %s and does not tell how it stands (%v): its log may, and a restart", data,
			silence)
	} else if why, err := os.ReadFile(filepath.Join(data, failureFile)); err == nil {
		s.Failure = strings.TrimSpace(string(why))
		wrong += "; the last one ended " + s.Failure
	}
	s.Findings.add(errors.New(wrong), "agent")
	saved, err := readState(data)
	switch {
	case err != nil:
		s.Findings.add(fmt.Errorf("state.json: %w; without it nobody is served before the server answers", err),
			"saved list")
	case saved != nil:
		s.Node, s.Revision, s.Users = saved.Snapshot.Node.ID, saved.Snapshot.Revision, len(saved.Snapshot.Users)
		s.Findings = append(s.Findings, nodeFinding(saved.Snapshot.Node, s.Users, " when it was saved"))
	}
	s.addReports(data, nil)
	return s
}
