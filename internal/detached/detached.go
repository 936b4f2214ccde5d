// Package detached makes contexts for work that must not end with the request or the process's stop that caused it:
// what was begun is written down, and a lock is given back. Such a context always has an end of its own, since nobody
// else is there to end it. Nothing else in the server calls context.WithoutCancel; a test of the architecture says so.
package detached

import (
	"context"
	"time"
)

// WithTimeout gives a context with the values of ctx that goes on when ctx ends, and ends after limit.
func WithTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// WithGrace gives a context with the values of ctx that outlives ctx by grace at most.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unfollow := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(grace, cancel)
		context.AfterFunc(out, func() { late.Stop() })
	})
	return out, func() {
		unfollow()
		cancel()
	}
}
