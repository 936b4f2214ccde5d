package traffic

import (
	"context"
	"math"
	"math/bits"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/node"
)

// The window of a report is what its sender claims, and a leaked node secret may claim any window again and again. The
// bytes of a node are therefore bounded by the time that really passed: each microsecond of its link is billed once.
// The moment up to which it is used, node_link_use.used_until, is moved in the transaction that counts a report, so the
// bound holds across replicas and restarts, and a report that was counted before costs nothing.

const (
	// reserve is how far back unused time of the link can be billed: late reports are accepted for as long.
	reserve = maxLate + clockSlack
	// clockSlack is by how much clocks may disagree. A new node has so much time of its link in advance.
	clockSlack = 5 * time.Minute
	// afterSetBack is what a node may bill at once after the server's clock was set back behind its used_until.
	afterSetBack = 24 * time.Hour
)

// linkTime is how long n's link takes to carry the bytes at one and a half times its speed, rounded up to microseconds.
// A proxy receives and sends each byte of payload once, so both directions of payload together fit the link once; the
// half more allows for a speed that the operator guessed too low.
func linkTime(n node.Node, bytes uint64) time.Duration {
	hi, lo := bits.Mul64(bytes, 2*8)
	divisor := uint64(3 * n.LinkMbps) // a megabit a second is a bit a microsecond
	if hi >= divisor {
		return math.MaxInt64
	}
	q, rest := bits.Div64(hi, lo, divisor)
	if rest > 0 {
		q++
	}
	if q > math.MaxInt64/uint64(time.Microsecond) {
		return math.MaxInt64
	}
	return time.Duration(q) * time.Microsecond
}

// payload is what the rows moved, both directions together, or the largest number there is.
func payload(rows []counted) uint64 {
	sum := uint64(0)
	for _, row := range rows {
		var carry uint64
		if sum, carry = bits.Add64(sum, uint64(row.Up)+uint64(row.Down), 0); carry > 0 {
			return math.MaxUint64
		}
	}
	return sum
}

// useLink bills the time of the link that the report's rows took, as part of tx, which holds the lock of the revision.
// Where the link has too little unused time it changes nothing and gives how long the report has to wait.
func (t *Traffic) useLink(ctx context.Context, tx bun.Tx, e *entry, now time.Time) (missing time.Duration, err error) {
	bytes := payload(e.good)
	if bytes == 0 {
		return 0, nil
	}
	from := e.Node.CreatedAt.Add(-clockSlack)
	var used []int64
	if err := tx.NewRaw(`SELECT used_until FROM node_link_use WHERE node_id = ?`, e.Node.ID).
		Scan(ctx, &used); err != nil {
		return 0, err
	}
	if len(used) == 1 {
		from = time.UnixMicro(used[0])
	}
	if from.After(now.Add(clockSlack)) {
		from = now.Add(-afterSetBack)
	}
	if oldest := now.Add(-reserve); from.Before(oldest) {
		from = oldest
	}
	cost := linkTime(e.Node, bytes)
	if missing := cost - now.Sub(from); missing > 0 {
		return missing, nil
	}
	_, err = tx.NewRaw(`INSERT INTO node_link_use (node_id, used_until) VALUES (?, ?)
		ON CONFLICT (node_id) DO UPDATE SET used_until = EXCLUDED.used_until`, e.Node.ID, from.Add(cost).UnixMicro()).Exec(ctx)
	return 0, err
}

// refuseBeyondLink makes the report's error ErrBeyondLink. Nothing of the report is lost: our agent keeps it and sends
// it again, and it counts once enough time has passed or the link's speed was corrected.
func (e *entry) refuseBeyondLink(missing time.Duration) {
	e.missing = missing
	e.err = ErrBeyondLink.After(min(missing.Truncate(time.Second)+time.Second, time.Hour))
}
