package node

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// SetAllOnline keeps the addresses that n's agent, a foreign one, reports as all that are connected to n: others are no
// longer online there.
func (s *Nodes) SetAllOnline(ctx context.Context, n Node, online []OnlineIP) error {
	if _, err := s.SetOnline(ctx, n, online); err != nil {
		return err
	}
	since := s.db.Now().Add(-onlineFor)
	there := map[OnlineIP]bool{}
	for _, o := range readable(n.ID, online, since) {
		there[OnlineIP{UserID: o.UserID, IP: o.IP}] = true
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var known []OnlineIP
		if err := tx.NewSelect().Model(&known).Column("user_id", "ip").Where("node_id = ? AND last_at > ?", n.ID, since).Scan(ctx); err != nil {
			return err
		}
		left := map[int64][]string{}
		for _, o := range known {
			if !there[o] {
				left[o.UserID] = append(left[o.UserID], o.IP)
			}
		}
		for userID, ips := range left {
			if _, err := tx.NewRaw(`UPDATE online_ip SET last_at = ?0, first_at = CASE WHEN first_at > ?0 THEN ?0 ELSE first_at END
				WHERE user_id = ?1 AND node_id = ?2 AND ip IN (?3)`, since, userID, n.ID, bun.List(ips)).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// StillOnline keeps all addresses of users on n online, for agents that name them only when one of them changes. Who fell
// out by time stays out.
func (s *Nodes) StillOnline(ctx context.Context, n Node, userIDs []int64) error {
	now := s.db.Now()
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for part := range slices.Chunk(userIDs, 500) {
			if _, err := tx.NewRaw(`UPDATE online_ip SET last_at = ? WHERE node_id = ? AND user_id IN (?) AND last_at > ? AND place <> ?`,
				now, n.ID, bun.List(part), now.Add(-onlineFor), gone).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
