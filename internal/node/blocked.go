package node

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// BlockedIP is an address that a node asked all nodes to block, as attackers of its ports.
type BlockedIP struct {
	bun.BaseModel `bun:"table:blocked_ip"`
	ID            int64 `bun:",pk,autoincrement"`
	NodeID        int64
	IP            string
	Revision      int64
	At            time.Time
	UnblockedAt   *time.Time // nil: it is blocked
}

// blockedFor is how long an address stays blocked where nobody lets it go before.
const blockedFor = 24 * time.Hour

// told is for how long agents of others are told that an address was blocked or let go; they ask each minute.
const told = time.Minute

// ErrNotBlocked is the fault of an address that is not blocked.
var ErrNotBlocked = fault.NotFound("ip_not_blocked", "该 IP 没有被封锁", "This address is not blocked")

// BlockIPs keeps addresses that n asks all nodes to block and gives how many it kept: each once, public ones only, and
// never those of nodes and of the ways to them, so that no node can cut off the others.
func (s *Nodes) BlockIPs(ctx context.Context, n Node, ips []string) (int, error) {
	nodes, err := s.List(ctx)
	if err != nil {
		return 0, err
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
	var rows []BlockedIP
	for _, text := range ips {
		ip, err := netip.ParseAddr(strings.TrimSpace(text))
		ip = ip.Unmap().WithZone("")
		if err != nil || !ip.IsGlobalUnicast() || ip.IsPrivate() || spared[ip] {
			continue
		}
		spared[ip] = true
		rows = append(rows, BlockedIP{NodeID: n.ID, IP: ip.String(), At: s.db.Now()})
	}
	if len(rows) == 0 {
		return 0, nil
	}
	return len(rows), s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Revision = revision
		}
		for part := range slices.Chunk(rows, 500) {
			if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// BlockedIPs gives what was asked to be blocked in the last minute and is still.
func (s *Nodes) BlockedIPs(ctx context.Context) ([]BlockedIP, error) {
	var rows []BlockedIP
	err := s.db.NewSelect().Model(&rows).Where("at > ? AND unblocked_at IS NULL", s.db.Now().Add(-told)).OrderExpr("id").Scan(ctx)
	return rows, err
}

// AllBlockedIPs gives a part of what is blocked now, the newest first, and how many there are.
func (s *Nodes) AllBlockedIPs(ctx context.Context, limit, offset int64) (rows []BlockedIP, total int64, err error) {
	total, err = s.db.NewSelect().Model(&rows).Where("unblocked_at IS NULL").OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return rows, total, err
}

// UnblockedIPs gives what was let go in the last minute.
func (s *Nodes) UnblockedIPs(ctx context.Context) ([]BlockedIP, error) {
	var rows []BlockedIP
	err := s.db.NewSelect().Model(&rows).Where("unblocked_at > ?", s.db.Now().Add(-told)).OrderExpr("id").Scan(ctx)
	return rows, err
}

// UnblockIP lets an address go, whichever nodes asked to block it.
func (s *Nodes) UnblockIP(ctx context.Context, text string) error {
	ip, err := netip.ParseAddr(strings.TrimSpace(text))
	if err != nil {
		return fault.Invalid("ip", "format", "请填写 IP 地址", "This is not an IP address")
	}
	n, err := s.unblock(ctx, "ip = ?", ip.Unmap().WithZone("").String())
	if err == nil && n == 0 {
		return ErrNotBlocked
	}
	return err
}

// unblockOld lets go what was blocked long ago.
func (s *Nodes) unblockOld(ctx context.Context) error {
	_, err := s.unblock(ctx, "at < ?", s.db.Now().Add(-blockedFor))
	return err
}

func (s *Nodes) unblock(ctx context.Context, condition string, value any) (n int64, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		found, err := tx.NewSelect().Model((*BlockedIP)(nil)).Where("unblocked_at IS NULL").Where(condition, value).Exists(ctx)
		if err != nil || !found {
			return err
		}
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		n, err = db.Changed(tx.NewUpdate().Model((*BlockedIP)(nil)).Set("unblocked_at = ?", s.db.Now()).Set("revision = ?", revision).
			Where("unblocked_at IS NULL").Where(condition, value).Exec(ctx))
		return err
	})
	return n, err
}

// blocked gives the addresses that are blocked now, each once.
func (s *Nodes) blocked(ctx context.Context) ([]string, error) {
	var ips []string
	err := s.db.NewSelect().Model((*BlockedIP)(nil)).Distinct().Column("ip").Where("unblocked_at IS NULL").OrderExpr("ip").Scan(ctx, &ips)
	return ips, err
}

// blockedSince gives the addresses that were blocked or let go after a revision, by what is true of them now: several nodes
// may have asked for one.
func (s *Nodes) blockedSince(ctx context.Context, revision int64) (blocked, unblocked []string, err error) {
	var rows []struct {
		IP   string
		Held int
	}
	err = s.db.NewRaw(`SELECT ip, MAX(CASE WHEN unblocked_at IS NULL THEN 1 ELSE 0 END) AS held FROM blocked_ip
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
