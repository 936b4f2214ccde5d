package node

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// SetOnline keeps the addresses that n's agent, a foreign one, reports, and gives how many it kept: each once, and none
// of users whose bytes on n would not count. Agents name who connected since their last report, so that others stay
// online for a while; a report of nobody says that nobody is left.
func (ps *Presence) SetOnline(ctx context.Context, n Node, online []OnlineIP) (kept int, err error) {
	return ps.setOnline(ctx, n, online, len(online) == 0)
}

// SetAllOnline keeps the addresses that n's agent, a foreign one, reports as all that are connected to n: others are no
// longer online there.
func (ps *Presence) SetAllOnline(ctx context.Context, n Node, online []OnlineIP) error {
	_, err := ps.setOnline(ctx, n, online, true)
	return err
}

func (ps *Presence) setOnline(ctx context.Context, n Node, online []OnlineIP, all bool) (kept int, err error) {
	online, err = ps.ofItsUsers(ctx, n, readable(n.ID, online, ps.db.Now()))
	if err != nil {
		return 0, err
	}
	return len(online), ps.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := ps.monitor.editIn(ctx, tx, n.ID, func(st *State) { st.OnlineUsers = usersOf(online) }); err != nil {
			return err
		}
		if all {
			if err := ps.endOthers(ctx, tx, n.ID, online); err != nil {
				return err
			}
		}
		return ps.upsertOnline(ctx, tx, online)
	})
}

// endOthers lets no addresses count as online on the node any more but these.
func (ps *Presence) endOthers(ctx context.Context, tx bun.Tx, nodeID int64, online []OnlineIP) error {
	since := ps.db.Now().Add(-onlineFor)
	there := make(map[userIP]bool, len(online))
	for _, o := range online {
		there[userIP{o.UserID, o.IP}] = true
	}
	var left []userIP
	if err := tx.NewSelect().TableExpr("online_ip").Column("user_id", "ip").Where("node_id = ? AND last_at > ?", nodeID,
		since).Scan(ctx, &left); err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(at userIP) bool { return there[at] })
	for part := range slices.Chunk(left, 500) {
		if _, err := tx.NewRaw(`UPDATE online_ip SET last_at = ?0, first_at = CASE WHEN first_at > ?0 THEN ?0
			ELSE first_at END
			WHERE node_id = ?1 AND (user_id, ip) IN (?2)`, since, nodeID, tx.NewValues(&part)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// KeepOnline keeps all addresses of users on n online, for agents that name them only when one of them changes. Who
// fell out by time stays out.
func (ps *Presence) KeepOnline(ctx context.Context, n Node, userIDs []int64) error {
	now := ps.db.Now()
	return ps.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for part := range slices.Chunk(userIDs, 500) {
			if _, err := tx.NewRaw(`UPDATE online_ip SET last_at = ? WHERE node_id = ? AND user_id IN (?)
				AND last_at > ? AND place <> ?`,
				now, n.ID, bun.List(part), now.Add(-onlineFor), gone).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
