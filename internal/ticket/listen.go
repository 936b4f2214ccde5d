package ticket

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// maxListeners is how many open pages of one user hear of changes at once, maxVisitListeners how many of one visit of a
// member of staff do besides.
const (
	maxListeners      = 10
	maxVisitListeners = 5
)

// ErrTooManyListeners is the fault of a user with too many open pages.
var ErrTooManyListeners = fault.TooMany("too_many_streams", "打开的页面过多", "Too many pages are open")

// listener is one open page of a user.
type listener struct {
	changes chan struct{}
	visit   uuid.UUID // in which a member of staff opened it; the zero UUID: the user did
	seen    int64     // changes up to this revision are old: the page shows them already
}

// Listen gives a channel that holds a value once a ticket of the user changed in a way that they see, in whichever
// process, after this call. visit is the zero UUID where the user listens, and else the visit of a member of staff in
// which that does: its pages are not counted as the user's. It works while Follow runs. Call stop when done.
func (t *Tickets) Listen(ctx context.Context, userID int64, visit uuid.UUID) (changes <-chan struct{}, stop func(),
	err error,
) {
	seen, err := db.Revision(ctx, t.db, revision)
	if err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	most := maxListeners
	if visit != uuid.Nil {
		most = maxVisitListeners
	}
	open := 0
	for l := range t.listeners[userID] {
		if l.visit == visit {
			open++
		}
	}
	if open >= most {
		return nil, nil, ErrTooManyListeners
	}
	l := &listener{make(chan struct{}, 1), visit, seen}
	if t.listeners[userID] == nil {
		t.listeners[userID] = map[*listener]struct{}{}
	}
	t.listeners[userID][l] = struct{}{}
	return l.changes, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners[userID], l)
		if len(t.listeners[userID]) == 0 {
			delete(t.listeners, userID)
		}
	}, nil
}

// Follow tells those who listen about changes until ctx ends: one query for each time that tickets changed, however
// many listen.
func (t *Tickets) Follow(ctx context.Context) {
	changes, stop := t.db.Watch(revision)
	defer stop()
	known, err := db.Revision(ctx, t.db, revision)
	if err == nil {
		err = t.tell(ctx, 0) // who listened before this, for whom a change may have come in between
	}
	for {
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "could not read which tickets changed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case now := <-changes:
			if err = t.tell(ctx, known); err == nil {
				known = now
			}
		}
	}
}

// tell wakes those whose tickets changed after a revision.
func (t *Tickets) tell(ctx context.Context, since int64) error {
	t.mu.Lock()
	idle := len(t.listeners) == 0
	t.mu.Unlock()
	if idle {
		return nil
	}
	var users []struct{ UserID, Revision int64 }
	err := t.db.NewRaw(`SELECT user_id, max(shown_revision) AS revision FROM ticket WHERE shown_revision > ?
		GROUP BY user_id`, since).Scan(ctx, &users)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, u := range users {
		for l := range t.listeners[u.UserID] {
			if u.Revision <= l.seen {
				continue
			}
			l.seen = u.Revision
			select {
			case l.changes <- struct{}{}:
			default:
			}
		}
	}
	return nil
}
