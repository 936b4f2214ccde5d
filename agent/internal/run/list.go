package run

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/netip"
	"time"

	"airstrip/agent/internal/api"
)

// restore applies the state that was saved before a restart.
func (a *agent) restore(saved *savedState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log.Warn("serving the users of the last snapshot until the server answers", "revision", saved.Snapshot.Revision,
		"users", len(saved.Snapshot.Users))
	a.applySnapshot(&saved.Snapshot, func(u api.User) bool {
		if l, held := saved.Leases[u.ID]; held {
			a.gate.PutLeased(u, l.Limit, l.ExpiresAt)
			return true
		}
		if u.Idle != nil {
			return a.gate.Put(u)
		}
		stopAt, limited := saved.StopAt[u.ID]
		if !limited {
			stopAt = math.MaxInt64
		}
		return a.gate.PutUntil(u, stopAt)
	})
}

// applySnapshot replaces all users and settings.
func (a *agent) applySnapshot(s *api.Snapshot, put func(api.User) bool) {
	a.known, a.have, a.dirty = *s, true, true
	a.known.Users, a.known.Blocked = nil, nil
	a.gate.SetNode(s.Node)
	a.gate.SetRules(s.Rules)
	a.blocked = map[netip.Addr]bool{}
	a.updateBlocked(s.Blocked, nil)
	listed := make(map[int64]bool, len(s.Users))
	for _, u := range s.Users {
		listed[u.ID] = true
		put(u)
		a.users[u.ID] = listedUser{u, time.Now()}
		delete(a.disputed, u.ID)
	}
	for id := range a.users {
		if !listed[id] {
			a.removeUser(id)
		}
	}
	a.configure()
}

// applyChange applies one line of the stream.
func (a *agent) applyChange(ctx context.Context, c api.Change) error {
	if c.Reset {
		return errReset
	}
	if len(c.Drop) > 0 {
		a.dropDevices(ctx, c.Drop)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.Revision < a.known.Revision {
		return errReset // The server was set back, for example to a backup.
	}
	a.known.Revision = c.Revision
	if c.Node != nil || c.Rules != nil || len(c.Users) > 0 || len(c.Removed) > 0 {
		a.dirty, a.etag = true, ""
	}
	if c.Rules != nil {
		a.known.Rules = *c.Rules
		a.gate.SetRules(*c.Rules)
	}
	if len(c.Blocked) > 0 || len(c.Unblocked) > 0 {
		a.dirty, a.etag = true, ""
		a.updateBlocked(c.Blocked, c.Unblocked)
	}
	for _, id := range c.Removed {
		a.removeUser(id)
	}
	var in []api.User
	var out []int64
	for _, u := range c.Users {
		if a.gate.Put(u) {
			in = append(in, u)
		} else {
			out = append(out, u.ID)
		}
		a.users[u.ID] = listedUser{u, time.Now()}
		delete(a.disputed, u.ID)
	}
	if c.Node != nil {
		a.known.Node = *c.Node
		a.gate.SetNode(*c.Node)
		a.configure()
		return nil
	}
	if err := errors.Join(a.engine.Remove(append(out, c.Removed...)), a.engine.Add(in)); err != nil && a.configured {
		a.log.Error("some users could not be changed", "err", err)
	}
	return nil
}

// updateBlocked blocks some addresses and unblocks others.
func (a *agent) updateBlocked(in, out []string) {
	for _, addr := range addresses(in) {
		a.blocked[addr] = true
	}
	for _, addr := range addresses(out) {
		delete(a.blocked, addr)
	}
	a.gate.Block(maps.Clone(a.blocked))
}

// removeUser removes a user, cuts their connections and has their last bytes reported.
func (a *agent) removeUser(id int64) {
	a.gate.Remove(id)
	delete(a.users, id)
	delete(a.disputed, id)
	a.triggerReport()
}

// exhausted is called by the gate when a user has used up the quota.
func (a *agent) exhausted(id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, stopped := a.gate.StopAt(id); !stopped {
		return // Renewed meanwhile.
	}
	a.log.Info("a user has used up what remained", "user", id)
	if err := a.engine.Remove([]int64{id}); err != nil {
		a.log.Error("a user could not be removed", "user", id, "err", err)
	}
	a.disputed[id] = true
	a.triggerReport()
}
