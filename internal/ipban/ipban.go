// Package ipban keeps the networks whose requests the site refuses for a time.
package ipban

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Ban refuses a network from its start to its end. Several may be of the same network.
type Ban struct {
	bun.BaseModel `bun:"table:ip_ban"`
	ID            int64     `bun:",pk,autoincrement"`
	Network       string    // CIDR
	StartsAt      time.Time // zero: now
	EndsAt        time.Time
	Reason        string // shown to who is refused
	Remark        string // for staff
	MadeBy        *int64 // member of staff
	CreatedAt     time.Time
	EndedAt       *time.Time // when somebody ended it
	EndedBy       *int64
}

// ErrBanned is the fault of a request from a banned network; its details name the reason and until when.
var ErrBanned = fault.Forbidden("ip_banned", "你所在的 IP 地址已被禁止访问本站", "Your IP address may not use this site")

const (
	revision = "ip_ban"
	maxText  = 500 // characters
)

// Bans are all bans.
type Bans struct {
	db      *db.DB
	current *db.Snapshot[list]
}

// list is what is asked for each request: the bans by network, and which lengths of prefixes there are.
type list struct {
	by      map[netip.Prefix][]Ban
	lengths []int
}

// New loads the bans in d.
func New(ctx context.Context, d *db.DB) (*Bans, error) {
	b := &Bans{db: d}
	b.current = db.NewSnapshot(d, revision, "bans of addresses", b.read)
	return b, b.current.Load(ctx)
}

// Follow keeps the bans current with what other processes change, until ctx ends.
func (b *Bans) Follow(ctx context.Context) { b.current.Follow(ctx) }

func (b *Bans) read(ctx context.Context) (list, error) {
	var bans []Ban
	if err := b.db.NewSelect().Model(&bans).Where("ended_at IS NULL AND ends_at > ?", b.db.Now()).OrderExpr("id").
		Scan(ctx); err != nil {
		return list{}, err
	}
	l := list{by: map[netip.Prefix][]Ban{}}
	for _, ban := range bans {
		network, err := parse(ban.Network)
		if err != nil {
			return list{}, err
		}
		l.by[network] = append(l.by[network], ban)
		if !slices.Contains(l.lengths, network.Bits()) {
			l.lengths = append(l.lengths, network.Bits())
		}
	}
	return l, nil
}

// Refuse gives ErrBanned where ip may not use the site now.
func (b *Bans) Refuse(ip netip.Addr) error {
	l, now := b.current.Get(), b.db.Now()
	for _, bits := range l.lengths {
		network, err := ip.Prefix(bits)
		if err != nil {
			continue // longer than an address of this kind
		}
		for _, ban := range l.by[network] {
			if !now.Before(ban.StartsAt) && now.Before(ban.EndsAt) {
				return ErrBanned.With(map[string]string{
					"ban_context": ban.Reason,
					"until":       ban.EndsAt.Format(time.RFC3339),
				})
			}
		}
	}
	return nil
}

// Add adds a ban that a member of staff makes from the address own, which it must not lock out. Wrong input is named as
// in the API: ip_cidr, task_end_at, ban_context, remark.
func (b *Bans) Add(ctx context.Context, ban Ban, own netip.Addr) (Ban, error) {
	now := b.db.Now()
	ban.CreatedAt, ban.Reason, ban.Remark = now, strings.TrimSpace(ban.Reason), strings.TrimSpace(ban.Remark)
	if ban.StartsAt.Before(now) {
		ban.StartsAt = now
	}
	ban.StartsAt, ban.EndsAt = ban.StartsAt.UTC().Truncate(time.Millisecond), ban.EndsAt.UTC().
		Truncate(time.Millisecond)
	network, err := parse(ban.Network)
	if err == nil {
		err = ban.check(network, own)
	}
	if err != nil {
		return ban, err
	}
	ban.Network = network.String()
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&ban).Exec(ctx); err != nil {
			return err
		}
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		after := map[string]any{"starts_at": ban.StartsAt, "ends_at": ban.EndsAt, "remark": ban.Remark}
		return audit.Record(ctx, tx, "network.ban", audit.Object{Kind: "network", ID: ban.Network}, nil, after,
			ban.Reason)
	})
	if err != nil {
		return ban, err
	}
	return ban, b.current.Load(ctx)
}

// parse reads an address or a network, of which the bits of the host do not count. IPv4 in IPv6 is IPv4.
func parse(cidr string) (netip.Prefix, error) {
	cidr = strings.TrimSpace(cidr)
	network, err := netip.ParsePrefix(cidr)
	if err != nil {
		ip, err := netip.ParseAddr(cidr)
		if err != nil || ip.Zone() != "" {
			return network, fault.Invalid("ip_cidr", "format", "请填写 IP 或网段，如 203.0.113.0/24",
				"This is neither an IP address nor a network such as 203.0.113.0/24")
		}
		network = netip.PrefixFrom(ip, ip.BitLen())
	}
	if ip := network.Addr(); ip.Is4In6() && network.Bits() >= 96 {
		network = netip.PrefixFrom(ip.Unmap(), network.Bits()-96)
	}
	return network.Masked(), nil
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// widest are the prefix lengths of the widest network that may be banned, which is about what one provider has: a ban
// of more than that would shut out most customers and colleagues by one call.
var widest = map[bool]int{true: 8, false: 16} // by whether it is IPv4

func (b *Ban) check(network netip.Prefix, own netip.Addr) error {
	var p fault.Problems
	p.When(network.Contains(own), "ip_cidr", "own_address", "该网段包含你自己现在的地址",
		"This network holds your own present address")
	p.When(slices.ContainsFunc(loopback, network.Overlaps), "ip_cidr", "loopback", "不能封禁本机地址",
		"The machine's own addresses cannot be banned")
	least := widest[network.Addr().Is4()]
	p.When(network.Bits() < least, "ip_cidr", "too_wide", fmt.Sprintf("网段过大，前缀至少为 /%d", least),
		fmt.Sprintf("This network is too wide; its prefix is at least /%d", least))
	p.When(!b.EndsAt.After(b.StartsAt), "task_end_at", "range", "结束时间必须晚于开始时间和现在",
		"The end must be after the start and after now")
	for name, text := range map[string]string{"ban_context": b.Reason, "remark": b.Remark} {
		p.When(utf8.RuneCountInString(text) > maxText, name, "too_long", "不能超过 500 个字符",
			"This must not be longer than 500 characters")
	}
	return p.Err()
}

// End ends all bans of exactly this network, those that wait for their start too, and tells how many.
func (b *Bans) End(ctx context.Context, cidr string, by *int64) (ended int64, err error) {
	network, err := parse(cidr)
	if err != nil {
		return 0, err
	}
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := b.db.Now()
		ended, err = db.Changed(tx.NewUpdate().Model((*Ban)(nil)).Set("ended_at = ?", now).Set("ended_by = ?", by).
			Where("network = ? AND ended_at IS NULL AND ends_at > ?", network.String(), now).Exec(ctx))
		if err == nil {
			_, err = db.Bump(ctx, tx, revision)
		}
		if err != nil {
			return err
		}
		after := map[string]any{"ended": ended}
		return audit.Record(ctx, tx, "network.unban", audit.Object{Kind: "network", ID: network.String()}, nil, after,
			"")
	})
	if err != nil {
		return 0, err
	}
	return ended, b.current.Load(ctx)
}

// List gives a part of the bans that run or wait for their start, the newest first, and how many there are.
func (b *Bans) List(ctx context.Context, limit, offset int64) (bans []Ban, total int64, err error) {
	total, err = b.db.NewSelect().Model(&bans).Where("ended_at IS NULL AND ends_at > ?", b.db.Now()).
		OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return bans, total, err
}
