package service

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"airstrip/internal/db"
)

// userList holds everybody's Access in memory, updated by what changed since the last read, so that a node's
// list and the check of a report cost no read per user.
type userList struct {
	mu       sync.RWMutex
	revision int64
	by       map[int64]Access
}

// withUserList calls fn with everybody's Access, by user and not older than this call, and without Usage. fn must not
// keep the map.
func (s *Services) withUserList(ctx context.Context, fn func(by map[int64]Access)) error {
	revision, err := db.Revision(ctx, s.db, Revision)
	if err != nil {
		return err
	}
	r := &s.users
	r.mu.RLock()
	if r.revision >= revision {
		defer r.mu.RUnlock()
		fn(r.by)
		return nil
	}
	r.mu.RUnlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.revision < revision {
		changed, now, err := s.Changed(ctx, r.revision)
		if err != nil {
			return err
		}
		if r.by == nil {
			r.by = make(map[int64]Access, len(changed))
		}
		for _, a := range changed {
			r.by[a.UserID] = a
		}
		r.revision = now
	}
	fn(r.by)
	return nil
}

// Allowed returns everybody whom nodes of this class and group let in, by id and without Usage.
func (s *Services) Allowed(ctx context.Context, class, group int) (allowed []Access, err error) {
	err = s.withUserList(ctx, func(by map[int64]Access) {
		for _, a := range by {
			if a.Admits(class, group) {
				allowed = append(allowed, a)
			}
		}
	})
	slices.SortFunc(allowed, func(a, b Access) int { return cmp.Compare(a.UserID, b.UserID) })
	return allowed, err
}

// Limited returns those of the users who have a limit of devices and whom nodes of this class and group let in.
func (s *Services) Limited(ctx context.Context, userIDs []int64, class, group int) (limited []int64, err error) {
	err = s.withUserList(ctx, func(by map[int64]Access) {
		for _, id := range userIDs {
			if a := by[id]; a.Devices != nil && a.Admits(class, group) {
				limited = append(limited, id)
			}
		}
	})
	return limited, err
}

// Admitted reports of each user whether bytes that they moved on nodes of this class and group are to be counted: they
// may use such nodes, or could within the 24 hours before that time. Where everyone is set the nodes' own class or
// group changed within that time, and whoever may use, or could, any node is admitted.
func (s *Services) Admitted(ctx context.Context, userIDs []int64, at time.Time, class, group int,
	everyone bool,
) (map[int64]bool, error) {
	admitted := make(map[int64]bool, len(userIDs))
	err := s.withUserList(ctx, func(by map[int64]Access) {
		for _, id := range userIDs {
			if a, ok := by[id]; ok && (a.Admitted(class, group, at) || (everyone && (a.Allowed || a.lost(at)))) {
				admitted[id] = true
			}
		}
	})
	return admitted, err
}
