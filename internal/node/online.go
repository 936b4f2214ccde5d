package node

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// onlineFor is how long an address that was reported counts as online; agents report each 20 to 60 s.
const onlineFor = 90 * time.Second

// OnlineIP is one address at which a user is connected to a node.
type OnlineIP struct {
	bun.BaseModel `bun:"table:online_ip"`
	UserID        int64 `bun:",pk"`
	NodeID        int64 `bun:",pk"`
	IP            string
	FirstAt       time.Time
	LastAt        time.Time
}

// SetOnline keeps the addresses that n's agent, a foreign one, reports, the whole of its list. Those of users whose bytes
// on n would not count are left out.
func (s *Nodes) SetOnline(ctx context.Context, n Node, online []OnlineIP) error {
	online, err := s.ofItsUsers(ctx, n, readable(n.ID, online, s.db.Now()))
	if err != nil {
		return err
	}
	users := map[int64]bool{}
	for _, o := range online {
		users[o.UserID] = true
	}
	if err := s.edit(ctx, n.ID, func(st *State) { st.OnlineUsers = int64(len(users)) }); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return upsertOnline(ctx, tx, online) })
}

// ofItsUsers leaves out users whose bytes on n would not count.
func (s *Nodes) ofItsUsers(ctx context.Context, n Node, online []OnlineIP) ([]OnlineIP, error) {
	ids := make([]int64, len(online))
	for i, o := range online {
		ids[i] = o.UserID
	}
	admitted, err := s.Admitted(ctx, n, ids)
	return slices.DeleteFunc(online, func(o OnlineIP) bool { return !admitted[o.UserID] }), err
}

func upsertOnline(ctx context.Context, tx bun.Tx, online []OnlineIP) error {
	for part := range slices.Chunk(online, 500) {
		if _, err := tx.NewInsert().Model(&part).On("CONFLICT (user_id, node_id, ip) DO UPDATE").Set("last_at = EXCLUDED.last_at").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readable gives each address once and in one form; IPv4 in IPv6 is IPv4.
func readable(nodeID int64, online []OnlineIP, now time.Time) []OnlineIP {
	seen := map[OnlineIP]bool{}
	var kept []OnlineIP
	for _, o := range online {
		ip, err := netip.ParseAddr(o.IP)
		row := OnlineIP{UserID: o.UserID, NodeID: nodeID, IP: ip.Unmap().WithZone("").String(), FirstAt: now, LastAt: now}
		if err != nil || o.UserID <= 0 || seen[row] {
			continue
		}
		seen[row] = true
		kept = append(kept, row)
	}
	return kept
}

// OnlineDevices gives at how many addresses the user is connected now, over all nodes.
func (s *Nodes) OnlineDevices(ctx context.Context, userID int64) (int, error) {
	var count int
	err := s.db.NewSelect().TableExpr("online_ip").ColumnExpr("count(DISTINCT ip)").
		Where("user_id = ? AND last_at > ?", userID, s.db.Now().Add(-onlineFor)).Scan(ctx, &count)
	return count, err
}

// Alive gives at how many addresses each user of n is connected now, over all nodes.
func (s *Nodes) Alive(ctx context.Context, n Node) (map[int64]int, error) {
	var rows []struct {
		UserID int64
		IPs    int `bun:"ips"`
	}
	err := s.db.NewSelect().TableExpr("online_ip").ColumnExpr("user_id, count(DISTINCT ip) AS ips").
		Where("last_at > ?", s.db.Now().Add(-onlineFor)).GroupExpr("user_id").Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.UserID
	}
	admitted, err := s.Admitted(ctx, n, ids)
	alive := make(map[int64]int, len(admitted))
	for _, r := range rows {
		if admitted[r.UserID] {
			alive[r.UserID] = r.IPs
		}
	}
	return alive, err
}
