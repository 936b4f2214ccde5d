package node

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// ManyAddresses is a user who was connected from many addresses.
type ManyAddresses struct {
	UserID    int64
	Addresses int64 // an IPv6 network of 64 bits counts as one, since devices change within it
	LastAt    time.Time
}

// ManyAddresses returns the users who were connected from so many addresses or more since then, those with the most
// first.
func (ps *Presence) ManyAddresses(ctx context.Context, since time.Time, least int64) (all []ManyAddresses, err error) {
	var users []int64
	if err := ps.db.NewRaw(`SELECT user_id FROM online_ip WHERE last_at > ? GROUP BY user_id
		HAVING count(DISTINCT ip) >= ?`, since, least).Scan(ctx, &users); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(users, 500) {
		var online []OnlineIP
		if err := ps.db.NewSelect().Model(&online).Column("user_id", "ip", "last_at").Where("last_at > ?", since).
			Where("user_id IN (?)", bun.List(some)).OrderExpr("user_id").Scan(ctx, &online); err != nil {
			return nil, err
		}
		for len(online) > 0 {
			end := slices.IndexFunc(online, func(o OnlineIP) bool { return o.UserID != online[0].UserID })
			if end < 0 {
				end = len(online)
			}
			if one := addressesOf(online[:end]); one.Addresses >= least {
				all = append(all, one)
			}
			online = online[end:]
		}
	}
	slices.SortFunc(all, func(a, b ManyAddresses) int {
		return cmp.Or(cmp.Compare(b.Addresses, a.Addresses), cmp.Compare(a.UserID, b.UserID))
	})
	return all, nil
}

// addressesOf counts the addresses of one user.
func addressesOf(online []OnlineIP) ManyAddresses {
	out, networks := ManyAddresses{UserID: online[0].UserID}, map[string]bool{}
	for _, o := range online {
		networks[networkOf(o.IP)] = true
		if o.LastAt.After(out.LastAt) {
			out.LastAt = o.LastAt
		}
	}
	out.Addresses = int64(len(networks))
	return out
}

// networkOf returns the network of an IPv6 address, and other texts as they are.
func networkOf(ip string) string {
	if a, err := netip.ParseAddr(ip); err == nil && a.Is6() && !a.Is4In6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip
}
