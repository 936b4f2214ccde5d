package gate

import (
	"context"
	"math"

	"golang.org/x/time/rate"

	"airstrip/agent/internal/api"
)

// SetNode applies the node's speed limit.
func (g *Gate) SetNode(node api.Node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.speedMbps = node.SpeedMbps
	for _, u := range g.users {
		u.mu.Lock()
		g.limitSpeed(u)
		u.mu.Unlock()
	}
}

// limitSpeed applies the smaller of the node's and the user's limit. One token bucket serves both directions of all of
// the user's connections; it holds a quarter of a second.
func (g *Gate) limitSpeed(u *user) {
	limit := math.Inf(1)
	for _, mbps := range []*float64{g.speedMbps, u.row.SpeedMbps} {
		if mbps != nil {
			limit = min(limit, *mbps)
		}
	}
	if math.IsInf(limit, 1) {
		u.limiter.SetLimit(rate.Inf)
		return
	}
	bytes := limit * 1e6 / 8
	u.limiter.SetBurst(max(int(bytes/4), 16<<10))
	u.limiter.SetLimit(rate.Limit(bytes))
}

// wait takes n bytes from the token bucket, in pieces no larger than the bucket.
func (u *user) wait(ctx context.Context, n int) error {
	for n > 0 {
		piece := n
		if burst := u.limiter.Burst(); burst > 0 {
			piece = min(piece, burst)
		}
		if u.limiter.WaitN(ctx, piece) == nil {
			n -= piece
		} else if ctx.Err() != nil {
			return ctx.Err()
		} // A change of the limit has just made the bucket smaller than the piece.
	}
	return nil
}
