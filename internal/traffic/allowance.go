package traffic

import (
	"context"
	"log/slog"
	"time"

	"airstrip/internal/node"
)

// The time that a report covers is what the report says, and whoever has a node's secret may say so again and again. So
// what a node bills in all is held against the time that really went by.

const (
	held  = 24 * time.Hour // of the link at full speed, for bursts and for what waited on the agent's disk
	slack = 2 * 1.5        // of the link's speed: both ways at once, and half as much again for what the operator guessed
)

// allowance is what a node may still bill, in seconds of its link.
type allowance struct {
	seen time.Time // the last report
	left float64
	most float64 // that left may come to
}

// pass lets the time until now go by. After silence there is room for as much more as it lasted, since the bytes of that
// time come together; the room goes as time does.
func (a *allowance) pass(now time.Time) {
	silent := min(max(now.Sub(a.seen), 0), maxAge).Seconds()
	a.seen = now
	a.most = max(held.Seconds()+silent, a.most-silent)
	a.left = min(a.left+silent, a.most)
}

// allowance gives n's as of now. One that this process has not heard of since it started may bill as if it had been silent
// since the last day on which traffic of it was counted. Servers that share a database each hold their own, so that several
// believe as many times as much: still a bound, and nothing more to write with each report.
func (t *Traffic) allowance(ctx context.Context, n node.Node, now time.Time) (allowance, error) {
	t.mu.Lock()
	a := t.allowances[n.ID]
	t.mu.Unlock()
	since := n.CreatedAt
	if a == nil {
		days, err := t.NodeDays(ctx, n.ID, 1)
		if err != nil {
			return allowance{}, err
		}
		if len(days) > 0 {
			since = days[0].At
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a = t.allowances[n.ID]; a == nil {
		a = &allowance{since, held.Seconds(), held.Seconds()}
		t.allowances[n.ID] = a
	}
	a.pass(now)
	return *a, nil
}

// seconds is how long n's link would have carried the row.
func seconds(n node.Node, row Row) float64 {
	return (float64(row.Up) + float64(row.Down)) / (float64(n.LinkMbps) * 1e6 / 8 * slack)
}

// spend takes what a report costs from its node's allowance. Where that is too little the report is not counted, and none
// of it is lost: our agent keeps it, brings it again, and is heard once time went by, the link's speed was corrected or
// the secret changed.
func (t *Traffic) spend(ctx context.Context, e *entry) error {
	for _, c := range e.good {
		e.cost += seconds(e.Node, c.Row)
	}
	t.mu.Lock()
	missing := e.cost - t.allowances[e.Node.ID].left
	if missing <= 0 {
		t.allowances[e.Node.ID].left -= e.cost
	}
	t.mu.Unlock()
	if missing <= 0 {
		return nil
	}
	slog.ErrorContext(ctx, "a node reports more than its link can have carried: link_mbps is too low, or its secret leaked", "node", e.Node.ID, "id", e.ID, "rows", len(e.Rows), "link_mbps", e.Node.LinkMbps, "seconds_missing", int64(missing))
	t.nodes.Alarm(ctx, e.Node, node.BeyondLink)
	return ErrBeyondLink.After(min(time.Duration(missing+1), 3600) * time.Second)
}

// giveBack returns what reports cost that were not counted, or had been before.
func (t *Traffic) giveBack(entries []*entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range entries {
		if e.err != nil || e.receipt.Repeated {
			t.allowances[e.Node.ID].left += e.cost
		}
	}
}
