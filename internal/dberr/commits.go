package dberr

import (
	"context"
	"errors"
	"sync/atomic"

	"airstrip/internal/fault"
)

type commitsKey struct{}

// TrackCommits returns a context that remembers whether a transaction was committed under it, for a request.
func TrackCommits(ctx context.Context) context.Context {
	return context.WithValue(ctx, commitsKey{}, new(atomic.Bool))
}

// NoteCommit records that a transaction was committed under ctx.
func NoteCommit(ctx context.Context) {
	if committed, ok := ctx.Value(commitsKey{}).(*atomic.Bool); ok {
		committed.Store(true)
	}
}

// AfterCommit returns f, or ErrOutcomeUnknown in place of a fault that says that nothing was saved where something was
// committed under ctx before: what failed may have been only the reading of the answer.
func AfterCommit(ctx context.Context, f *fault.Error) *fault.Error {
	committed, ok := ctx.Value(commitsKey{}).(*atomic.Bool)
	if !ok || !committed.Load() {
		return f
	}
	if errors.Is(f, ErrBusy) || errors.Is(f, ErrUnreachable) || errors.Is(f, ErrNotWritable) {
		return ErrOutcomeUnknown.Because(f)
	}
	return f
}
