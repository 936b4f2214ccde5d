package db

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// A Snapshot is what the database says of one kind of thing, in memory: for what is asked too often for a query.
// Whoever changes the thing bumps its revision and calls Load; what other processes change arrives while Follow runs.
type Snapshot[T any] struct {
	db       *DB
	revision string
	what     string // for the log: "settings"
	read     func(context.Context) (T, error)
	loading  sync.Mutex // so that what was read first never replaces what was read later
	value    atomic.Pointer[T]
	watchers sync.Map // of chan struct{}
}

// NewSnapshot returns a snapshot that nothing was loaded into yet. read reads the thing whose changes grow the
// revision; one call of it ends before the next begins.
func NewSnapshot[T any](d *DB, revision, what string, read func(context.Context) (T, error)) *Snapshot[T] {
	return &Snapshot[T]{db: d, revision: revision, what: what, read: read}
}

// Get returns what was loaded last; the zero value before the first Load. Nobody may change what it refers to.
func (s *Snapshot[T]) Get() (value T) {
	if loaded := s.value.Load(); loaded != nil {
		value = *loaded
	}
	return value
}

// Load reads the thing anew. Where that fails, what was loaded before stays.
func (s *Snapshot[T]) Load(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	value, err := s.read(ctx)
	if err != nil {
		return err
	}
	s.value.Store(&value)
	for ch := range s.watchers.Range {
		select {
		case ch.(chan struct{}) <- struct{}{}:
		default:
		}
	}
	return nil
}

// Watch returns a channel that holds a value once Get may return something else than before. Call stop when done.
func (s *Snapshot[T]) Watch() (changes <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	s.watchers.Store(ch, nil)
	return ch, func() { s.watchers.Delete(ch) }
}

// retryLoad is how long Follow waits after a failure.
const retryLoad = time.Second

// Follow loads at once and whenever the revision grows, until ctx ends: what changed between an earlier load and this
// call is known to [DB.Follow] already and would not be notified. A load that fails is repeated.
func (s *Snapshot[T]) Follow(ctx context.Context) {
	changes, stop := s.db.Watch(s.revision)
	defer stop()
	for {
		var retry <-chan time.Time
		if err := s.Load(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "could not load the "+s.what+"; the old ones stay", "error", err)
			retry = time.After(retryLoad)
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
		case <-retry:
		}
	}
}
