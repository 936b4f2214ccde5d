package node

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/db"
	"airstrip/internal/service"
)

// Feed is what an agent must know: everything, or what changed since a revision.
type Feed struct {
	Revision int64            // the feed is not older than this; ask for changes since it
	Node     *Node            // with private keys; nil where it did not change
	Users    []service.Access // who may use the node, with their Usage; of changes those who came or changed
	Removed  []int64          // of changes: users who may not use it, whether the agent has them or not
	Rules    []Rule           // all in force, where RulesSet
	RulesSet bool

	Blocked   []string // addresses from which nobody is to be let in; of changes those that came to them
	Unblocked []string // of changes: and those that left them

	Reset bool // changes since that revision cannot be told; ask for everything
}

// Empty tells whether nothing changed.
func (f *Feed) Empty() bool {
	return f.Node == nil && len(f.Users) == 0 && len(f.Removed) == 0 && !f.RulesSet && len(f.Blocked) == 0 &&
		len(f.Unblocked) == 0 && !f.Reset
}

// Snapshot gives everything that the node's agent must know.
func (s *Nodes) Snapshot(ctx context.Context, nodeID int64) (Feed, error) {
	revision, err := db.Revision(ctx, s.db, service.Revision)
	if err != nil {
		return Feed{}, err
	}
	f := Feed{Revision: revision, RulesSet: true}
	n, err := s.Get(ctx, nodeID)
	if err != nil {
		return f, err
	}
	f.Node = &n
	if f.Rules, err = s.Rules(ctx); err != nil {
		return f, err
	}
	if f.Blocked, err = s.blocked(ctx); err != nil {
		return f, err
	}
	f.Users, err = s.Users(ctx, n)
	return f, err
}

// Users gives who may use n now, with their Usage.
func (s *Nodes) Users(ctx context.Context, n Node) ([]service.Access, error) {
	if !n.Serves() {
		return nil, nil
	}
	users, err := s.services.Allowed(ctx, n.Class, n.GroupID)
	if err != nil {
		return nil, err
	}
	return users, s.services.AddUsage(ctx, users)
}

// UserList returns who may use n now, without their Usage, for agents that fail on an empty list. An empty list is
// replaced by one placeholder with the id 0 and constant credentials that nobody can guess.
func (s *Nodes) UserList(ctx context.Context, n Node) ([]service.Access, error) {
	if n.Serves() {
		if users, err := s.services.Allowed(ctx, n.Class, n.GroupID); err != nil || len(users) > 0 {
			return users, err
		}
	}
	secret := s.key.For("nobody")
	return []service.Access{{UUID: uuid.UUID(secret[:16]), Password: hex.EncodeToString(secret[16:])}}, nil
}

// Changes gives what changed for the node's agent after the revision since. What it costs follows from what changed,
// not from how many users there are.
func (s *Nodes) Changes(ctx context.Context, nodeID, since int64) (Feed, error) {
	if since <= 0 { // the agent has received nothing yet
		return Feed{Reset: true}, nil
	}
	changed, revision, err := s.services.Changed(ctx, since)
	if err != nil {
		return Feed{}, err
	}
	if since >= revision { // above it the database was set back to a backup
		return Feed{Revision: revision, Reset: since > revision}, nil
	}
	n, err := s.Get(ctx, nodeID)
	if err != nil {
		return Feed{}, err
	}
	f := Feed{Revision: revision}
	if n.ScopeRevision > since {
		f.Reset = true
		return f, nil
	}
	if n.Revision > since {
		f.Node = &n
	}
	if f.Rules, f.RulesSet, err = s.rulesSince(ctx, since); err != nil {
		return f, err
	}
	if f.Blocked, f.Unblocked, err = s.blockedSince(ctx, since); err != nil {
		return f, err
	}
	for _, a := range changed {
		if n.Serves() && a.Admits(n.Class, n.GroupID) {
			f.Users = append(f.Users, a)
		} else {
			f.Removed = append(f.Removed, a.UserID)
		}
	}
	return f, s.services.AddUsage(ctx, f.Users)
}

// Watch gives a channel that holds a value after each change that some agent must hear of. Call stop when done.
func (s *Nodes) Watch() (changes <-chan int64, stop func()) { return s.db.Watch(service.Revision) }

// Admitted tells of each user whether bytes that they moved on n are to be counted: they are on its list, or were
// within the last 24 hours.
func (s *Nodes) Admitted(ctx context.Context, n Node, userIDs []int64) (map[int64]bool, error) {
	return s.AdmittedAt(ctx, n, userIDs, s.db.Now())
}

// AdmittedAt tells the same of bytes that were moved at that time, which is not in the future.
func (s *Nodes) AdmittedAt(ctx context.Context, n Node, userIDs []int64, at time.Time) (map[int64]bool, error) {
	rescoped := n.ScopeAt != nil && at.Sub(*n.ScopeAt) < 24*time.Hour
	if !n.Serves() && !rescoped {
		return nil, nil
	}
	return s.services.Admitted(ctx, userIDs, at, n.Class, n.GroupID, rescoped)
}
