package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/durable"
)

// stateFile is the name of the saved state in the data folder.
const stateFile = "state.json"

// savedState is the last known state, for a start while the server is away. It holds users' secrets: mode 0600.
type savedState struct {
	Snapshot api.Snapshot `json:"snapshot"`
	// StopAt is the counter position at which each user is stopped. Users without an entry are unlimited.
	StopAt map[int64]int64 `json:"stop_at"`
	// Leases holds the counter position at which each lease ends, and when it expires.
	Leases map[int64]savedLease `json:"leases,omitempty"`
}

type savedLease struct {
	Limit     int64     `json:"until"`
	ExpiresAt time.Time `json:"lapses"`
}

// hasUser returns a function that reports whether a user is on the saved list.
func (s *savedState) hasUser() func(user int64) bool {
	users := map[int64]bool{}
	if s != nil {
		for _, u := range s.Snapshot.Users {
			users[u.ID] = true
		}
	}
	return func(user int64) bool { return users[user] }
}

// loadState returns the saved state, or nil if there is none for this node.
func (a *agent) loadState() *savedState {
	s, err := readState(a.data)
	if err == nil && s != nil && s.Snapshot.Node.ID != a.node {
		err = errors.New("it is of another node")
	}
	if err != nil {
		a.log.Warn("the saved state is of no use", "file", filepath.Join(a.data, stateFile), "err", err)
		return nil
	}
	return s
}

// readState reads the saved state of a data folder, nil if there is none.
func readState(data string) (*savedState, error) {
	text, err := os.ReadFile(filepath.Join(data, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(savedState)
	return s, json.Unmarshal(text, s)
}

// save writes the state if it has changed.
func (a *agent) save() {
	a.saveMu.Lock()
	defer a.saveMu.Unlock()
	a.mu.Lock()
	if !a.dirty {
		a.mu.Unlock()
		return
	}
	a.dirty = false
	s := savedState{Snapshot: a.known, StopAt: map[int64]int64{}, Leases: map[int64]savedLease{}}
	s.Snapshot.Users = make([]api.User, 0, len(a.users))
	for id, m := range a.users {
		s.Snapshot.Users = append(s.Snapshot.Users, m.row)
		if until, lapses, held := a.gate.LeaseOf(id); held {
			s.Leases[id] = savedLease{until, lapses}
		} else if m.row.Remaining != nil {
			s.StopAt[id], _ = a.gate.StopAt(id)
		}
	}
	for addr := range a.blocked {
		s.Snapshot.Blocked = append(s.Snapshot.Blocked, addr.String())
	}
	a.mu.Unlock()
	text, err := json.Marshal(s)
	if err == nil {
		err = durable.WriteFile(filepath.Join(a.data, stateFile), text)
	}
	if a.problems.record(state, err) {
		a.log.Error("the state could not be saved; it is tried again", "file", filepath.Join(a.data, stateFile),
			"err", err)
	}
	if err != nil {
		a.mu.Lock()
		a.dirty = true
		a.mu.Unlock()
	}
}
