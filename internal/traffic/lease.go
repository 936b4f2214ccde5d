package traffic

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/trafficlog"
)

// Nodes report once a minute, so several of them that serve one quota would give out more than remains. Each therefore
// gives out only what it has leased: bytes beyond those that it has reported. All leases of a user together never
// exceed what remains and a small allowance, which is how much a user can overrun a quota:
//
//	slack      the smaller of 5 percent of the quota and 50 MB
//	slack / 4  is what nodes together may give out before they have asked, so that a connection need not wait
//	slack / 4  is leased beyond what is left where other nodes hold leases, so that their last bytes fit
//
// The rest of the slack is for what is in the buffers of connections when a lease ends. Reports write no leases: what
// of a lease was reported follows from the log by hour. Where the log says less than was reported, as of late bytes, a
// lease seems larger than it is and less is given to others, never more.

const (
	slackShare = 20         // of the quota
	maxSlack   = 50_000_000 // bytes
	// LeaseFor is how long a node may use a lease without an answer of the server. Nodes go on for so long while the
	// server is away, and a node that vanished withholds its lease from the others for so long, unless it is disabled.
	LeaseFor = 6 * time.Hour
	// leaseMargin is by how much a lease ends later on the server than on the node, because answers take time.
	leaseMargin = 2 * time.Minute
	// leasePart is the part of what nobody has leased that one lease may take. The rest is for other nodes, and a node
	// that vanishes withholds no more than that.
	leasePart = 4
	// recallGap is the minimum time between two requests to the other nodes of a user for what they do not need.
	recallGap = time.Second
	// MaxAsks limits the users that one request names.
	MaxAsks = 2000
	// enough is above every real quota. A thousand times as much at the highest rate still fits 63 bits.
	enough = math.MaxInt64/1000 - 100_000
)

// Ask is a node's request for a lease of a user's traffic, or with Release for the end of one.
type Ask struct {
	UserID  int64
	Open    int64 // raw bytes that it moved and that no answered report has
	Release bool
}

// Lease is how much a node may give out.
type Lease struct {
	UserID    int64
	Bytes     int64 // raw, beyond what answered reports have; not less than was asked for Open
	Unlimited bool
	Spent     bool // nothing is left, here or leased to others
}

// recalls holds when the other nodes of each user were last asked for what they do not need.
type recalls struct {
	mu sync.Mutex
	at map[int64]time.Time
}

// due reports whether recallGap has passed, and if so stores the present time.
func (r *recalls) due(userID int64, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if passed := now.Sub(r.at[userID]); passed >= 0 && passed < recallGap {
		return false
	}
	if r.at == nil || len(r.at) > 10_000 {
		r.at = map[int64]time.Time{}
	}
	r.at[userID] = now
	return true
}

// slackOf returns how much a user with this quota may overrun it.
func slackOf(quota int64) int64 { return min(quota/slackShare, maxSlack) }

// Idle returns how many raw bytes each of so many nodes may move for a user beyond what it has reported before it has
// asked; nil: as many as the user likes.
func Idle(n node.Node, u service.Usage, nodes int64) *int64 {
	rate := n.MaxRate()
	if u.QuotaBytes == nil || rate == 0 {
		return nil
	}
	idle := slackOf(*u.QuotaBytes) / 4 / max(nodes, 1) * 1000 / rate
	return &idle
}

// countedFor is how long a count of nodes is cached. It may be outdated because what it divides is small.
const countedFor = 10 * time.Second

// nodeCount caches the number of nodes. Each line of each agent's stream needs it.
type nodeCount struct {
	mu sync.Mutex
	n  int64
	at time.Time
}

// NodeCount returns the number of nodes among which the idle allowance is divided, at most countedFor old.
func (t *Traffic) NodeCount(ctx context.Context) (int64, error) {
	c, now := &t.nodeCount, t.db.Now()
	c.mu.Lock()
	n, age := c.n, now.Sub(c.at)
	c.mu.Unlock()
	if age >= 0 && age < countedFor {
		return n, nil
	}
	n, err := t.nodes.Enabled(ctx, t.db)
	if err == nil {
		c.mu.Lock()
		c.n, c.at = n, now
		c.mu.Unlock()
	}
	return n, err
}

// held is what other nodes have leased of a user's traffic, and what the log has counted on the node itself, as billed.
type held struct{ others, base int64 }

// Lease gives n leases of users' traffic in place of those that it has. Nothing remains of users who may not use n.
func (t *Traffic) Lease(ctx context.Context, n node.Node, asks []Ask) ([]Lease, error) {
	if len(asks) > MaxAsks {
		return nil, ErrTooMany
	}
	byUser := make(map[int64]Ask, len(asks))
	ids := make([]int64, 0, len(asks))
	for _, a := range asks {
		if _, twice := byUser[a.UserID]; !twice {
			ids = append(ids, a.UserID)
		}
		byUser[a.UserID] = a
	}
	var leases []Lease
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		leases = make([]Lease, 0, len(asks))
		rows, err := t.services.Lock(ctx, tx, ids) // leases of one user are given out one at a time
		if err != nil {
			return err
		}
		now := t.db.Now()
		since := now.Unix()/3600 - 1
		// First what is leased and then what is left: of bytes that are reported in between less is given, not more.
		leased, err := t.leased(ctx, tx, n.ID, ids, since, now)
		if err != nil {
			return err
		}
		usage, err := t.services.UsageIn(ctx, tx, ids)
		if err != nil {
			return err
		}
		kept, gone := db.NumbersOf(4, len(ids)), []int64{}
		var recall []int64
		for i := range rows {
			a, ask := &rows[i], byUser[rows[i].UserID]
			u, holds := usage[a.UserID]
			if !holds || !n.Serves() || !a.Admits(n.Class, n.GroupID) {
				u = service.Usage{QuotaBytes: new(int64), RemainingBytes: new(int64)}
			}
			l, bytes, short := give(n, u, ask, leased[a.UserID])
			leases = append(leases, l)
			switch {
			case l.Unlimited || bytes == 0:
				gone = append(gone, a.UserID)
			default:
				kept.Add(a.UserID, bytes, since, leased[a.UserID].base)
			}
			if short && t.recalls.due(a.UserID, now) {
				recall = append(recall, a.UserID)
			}
		}
		if err := t.writeLeases(ctx, tx, n.ID, kept, gone, now.Add(LeaseFor+leaseMargin)); err != nil {
			return err
		}
		return t.services.NotifyNodes(ctx, tx, recall) // each holder of a lease then asks for what it needs
	})
	return leases, err
}

// give answers one ask. short: others hold what this node could use.
func give(n node.Node, u service.Usage, ask Ask, h held) (l Lease, billed int64, short bool) {
	l.UserID = ask.UserID
	rate := n.MaxRate()
	if u.QuotaBytes == nil || rate == 0 {
		l.Unlimited = true
		return l, 0, false
	}
	open, fits := times(max(0, ask.Open), rate)
	if !fits || open > enough {
		open = enough
	}
	slack := slackOf(*u.QuotaBytes)
	free := min(*u.RemainingBytes, enough) - min(h.others, enough)
	if *u.RemainingBytes > 0 {
		free += min(slack/4, h.others)
	}
	spare := max(0, free-open)
	least := slack/16 + 1
	step := min(spare, max(spare/leasePart, least))
	if ask.Release {
		step = 0
	}
	billed = open + step
	l.Bytes = max(0, ask.Open, (billed*1000+rate-1)/rate) // rounded up, or the last byte could not be used
	l.Spent = spare == 0 && h.others == 0
	return l, billed, spare < least && h.others > 0 && !ask.Release
}

// leased returns what the other nodes hold of users' traffic now, and what the log has counted on this one since an
// hour.
func (t *Traffic) leased(
	ctx context.Context, tx bun.Tx, nodeID int64, ids []int64, since int64, now time.Time,
) (map[int64]held, error) {
	by := make(map[int64]held, len(ids))
	if len(ids) == 0 {
		return by, nil
	}
	others, err := t.held(ctx, tx, now, `l.node_id <> ? AND l.user_id IN (?)`, nodeID, bun.List(ids))
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		h := by[o.userID]
		h.others = saturate(h.others, o.bytes)
		by[o.userID] = h
	}
	pairs := make([]trafficlog.Pair, len(ids))
	for i, id := range ids {
		pairs[i] = trafficlog.Pair{UserID: id, NodeID: nodeID, Since: since}
	}
	counted, err := t.history.Billed(ctx, tx, pairs, now.Unix()/3600)
	for p, billed := range counted {
		h := by[p.UserID]
		h.base = billed
		by[p.UserID] = h
	}
	return by, err
}

// heldBytes is what of a lease was not reported yet.
type heldBytes struct{ userID, bytes int64 }

// held returns what of each lease was not reported yet; a node that nobody may use holds none.
func (t *Traffic) held(
	ctx context.Context, tx bun.Tx, now time.Time, where string, values ...any,
) ([]heldBytes, error) {
	var rows []struct{ UserID, NodeID, Bytes, Base, SinceHour int64 }
	if err := tx.NewRaw(`SELECT l.user_id, l.node_id, l.bytes, l.base, l.since_hour FROM traffic_lease AS l
		JOIN node AS n ON n.id = l.node_id AND n.enabled WHERE l.expires_at > ? AND `+where,
		append([]any{now}, values...)...).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	pairs := make([]trafficlog.Pair, len(rows))
	for i, r := range rows {
		pairs[i] = trafficlog.Pair{UserID: r.UserID, NodeID: r.NodeID, Since: r.SinceHour}
	}
	counted, err := t.history.Billed(ctx, tx, pairs, now.Unix()/3600)
	left := make([]heldBytes, len(rows))
	for i, r := range rows {
		left[i] = heldBytes{r.UserID, max(0, r.Bytes-(counted[pairs[i]]-r.Base))}
	}
	return left, err
}

// writeLeases puts the leases of a node in place of those before. kept has user, bytes, hour and base.
func (t *Traffic) writeLeases(
	ctx context.Context, tx bun.Tx, nodeID int64, kept *db.Numbers, gone []int64, expires time.Time,
) error {
	if len(gone) > 0 {
		q := tx.NewRaw(`DELETE FROM traffic_lease WHERE node_id = ? AND user_id IN (?)`, nodeID, bun.List(gone))
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	for part := range kept.Parts() {
		// The WHERE tells SQLite that ON begins no condition of a join.
		_, err := tx.NewRaw(`INSERT INTO traffic_lease (user_id, node_id, bytes, since_hour, base, expires_at)
			SELECT v.column1, ?, v.column2, v.column3, v.column4, ? FROM ? AS v WHERE TRUE
			ON CONFLICT (user_id, node_id) DO UPDATE SET bytes = EXCLUDED.bytes, since_hour = EXCLUDED.since_hour,
				base = EXCLUDED.base, expires_at = EXCLUDED.expires_at`, nodeID, expires, part).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// endLeases revokes the leases of users who have nothing remaining: they are off the nodes' lists.
func (t *Traffic) endLeases(ctx context.Context, tx bun.Tx, spent []int64) error {
	if len(spent) == 0 {
		return nil
	}
	_, err := tx.NewRaw(`DELETE FROM traffic_lease WHERE user_id IN (?)`, bun.List(spent)).Exec(ctx)
	return err
}

// Shares sets what remains for each of the users on n, whose agent is too old for leases: of what nobody has leased, an
// equal part for each node without leases on which the user was active this hour or the last one. Such agents receive a
// new share each time that what remains has halved.
func (t *Traffic) Shares(ctx context.Context, n node.Node, users []service.Access) error {
	limited := make(map[int64]*service.Access, len(users))
	for i := range users {
		if users[i].RemainingBytes != nil && *users[i].RemainingBytes > 0 {
			limited[users[i].UserID] = &users[i]
		}
	}
	if len(limited) == 0 {
		return nil
	}
	now := t.db.Now()
	where, only := "TRUE", []int64(nil)
	var values []any
	if len(limited) <= maxNamed { // of many users everybody's is read at once
		only = slices.Sorted(maps.Keys(limited))
		where, values = `l.user_id IN (?)`, []any{bun.List(only)}
	}
	var leased []heldBytes
	leasing := map[[2]int64]bool{}
	if err := t.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		if leased, err = t.held(ctx, tx, now, where, values...); err != nil {
			return err
		}
		var pairs []struct{ UserID, NodeID int64 }
		err = tx.NewRaw(`SELECT l.user_id, l.node_id FROM traffic_lease AS l WHERE `+where, values...).Scan(ctx, &pairs)
		for _, p := range pairs {
			leasing[[2]int64{p.UserID, p.NodeID}] = true
		}
		return err
	}); err != nil {
		return err
	}
	active, err := t.history.ActiveNodes(ctx, only, now.Unix()/3600)
	if err != nil {
		return err
	}
	held, nodes := map[int64]int64{}, map[int64]int64{}
	for _, l := range leased {
		held[l.userID] = saturate(held[l.userID], l.bytes)
	}
	for pair := range active {
		if pair[1] != n.ID && !leasing[pair] {
			nodes[pair[0]]++
		}
	}
	for id, a := range limited {
		if held[id] > 0 {
			least := min(*a.RemainingBytes, slackOf(*a.QuotaBytes)/16+1)
			*a.RemainingBytes = max(least, *a.RemainingBytes-held[id])
		}
		if nodes[id] > 0 {
			*a.RemainingBytes = max(1, *a.RemainingBytes/(nodes[id]+1))
		}
	}
	return nil
}

// maxNamed limits the users that a query names; for more it reads all rows.
const maxNamed = 500
