package db

import (
	"context"

	"github.com/uptrace/bun"
)

type guardKey struct{}

// Guarded returns a context in which every transaction that may write begins with admit, as a part of it. An error of
// admit ends the transaction before it did anything, and is its error. Of two guards the later one counts.
func Guarded(ctx context.Context, admit func(ctx context.Context, tx bun.Tx) error) context.Context {
	return context.WithValue(ctx, guardKey{}, admit)
}

// Unguarded returns a context without the guard of Guarded: for what was begun and must be written down whatever became
// of who began it, and for what is done for several callers at once.
func Unguarded(ctx context.Context) context.Context { return context.WithValue(ctx, guardKey{}, nil) }

// guard runs what Guarded asks for, where it was called.
func guard(ctx context.Context, tx bun.Tx) error {
	admit, ok := ctx.Value(guardKey{}).(func(ctx context.Context, tx bun.Tx) error)
	if !ok {
		return nil
	}
	return admit(ctx, tx)
}
