package node

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/cache"
	"airstrip/internal/db"
	"airstrip/internal/service"
)

// onlineFor is how long an address counts as online after a report. Agents report every 20 to 60 s.
const onlineFor = 90 * time.Second

// maxAddresses limits the addresses of one report that are stored. It is far more than one machine serves: they are
// written in one transaction, and other nodes wait for it.
const maxAddresses = 50_000

// OnlineIP is one address from which a user is connected to a node.
type OnlineIP struct {
	bun.BaseModel `bun:"table:online_ip"`
	UserID        int64 `bun:",pk"`
	NodeID        int64 `bun:",pk"`
	IP            string
	FirstAt       time.Time
	LastAt        time.Time
	Since         time.Time
	Slot          slotState `bun:"place"`
	EvictedAt     *time.Time
}

// Presence stores from which addresses users are connected.
type Presence struct {
	db        *db.DB
	services  *service.Services
	admission *Admission
	slots     *DeviceSlots
	monitor   *Monitor
	written   *cache.Cache[int64, recentlyWritten]
	online    onlineAddresses

	addressCount *db.Prepared // of a user who is connected
}

// userIP is one user at one address.
type userIP struct {
	UserID int64
	IP     string
}

// usersOf returns the number of users that the addresses belong to.
func usersOf(online []OnlineIP) int64 {
	users := map[int64]bool{}
	for _, o := range online {
		users[o.UserID] = true
	}
	return int64(len(users))
}

// ofItsUsers removes addresses of users whose bytes on n would not count.
func (ps *Presence) ofItsUsers(ctx context.Context, n Node, online []OnlineIP) ([]OnlineIP, error) {
	ids := make([]int64, len(online))
	for i, o := range online {
		ids[i] = o.UserID
	}
	admitted, err := ps.admission.Admitted(ctx, n, ids)
	return slices.DeleteFunc(online, func(o OnlineIP) bool { return !admitted[o.UserID] }), err
}

// upsertOnline stores the addresses, which are all of one node and in one slot state. Where a user has become too many,
// it has the oldest cut.
func (ps *Presence) upsertOnline(ctx context.Context, tx bun.Tx, online []OnlineIP) error {
	var came []int64
	for part := range slices.Chunk(online, 500) {
		now := part[0].LastAt
		var rows []struct {
			UserID int64
			Since  time.Time
		}
		at := make([]userIP, len(part))
		for i, o := range part {
			at[i] = userIP{o.UserID, o.IP}
		}
		// A list that was on its way when the address was cut must not bring it back. What all rows share is written
		// once; the first WHERE tells SQLite that ON begins no condition of a join.
		err := tx.NewRaw(`WITH v (user_id, ip) AS (?0) INSERT INTO online_ip (user_id, node_id, ip, first_at, last_at, since, place)
			SELECT v.user_id, ?1, v.ip, ?2, ?2, ?2, ?3 FROM v WHERE TRUE
			ON CONFLICT (user_id, node_id, ip) DO UPDATE SET last_at = EXCLUDED.last_at,
				since = CASE WHEN online_ip.last_at > ?4 AND online_ip.place <> ?5 THEN online_ip.since ELSE EXCLUDED.since END,
				place = CASE WHEN online_ip.place = ?6 AND EXCLUDED.place = ?7 THEN online_ip.place ELSE EXCLUDED.place END
			WHERE online_ip.place <> ?5 OR EXCLUDED.place = ?8 OR online_ip.evicted_at < ?9
			RETURNING user_id, since`, tx.NewValues(&at), part[0].NodeID, now, part[0].Slot,
			now.Add(-onlineFor), gone, leaving, given, reported, now.Add(-awayFor)).Scan(ctx, &rows)
		if err != nil && !errors.Is(err, db.ErrNoRows) {
			return err
		}
		for _, r := range rows {
			if r.Since.Equal(now) {
				came = append(came, r.UserID)
			}
		}
	}
	return ps.slots.evictAll(ctx, tx, came)
}

// validOnline returns each valid address once and in one form, at most maxAddresses of them; IPv4 in IPv6 becomes IPv4.
func validOnline(nodeID int64, online []OnlineIP, now time.Time) []OnlineIP {
	seen := make(map[userIP]bool, len(online))
	rows := make([]OnlineIP, 0, min(len(online), maxAddresses))
	for _, o := range online {
		if len(rows) == maxAddresses {
			break
		}
		ip, err := netip.ParseAddr(o.IP)
		at := userIP{o.UserID, ip.Unmap().WithZone("").String()}
		if err != nil || o.UserID <= 0 || seen[at] {
			continue
		}
		seen[at] = true
		rows = append(rows, OnlineIP{
			UserID: at.UserID, NodeID: nodeID, IP: at.IP, FirstAt: now, LastAt: now,
			Since: now, Slot: reported,
		})
	}
	return rows
}

// OnlineOn returns the addresses that are connected to the node now, the last reported first.
func (ps *Presence) OnlineOn(ctx context.Context, nodeID int64) ([]OnlineIP, error) {
	var rows []OnlineIP
	err := ps.db.NewSelect().Model(&rows).Where("node_id = ? AND last_at > ?", nodeID, ps.db.Now().Add(-onlineFor)).
		OrderExpr("last_at DESC, user_id, ip").Limit(5000).Scan(ctx)
	return rows, err
}

// OnlineOf returns the addresses at which the user is connected now, the last reported first.
func (ps *Presence) OnlineOf(ctx context.Context, userID int64) ([]OnlineIP, error) {
	var rows []OnlineIP
	err := ps.db.NewSelect().Model(&rows).Where("user_id = ? AND last_at > ?", userID, ps.db.Now().Add(-onlineFor)).
		Where("place <> ?", gone).OrderExpr("last_at DESC, ip").Limit(500).Scan(ctx)
	return rows, err
}

// DeviceCount returns from how many addresses the user is connected now, over all nodes.
func (ps *Presence) DeviceCount(ctx context.Context, userID int64) (int, error) {
	var count int
	err := ps.addressCount.Row(ctx, []any{userID, ps.db.Now().Add(-onlineFor), gone}, &count)
	return count, err
}

// Devices returns from which addresses the users of n who have a device limit are connected now, over all nodes.
func (ps *Presence) Devices(ctx context.Context, n Node) (map[int64][]string, error) {
	by, err := ps.online.get(ctx, ps.db)
	if err != nil || !n.Serves() {
		return nil, err
	}
	limited, err := ps.services.Limited(ctx, slices.Collect(maps.Keys(by)), n.Class, n.GroupID)
	devices := make(map[int64][]string, len(limited))
	for _, id := range limited {
		devices[id] = by[id]
	}
	return devices, err
}

// onlineAddresses caches the addresses of all users who are online for a few seconds: every agent that follows asks for
// them.
type onlineAddresses struct {
	mu sync.Mutex
	at time.Time
	by map[int64][]string
}

const onlineCached = 5 * time.Second

// get returns the addresses of each user, in order. They must not be changed.
func (w *onlineAddresses) get(ctx context.Context, d *db.DB) (map[int64][]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := d.Now()
	if age := now.Sub(w.at); age >= 0 && age < onlineCached {
		return w.by, nil
	}
	var rows []OnlineIP
	err := d.NewSelect().Model(&rows).ColumnExpr("DISTINCT user_id, ip").Where("last_at > ? AND place <> ?",
		now.Add(-onlineFor), gone).OrderExpr("user_id, ip").Scan(ctx)
	if err != nil {
		return nil, err
	}
	w.at, w.by = now, map[int64][]string{}
	for _, r := range rows {
		w.by[r.UserID] = append(w.by[r.UserID], r.IP)
	}
	return w.by, nil
}

// DeviceCounts returns from how many addresses each user of n is connected now, over all nodes.
func (ps *Presence) DeviceCounts(ctx context.Context, n Node) (map[int64]int, error) {
	var rows []struct {
		UserID int64
		IPs    int `bun:"ips"`
	}
	err := ps.db.NewSelect().TableExpr("online_ip").ColumnExpr("user_id, count(DISTINCT ip) AS ips").
		Where("last_at > ? AND place <> ?", ps.db.Now().Add(-onlineFor), gone).GroupExpr("user_id").Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.UserID
	}
	admitted, err := ps.admission.Admitted(ctx, n, ids)
	alive := make(map[int64]int, len(admitted))
	for _, r := range rows {
		if admitted[r.UserID] {
			alive[r.UserID] = r.IPs
		}
	}
	return alive, err
}
