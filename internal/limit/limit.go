// Package limit counts calls per key in this process, in bounded memory. Limits that must hold across replicas are
// counted in the database by those who own them.
package limit

import (
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"airstrip/internal/cache"
	"airstrip/internal/fault"
)

// ErrTooMany is the fault of a caller that is over a limit.
var ErrTooMany = fault.TooMany("too_many_requests", "操作过于频繁，请稍后再试", "Too many requests; please wait a moment")

// Limiter allows n calls per period for each key, all of them at once if they come so.
type Limiter struct {
	period rate.Limit
	burst  int
	by     *cache.Cache[string, *rate.Limiter]
}

// Per makes a Limiter of n calls per period. It remembers the 100,000 keys used last.
func Per(period time.Duration, n int) *Limiter {
	return &Limiter{
		rate.Every(period / time.Duration(n)), n,
		cache.New[string](cache.Options[*rate.Limiter]{MaxEntries: 100_000, AfterUse: 2 * period}),
	}
}

// Allow counts one call for key and answers ErrTooMany, with the time to wait, where it is one too many.
func (l *Limiter) Allow(key string) error {
	bucket := l.by.GetOrSet(key, func() *rate.Limiter { return rate.NewLimiter(l.period, l.burst) })
	r := bucket.Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return ErrTooMany.After(wait.Round(time.Second) + time.Second)
	}
	return nil
}

// Network is what an address is counted as: an IPv4 address itself, of IPv6 the /64 that one customer has.
func Network(ip netip.Addr) string {
	if ip.Is6() {
		if prefix, err := ip.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return ip.String()
}
