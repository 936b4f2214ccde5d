package traffic

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Third-party agents do not number their reports. An agent whose report was not answered in time (XrayR and V2bX after
// 5 s, or 30 s in their example configurations, v2node after 15 s) sends the same body again, at most three times, and
// must not have it counted twice. An agent whose users moved the same bytes in two periods also sends the same body
// twice, and both count. What tells the two apart:
//
//   - After an answer an agent goes on: it posts its load, the addresses that are online or the hits of rules. While it
//     waits for an answer it does not, since all of these come from one loop. An agent that does so is judged by it
//     alone.
//   - XrayR on UniProxy posts nothing but traffic. It asks for its users as often as it reports, whether it is answered
//     or not, so that what comes a period after the last report is the next one.
//   - A sender that never asks for its users is no known agent and is assumed to wait for 30 s.
//
// In doubt a body is a repetition: it is better to bill users once too little than twice. Observations are not shared
// between replicas, which errs on the same side.

const (
	// atOnce is less than the reporting interval of any agent.
	atOnce = 2500 * time.Millisecond
	// maxRepeatAge is how long after a report was counted it may be repeated: three times, 30 s apart, with slack.
	maxRepeatAge = 130 * time.Second
	// maxRepeats is how often agents repeat a report. XrayR then goes on too, but keeps its counters.
	maxRepeats = 3
	// promptly is less than the timeout of any agent.
	promptly = 4 * time.Second
	// loudFor is how long after an agent posted more than traffic it is known to do so; another agent may replace it.
	loudFor = time.Hour
	// minPeriod and maxPeriod bound the interval between two requests that is taken for an agent's period.
	minPeriod = atOnce
	maxPeriod = 15 * time.Minute
	// periodTimeout limits how long storing the period may delay the answer with the list of users.
	periodTimeout = 1500 * time.Millisecond
)

// usualWait is when the repetition of an agent that waits for 30 s arrives, as most do.
var usualWait = [2]time.Duration{27 * time.Second, 45 * time.Second}

// habit is what is known about the timing of a node's third-party agent.
type habit struct {
	mu         sync.Mutex
	polledAt   time.Time
	interval   time.Duration // between the last two polls
	period     time.Duration // on which the polls last agreed; 0: it is not known
	postedAt   time.Time     // when it last posted something that it posts only after a report was answered
	followedAt time.Time     // when it first did since its last report; zero: not yet
}

func (t *Traffic) habit(nodeID int64) *habit {
	h, _ := t.habits.LoadOrStore(nodeID, &habit{})
	return h.(*habit)
}

// Polled records that the node's third-party agent asked for its users.
func (t *Traffic) Polled(ctx context.Context, nodeID int64) {
	h, now := t.habit(nodeID), t.db.Now()
	h.mu.Lock()
	interval, before := now.Sub(h.polledAt), h.interval
	h.polledAt, h.interval = now, interval
	agree := near(interval, before)
	news := interval >= minPeriod && interval <= maxPeriod && agree && !near(interval, h.period)
	if news {
		h.period = interval
	}
	h.mu.Unlock()
	if !news {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, periodTimeout)
	defer cancel()
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`INSERT INTO foreign_agent (node_id, period_ms) SELECT id, ? FROM node WHERE id = ?
			ON CONFLICT (node_id) DO UPDATE SET period_ms = EXCLUDED.period_ms`, interval.Milliseconds(), nodeID).Exec(ctx)
		return err
	})
	if err != nil {
		slog.WarnContext(ctx, "how often a node's agent reports could not be noted", "node", nodeID, "error", err)
	}
}

// WentOn records that the node's third-party agent posted something that it posts only after its last report was
// answered or given up.
func (t *Traffic) WentOn(nodeID int64) {
	h, now := t.habit(nodeID), t.db.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.postedAt = now
	if h.followedAt.IsZero() {
		h.followedAt = now
	}
}

// reported records that a report of the node's third-party agent is answered.
func (t *Traffic) reported(nodeID int64) {
	h := t.habit(nodeID)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.followedAt = time.Time{}
}

// near reports whether two intervals between requests are equal within the tolerance of one period.
func near(a, b time.Duration) bool { return (a - b).Abs() <= max(1500*time.Millisecond, b/10) }

// receivedBody is when a body was counted and when it last came.
type receivedBody struct {
	AcceptedAt time.Time
	SeenAt     time.Time
	Repeats    int
}

// insertThirdParty reports whether a third-party agent's report is new, and stores that it was counted or came again.
func (t *Traffic) insertThirdParty(ctx context.Context, tx bun.Tx, e *entry, now time.Time) (bool, error) {
	var last []receivedBody
	if err := tx.NewRaw(`SELECT accepted_at, coalesce(seen_at, accepted_at) AS seen_at, repeats FROM traffic_report
		WHERE node_id = ? AND id = ?`,
		e.Node.ID, e.key).Scan(ctx, &last); err != nil {
		return false, err
	}
	if len(last) == 1 {
		repeated, err := t.isRepeat(ctx, tx, e, last[0], now)
		if err != nil {
			return false, err
		}
		if repeated {
			e.receipt = Receipt{Repeated: true}
			_, err := tx.NewRaw(`UPDATE traffic_report SET seen_at = ?, repeats = repeats + 1 WHERE node_id = ?
				AND id = ?`, now, e.Node.ID, e.key).Exec(ctx)
			return false, err
		}
	}
	_, err := db.Changed(tx.NewRaw(`INSERT INTO traffic_report (node_id, id, hash, accepted_at, seen_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (node_id, id) DO UPDATE SET accepted_at = EXCLUDED.accepted_at, seen_at = EXCLUDED.seen_at, repeats = 0`,
		e.Node.ID, e.key, e.Hash[:], now, now).Exec(ctx))
	return err == nil, err
}

// isRepeat reports whether the body repeats the last report. A clock that was set back since changes only the time that
// passed.
func (t *Traffic) isRepeat(ctx context.Context, tx bun.Tx, e *entry, last receivedBody, now time.Time) (bool, error) {
	gap, age := now.Sub(last.SeenAt).Abs(), now.Sub(last.AcceptedAt).Abs()
	h := t.habit(e.Node.ID)
	h.mu.Lock()
	followed, loud, period := h.followedAt, !h.postedAt.IsZero() && last.AcceptedAt.Sub(h.postedAt).Abs() < loudFor,
		h.period
	asks, interval := !h.polledAt.IsZero(), h.interval
	h.mu.Unlock()
	wentOn := !followed.IsZero() && !followed.Before(last.SeenAt)
	switch {
	case gap < atOnce:
		return true, nil
	case e.Once:
		return false, nil
	case last.Repeats == maxRepeats && gap < maxRepeatAge && loud && !(wentOn && followed.Sub(last.SeenAt) < promptly):
		return true, nil // no answer came through, and nothing was added to the counters since
	case age > maxRepeatAge || wentOn:
		return false, nil
	case loud:
		return true, nil
	case gap > usualWait[1]:
		return false, nil
	}
	if period == 0 {
		var known []int64
		if err := tx.NewRaw(`SELECT period_ms FROM foreign_agent WHERE node_id = ?`, e.Node.ID).
			Scan(ctx, &known); err != nil {
			return false, err
		}
		if len(known) == 1 {
			period = time.Duration(known[0]) * time.Millisecond
		}
	}
	if period == 0 && asks { // it is new
		period = interval
		if interval < minPeriod || interval > maxPeriod {
			return true, nil
		}
	}
	return gap >= usualWait[0] || period != 0 && !near(gap, period), nil
}
