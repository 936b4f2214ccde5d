package node

import (
	"context"

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

	Blocked   []string // addresses from which nobody is to be let in; of changes those that were added
	Unblocked []string // of changes: those that were removed

	Reset bool // changes since that revision are not known; ask for everything
}

// Empty reports whether nothing changed.
func (f *Feed) Empty() bool {
	return f.Node == nil && len(f.Users) == 0 && len(f.Removed) == 0 && !f.RulesSet && len(f.Blocked) == 0 &&
		len(f.Unblocked) == 0 && !f.Reset
}

// Feeds reads what agents must know.
type Feeds struct {
	db        *db.DB
	services  *service.Services
	registry  *Registry
	admission *Admission
	rules     *Rules
	blocklist *Blocklist
}

// Snapshot returns everything that the node's agent must know.
func (fs *Feeds) Snapshot(ctx context.Context, nodeID int64) (Feed, error) {
	revision, err := db.Revision(ctx, fs.db, service.Revision)
	if err != nil {
		return Feed{}, err
	}
	f := Feed{Revision: revision, RulesSet: true}
	n, err := fs.registry.Get(ctx, nodeID)
	if err != nil {
		return f, err
	}
	f.Node = &n
	if f.Rules, err = fs.rules.InForce(ctx); err != nil {
		return f, err
	}
	if f.Blocked, err = fs.blocklist.addresses(ctx); err != nil {
		return f, err
	}
	f.Users, err = fs.admission.Users(ctx, n)
	return f, err
}

// Changes returns what changed for the node's agent after the revision since. What it costs follows from what changed,
// not from how many users there are.
func (fs *Feeds) Changes(ctx context.Context, nodeID, since int64) (Feed, error) {
	if since <= 0 { // the agent has received nothing yet
		return Feed{Reset: true}, nil
	}
	changed, revision, err := fs.services.Changed(ctx, since)
	if err != nil {
		return Feed{}, err
	}
	if since >= revision { // above it the database was set back to a backup
		return Feed{Revision: revision, Reset: since > revision}, nil
	}
	n, err := fs.registry.Get(ctx, nodeID)
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
	if f.Rules, f.RulesSet, err = fs.rules.since(ctx, since); err != nil {
		return f, err
	}
	if f.Blocked, f.Unblocked, err = fs.blocklist.since(ctx, since); err != nil {
		return f, err
	}
	for _, a := range changed {
		if n.Serves() && a.Admits(n.Class, n.GroupID) {
			f.Users = append(f.Users, a)
		} else {
			f.Removed = append(f.Removed, a.UserID)
		}
	}
	return f, fs.services.AddUsage(ctx, f.Users)
}

// Watch returns a channel that holds a value after each change that some agent must hear of. Call stop when done.
func (fs *Feeds) Watch() (changes <-chan int64, stop func()) { return fs.db.Watch(service.Revision) }
