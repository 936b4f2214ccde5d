package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// BlockedIP is an address that a node asked all nodes to block because it attacked the node.
type BlockedIP struct {
	bun.BaseModel `bun:"table:blocked_ip"`
	ID            int64 `bun:",pk,autoincrement"`
	NodeID        int64
	IP            string
	Revision      int64
	At            time.Time
	UnblockedAt   *time.Time // nil: it is blocked
}

// Blocklist holds the addresses that nodes asked all nodes to block.
type Blocklist struct {
	db       *db.DB
	registry *Registry
}

// blockedFor is how long an address stays blocked unless it is unblocked before.
const blockedFor = 24 * time.Hour

// recently is how long third-party agents receive a change of the list. They poll each minute.
const recently = time.Minute

// ErrNotBlocked is the fault of an address that is not blocked.
var ErrNotBlocked = fault.NotFound("ip_not_blocked", "该 IP 没有被封锁", "This address is not blocked")

// maxBlocked limits the addresses that one node has blocked at a time.
const maxBlocked = 10_000

// Block stores the addresses that n asks all nodes to block and returns how many it stored: each once and only public
// ones. Addresses of nodes, of their relays, and of users who recently connected to other nodes are never blocked, so
// that no node can cut off the others or their users.
func (bl *Blocklist) Block(ctx context.Context, n Node, ips []string) (stored int, err error) {
	ips, err = bl.blockable(ctx, n, ips)
	if err != nil || len(ips) == 0 {
		return 0, err
	}
	err = bl.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		var again []string
		if err := tx.NewRaw(`UPDATE blocked_ip SET at = ?, revision = ? WHERE node_id = ? AND unblocked_at IS NULL
			AND ip IN (?) RETURNING ip`,
			bl.db.Now(), revision, n.ID, bun.List(ips)).Scan(ctx, &again); err != nil && !errors.Is(err, db.ErrNoRows) {
			return err
		}
		held, err := tx.NewSelect().Model((*BlockedIP)(nil)).Where("node_id = ? AND unblocked_at IS NULL", n.ID).
			Count(ctx)
		if err != nil {
			return err
		}
		fresh := without(ips, again)
		fresh = fresh[:max(0, min(len(fresh), maxBlocked-int(held)))]
		stored = len(again) + len(fresh)
		for part := range slices.Chunk(fresh, 500) {
			rows := make([]BlockedIP, len(part))
			for i, ip := range part {
				rows[i] = BlockedIP{NodeID: n.ID, IP: ip, Revision: revision, At: bl.db.Now()}
			}
			if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return stored, err
}

// blockable returns those of the addresses that n may block, each once and in one form.
func (bl *Blocklist) blockable(ctx context.Context, n Node, ips []string) ([]string, error) {
	nodes, err := bl.registry.List(ctx)
	if err != nil {
		return nil, err
	}
	spared := map[netip.Addr]bool{}
	spare := func(host string) {
		if ip, err := netip.ParseAddr(host); err == nil {
			spared[ip.Unmap()] = true
		}
	}
	for _, n := range nodes {
		spare(n.Address)
		for _, r := range n.Relays {
			spare(r.Host)
		}
		for _, e := range n.GroupHosts {
			spare(e.Host)
		}
	}
	var fit []string
	for _, text := range ips {
		ip, err := netip.ParseAddr(strings.TrimSpace(text))
		ip = ip.Unmap().WithZone("")
		if err != nil || !ip.IsGlobalUnicast() || ip.IsPrivate() || spared[ip] || len(fit) == maxBlocked {
			continue
		}
		spared[ip] = true
		fit = append(fit, ip.String())
	}
	var used []string
	if err := bl.db.NewRaw(`SELECT DISTINCT ip FROM online_ip WHERE last_at > ? AND node_id <> ? AND ip IN (?)`,
		bl.db.Now().Add(-blockedFor), n.ID, bun.List(fit)).Scan(ctx, &used); err != nil &&
		!errors.Is(err, db.ErrNoRows) {
		return nil, err
	}
	return without(fit, used), nil
}

// without returns the ips that others does not contain.
func without(ips, others []string) []string {
	slices.Sort(others)
	return slices.DeleteFunc(slices.Clone(ips), func(ip string) bool {
		_, found := slices.BinarySearch(others, ip)
		return found
	})
}

// BlockedRecently returns what was blocked within recently and still is.
func (bl *Blocklist) BlockedRecently(ctx context.Context) ([]BlockedIP, error) {
	var rows []BlockedIP
	err := bl.db.NewSelect().Model(&rows).Where("at > ? AND unblocked_at IS NULL", bl.db.Now().Add(-recently)).
		OrderExpr("id").Scan(ctx)
	return rows, err
}

// BlockFilter selects blocked addresses: those that begin with IP and that the node asked to block; empty and 0: all.
type BlockFilter struct {
	IP     string
	NodeID int64
	Before int64 // only rows with smaller ids, such as those after a page; they count nevertheless. 0: all
}

// List returns a page of the blocked addresses, the newest first, and the number of all of them. A page by
// BlockFilter.Before costs the same wherever it is; offset is for the first few.
func (bl *Blocklist) List(ctx context.Context, f BlockFilter, limit, offset int64) (rows []BlockedIP, total int64,
	err error,
) {
	found := func() *bun.SelectQuery {
		q := bl.db.NewSelect().Model(&rows).Where("unblocked_at IS NULL")
		if f.IP != "" {
			q = q.Where("ip >= ? AND ip < ?", f.IP, f.IP+"\U0010ffff")
		}
		if f.NodeID != 0 {
			q = q.Where("node_id = ?", f.NodeID)
		}
		return q
	}
	if total, err = found().Count(ctx); err != nil {
		return nil, 0, err
	}
	q := found()
	if f.Before != 0 {
		q = q.Where("id < ?", f.Before)
	}
	err = q.OrderExpr("id DESC").Limit(limit).Offset(offset).Scan(ctx)
	return rows, total, err
}

// UnblockedRecently returns what was unblocked within recently.
func (bl *Blocklist) UnblockedRecently(ctx context.Context) ([]BlockedIP, error) {
	var rows []BlockedIP
	err := bl.db.NewSelect().Model(&rows).Where("unblocked_at > ?", bl.db.Now().Add(-recently)).OrderExpr("id").Scan(ctx)
	return rows, err
}

// Unblock unblocks an address, whichever nodes asked to block it.
func (bl *Blocklist) Unblock(ctx context.Context, text string) error {
	ip, err := netip.ParseAddr(strings.TrimSpace(text))
	if err != nil {
		return fault.Invalid("ip", "format", "请填写 IP 地址", "This is not an IP address")
	}
	n, err := bl.unblock(ctx, "ip = ?", ip.Unmap().WithZone("").String())
	if err == nil && n == 0 {
		return ErrNotBlocked
	}
	return err
}

// unblockOld unblocks what has been blocked for blockedFor.
func (bl *Blocklist) unblockOld(ctx context.Context) error {
	_, err := bl.unblock(ctx, "at < ?", bl.db.Now().Add(-blockedFor))
	return err
}

func (bl *Blocklist) unblock(ctx context.Context, condition string, value any) (n int64, err error) {
	err = bl.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		found, err := tx.NewSelect().Model((*BlockedIP)(nil)).Where("unblocked_at IS NULL").Where(condition, value).
			Exists(ctx)
		if err != nil || !found {
			return err
		}
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		n, err = db.Changed(tx.NewUpdate().Model((*BlockedIP)(nil)).Set("unblocked_at = ?", bl.db.Now()).
			Set("revision = ?", revision).
			Where("unblocked_at IS NULL").Where(condition, value).Exec(ctx))
		if err != nil {
			return err
		}
		lifted := audit.Object{Kind: "blocked_address", ID: fmt.Sprint(value)}
		return audit.Record(ctx, tx, "node.blocked_address.lift", lifted, map[string]any{"blocked": true},
			map[string]any{"blocked": false}, "")
	})
	return n, err
}

// Blocked returns those of the addresses that are blocked now.
func (bl *Blocklist) Blocked(ctx context.Context, ips []string) (blocked []string, err error) {
	if len(ips) == 0 {
		return nil, nil
	}
	err = bl.db.NewSelect().Model((*BlockedIP)(nil)).Distinct().Column("ip").Where("unblocked_at IS NULL").
		Where("ip IN (?)", bun.List(ips)).OrderExpr("ip").Scan(ctx, &blocked)
	return blocked, err
}

// addresses returns the addresses that are blocked now, each once.
func (bl *Blocklist) addresses(ctx context.Context) ([]string, error) {
	var ips []string
	err := bl.db.NewSelect().Model((*BlockedIP)(nil)).Distinct().Column("ip").Where("unblocked_at IS NULL").
		OrderExpr("ip").Scan(ctx, &ips)
	return ips, err
}

// since returns the addresses that were blocked or unblocked after a revision, by their state now: several nodes may
// have asked for one.
func (bl *Blocklist) since(ctx context.Context, revision int64) (blocked, unblocked []string, err error) {
	var rows []struct {
		IP   string
		Held int
	}
	err = bl.db.NewRaw(`SELECT ip, MAX(CASE WHEN unblocked_at IS NULL THEN 1 ELSE 0 END) AS held FROM blocked_ip
		WHERE ip IN (SELECT ip FROM blocked_ip WHERE revision > ?) GROUP BY ip ORDER BY ip`, revision).Scan(ctx, &rows)
	for _, r := range rows {
		if r.Held == 1 {
			blocked = append(blocked, r.IP)
		} else {
			unblocked = append(unblocked, r.IP)
		}
	}
	return blocked, unblocked, err
}
