package node

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// SetOnline stores the addresses that n's third-party agent reports and returns how many it stored: each once, and none
// of users whose bytes on n would not count. Such agents name the users who connected since their last report, so other
// addresses stay online until onlineFor has passed; an empty report says that nobody is online.
func (ps *Presence) SetOnline(ctx context.Context, n Node, online []OnlineIP) (stored int, err error) {
	return ps.setOnline(ctx, n, online, len(online) == 0)
}

// SetAllOnline stores the addresses that n's third-party agent reports as all that are connected to n: no others are
// online there any more.
func (ps *Presence) SetAllOnline(ctx context.Context, n Node, online []OnlineIP) error {
	_, err := ps.setOnline(ctx, n, online, true)
	return err
}

func (ps *Presence) setOnline(ctx context.Context, n Node, online []OnlineIP, all bool) (stored int, err error) {
	online, err = ps.ofItsUsers(ctx, n, validOnline(n.ID, online, ps.db.Now()))
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

// endOthers ends the presence of all addresses on the node but these.
func (ps *Presence) endOthers(ctx context.Context, tx bun.Tx, nodeID int64, online []OnlineIP) error {
	since := ps.db.Now().Add(-onlineFor)
	there := make(map[userIP]bool, len(online))
	for _, o := range online {
		there[userIP{o.UserID, o.IP}] = true
	}
	var others []userIP
	if err := tx.NewSelect().TableExpr("online_ip").Column("user_id", "ip").Where("node_id = ? AND last_at > ?", nodeID,
		since).Scan(ctx, &others); err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(at userIP) bool { return there[at] })
	for part := range slices.Chunk(others, 500) {
		if _, err := tx.NewRaw(`UPDATE online_ip SET last_at = ?0, first_at = CASE WHEN first_at > ?0 THEN ?0
			ELSE first_at END
			WHERE node_id = ?1 AND (user_id, ip) IN (?2)`, since, nodeID, tx.NewValues(&part)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// KeepOnline extends the presence of all addresses of the users on n, for agents that name addresses only when one
// changes. An address whose time has passed stays offline.
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
