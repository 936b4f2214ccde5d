package link

import (
	"sync"
	"time"

	"airstrip/internal/limit"
	"airstrip/internal/setting"
)

// limits holds the limiters of the present settings. A change of the settings resets them.
type limits struct {
	mu                     sync.Mutex
	minute, day, address   int
	byToken, byDay, byAddr *limit.Limiter
}

// get returns the limiters per token and minute, per token and day, and per caller's address and minute.
func (l *limits) get(s setting.Site) (byToken, byDay, byAddr *limit.Limiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	renew := func(limiter **limit.Limiter, was *int, period time.Duration, n int) {
		if n = max(n, 1); *limiter == nil || *was != n {
			*limiter, *was = limit.Per(period, n), n
		}
	}
	renew(&l.byToken, &l.minute, time.Minute, s.LinkPerMinute)
	renew(&l.byDay, &l.day, 24*time.Hour, s.LinkPerDay)
	renew(&l.byAddr, &l.address, time.Minute, s.LinkPerIPMinute)
	return l.byToken, l.byDay, l.byAddr
}
