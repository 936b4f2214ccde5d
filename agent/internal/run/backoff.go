package run

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff waits 1 s, 2 s, 4 s and so on, with jitter.
type backoff struct {
	max   time.Duration
	tries int
}

// next returns the next delay.
func (b *backoff) next() time.Duration {
	d := min(b.max, time.Second<<min(b.tries, 10))
	b.tries++
	return d/2 + rand.N(d/2+1)
}

func (b *backoff) wait(ctx context.Context) { sleep(ctx, b.next()) }

func (b *backoff) reset() { b.tries = 0 }

// sleep waits for d. It returns false as soon as ctx is done.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
