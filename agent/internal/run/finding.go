package run

import (
	"fmt"
	"time"

	"airstrip/agent/internal/api"
)

// Finding is one line about the state of an agent, or of its environment.
type Finding struct {
	What string `json:"what"`
	// Wrong is what keeps the agent from working, Note what is worth knowing. Both are empty if all is well.
	Wrong string `json:"wrong,omitempty"`
	Note  string `json:"note,omitempty"`
}

type findings []Finding

func (f *findings) add(wrong error, what string, args ...any) {
	said := Finding{What: fmt.Sprintf(what, args...)}
	if wrong != nil {
		said.Wrong = wrong.Error()
	}
	*f = append(*f, said)
}

// addNote adds a note to the last finding.
func (f findings) addNote(worth error) {
	if worth != nil {
		f[len(f)-1].Note = worth.Error()
	}
}

// nodeFinding describes whether the node's settings let anybody use it.
func nodeFinding(node api.Node, users int, more string) Finding {
	f := Finding{What: fmt.Sprintf("node %d: %s, %s, %d users%s", node.ID, node.Name, node.Protocol, users, more)}
	switch {
	case node.Closed:
		f.Wrong = "the service has it closed: nobody may use it until it is enabled there"
	case node.Spent:
		f.Wrong = "its quota of the month is used up: nobody may use it until that begins again or is raised"
	case users == 0:
		f.Note = "nobody may use it: no user has a service of its class and group"
	case node.Hidden:
		f.Note = "the service hides it: it is in no list and no link"
	}
	return f
}

// clockTolerance is the largest clock error without a finding. TLS and some protocols need the time.
const clockTolerance = 30 * time.Second

// clockError compares the machine's clock with the server's.
func clockError(theirs time.Time) error {
	off := time.Until(theirs).Round(time.Second)
	if off.Abs() <= clockTolerance {
		return nil
	}
	if off > 0 {
		return fmt.Errorf("it is %s behind the server's", off)
	}
	return fmt.Errorf("it is %s ahead of the server's", -off)
}

func formatTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 -0700") }
