package link

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/listing"
)

// FetchList declares the list of the fetches of all links. Who has users searches it by them.
func FetchList() *listing.Resource {
	return &listing.Resource{
		Name: "link_fetches", Table: "link_fetch", ID: "id", Default: "-fetched",
		Filters: []listing.Filter{
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Whose link"},
			{Key: "client", Kind: listing.Choice, Column: "client", Doc: "Program that fetched it"},
			{Key: "format", Kind: listing.Choice, Column: "format", Doc: "Format of the file"},
			{
				Key: "area", Kind: listing.Choice, Column: "area", Spelling: strings.ToUpper,
				Doc: "Country of the address",
			},
			{Key: "ip", Kind: listing.Choice, Column: "ip", Spelling: address, Doc: "Address"},
			{Key: "status", Kind: listing.Range, Column: "status", Doc: "Status of the answer"},
			{Key: "fetched", Kind: listing.Date, Column: "fetched_at", Doc: "When"},
		},
		Sorts: []listing.Sort{{Key: "fetched", Column: "fetched_at", Kind: listing.Time}},
	}
}

// address spells a typed IP address as the log does. What is none stays as it is, and is nowhere in the log.
func address(typed string) string {
	if ip, err := netip.ParseAddr(typed); err == nil {
		return ip.Unmap().String()
	}
	return typed
}

// FetchesByID returns the fetches with these numbers, in any order.
func (l *Links) FetchesByID(ctx context.Context, ids []int64) (fetches []Fetch, err error) {
	err = l.db.NewSelect().Model(&fetches).Where("id IN (?)", bun.List(ids)).Scan(ctx)
	return fetches, err
}

// Spread is a link that was fetched from many networks.
type Spread struct {
	UserID   int64
	Networks int64
	Areas    int64
	Fetches  int64
	LastAt   time.Time
	ResetAt  time.Time // When the token was made.
}

// Spreads returns the links that were fetched with their present tokens from at least so many networks in the
// last time, those from most networks first, and how many there are.
func (l *Links) Spreads(ctx context.Context, within time.Duration, least, limit, offset int64) (
	spreads []Spread, total int64, err error,
) {
	const found = `SELECT f.user_id, count(DISTINCT f.network) AS networks, count(DISTINCT f.area) AS areas,
		count(*) AS fetches, max(f.fetched_at) AS last_at, max(t.updated_at) AS reset_at
		FROM link_fetch f JOIN link_token t ON t.user_id = f.user_id
		WHERE f.fetched_at > ? AND f.fetched_at >= t.updated_at AND f.status IN (200, 304)
		GROUP BY f.user_id HAVING count(DISTINCT f.network) >= ?`
	since := l.db.Now().Add(-within)
	if err := l.db.NewRaw(`SELECT count(*) FROM (`+found+`) AS s`, since, least).Scan(ctx, &total); err != nil {
		return nil, 0, err
	}
	err = l.db.NewRaw(found+` ORDER BY networks DESC, f.user_id LIMIT ? OFFSET ?`, since, least, limit, offset).
		Scan(ctx, &spreads)
	return spreads, total, err
}
