package account

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/role"
	"airstrip/internal/setting"
)

// streamCheck is the interval at which the callers of open streams are looked at again.
const streamCheck = time.Second

// streamChunk is how many callers one query looks at.
const streamChunk = 1000

// Streams ends answers that stay open, such as streams of events, once what they were opened by is no longer good: a
// session or an API token that ended, a ban, another role, other permissions of a role, or a list of networks for staff
// that the caller is not in. However many are open, a process asks the database once in
// each streamCheck, and not at all while none is.
type Streams struct {
	db       *db.DB
	settings *setting.Settings
	visits   *Visits
	mu       sync.Mutex
	open     map[*openStream]struct{}
}

type openStream struct {
	who Identity
	end context.CancelFunc
}

// Open returns a context that ends when the caller may not go on as the one who they were. It works while Follow runs.
// Call stop when the stream is over.
func (s *Streams) Open(ctx context.Context, who Identity) (alive context.Context, stop func()) {
	alive, cancel := context.WithCancel(ctx)
	o := &openStream{who, cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[o] = struct{}{}
	return alive, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, o)
	}
}

// Follow ends streams until ctx ends. Where the database cannot be asked they go on.
func (s *Streams) Follow(ctx context.Context) {
	tick := time.NewTicker(streamCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.check(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "could not read whose streams must end", "error", err)
			}
		}
	}
}

func (s *Streams) check(ctx context.Context) error {
	s.mu.Lock()
	open := make([]*openStream, 0, len(s.open))
	for o := range s.open {
		open = append(open, o)
	}
	s.mu.Unlock()
	revisions := map[Role]int64{}
	if slices.ContainsFunc(open, func(o *openStream) bool { return o.who.revision > 0 || len(o.who.own) > 0 }) {
		own, err := role.List(ctx, s.db)
		if err != nil {
			return err
		}
		for _, r := range own {
			revisions[r.Name] = r.Revision
		}
	}
	for part := range slices.Chunk(open, streamChunk) {
		if err := s.checkPart(ctx, part, revisions); err != nil {
			return err
		}
	}
	return nil
}

// standing is what a caller is at the moment.
type standing struct {
	AccountID int64
	Role      Role
	Banned    bool
}

func (s *Streams) checkPart(ctx context.Context, part []*openStream, revisions map[Role]int64) error {
	var sessionIDs []uuid.UUID
	var tokenIDs []int64
	for _, o := range part {
		switch {
		case o.who.visiting:
		case o.who.apiTokenID != 0:
			tokenIDs = append(tokenIDs, o.who.apiTokenID)
		default:
			sessionIDs = append(sessionIDs, o.who.SessionID)
		}
	}
	var sessions []struct {
		ID uuid.UUID
		standing
	}
	if len(sessionIDs) > 0 {
		if err := s.db.NewRaw(`SELECT s.id, a.id AS account_id, a.role, a.banned_at IS NOT NULL AS banned
			FROM session s JOIN account a ON a.id = s.account_id WHERE s.id IN (?) AND s.ended_at IS NULL`,
			bun.List(sessionIDs)).Scan(ctx, &sessions); err != nil {
			return err
		}
	}
	var tokens []struct {
		ID int64
		standing
	}
	if len(tokenIDs) > 0 {
		if err := s.db.NewRaw(`SELECT t.id, a.id AS account_id, a.role, a.banned_at IS NOT NULL AS banned
			FROM api_token t JOIN account a ON a.id = t.account_id WHERE t.id IN (?) AND t.revoked_at IS NULL`,
			bun.List(tokenIDs)).Scan(ctx, &tokens); err != nil {
			return err
		}
	}
	bySession, byToken := map[uuid.UUID]standing{}, map[int64]standing{}
	for _, found := range sessions {
		bySession[found.ID] = found.standing
	}
	for _, found := range tokens {
		byToken[found.ID] = found.standing
	}
	now := s.db.Now()
	for _, o := range part {
		if o.who.visiting {
			_, member, err := s.visits.running(ctx, s.db, o.who.SessionID, o.who.UserID)
			if err != nil && !errors.Is(err, ErrSignedOut) {
				return err
			}
			if err != nil {
				s.visits.endRefused(ctx, o.who.SessionID)
			}
			if err != nil || !s.visits.mayCallFrom(o.who.address, member) {
				o.end()
			}
			continue
		}
		is := bySession[o.who.SessionID]
		if o.who.apiTokenID != 0 {
			is = byToken[o.who.apiTokenID]
			is.Role = "" // it acts without one
		}
		has := cmp.Or(o.who.Role, o.who.Withheld)
		was := standing{o.who.UserID, has, o.who.banned}
		expired := !o.who.ExpiresAt.IsZero() && !o.who.ExpiresAt.After(now)
		outside := o.who.Role != "" && !s.settings.Get().StaffMayCallFrom(o.who.address)
		if is != was || expired || outside || revisions[has] != o.who.revision {
			o.end()
		}
	}
	return nil
}
