package node

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/service"
)

// A user's device limit holds over all nodes together. Each address at which the user is online occupies a device slot
// until its nodes report that they have cut it, or have not named it for onlineFor. A new address that finds no free
// slot has the oldest address cut and waits until that is done, so the limit is never exceeded. Addresses on nodes of
// third-party agents occupy slots too, but those agents cannot be asked to cut them.

// DeviceSlots assigns device slots to the addresses of users.
type DeviceSlots struct {
	db        *db.DB
	services  *service.Services
	admission *Admission
}

// slotState is the state of an address in its device slot.
type slotState string

const (
	reported slotState = "reported" // by a third-party agent
	given    slotState = "given"    // to an address on a node of ours
	leaving  slotState = "leaving"  // its agent is to cut it
	gone     slotState = "gone"     // it was cut
)

// awayFor is how long an address that lost its slot is admitted again only into a free one. Without it two devices that
// both reconnect at once would replace each other for ever.
const awayFor = time.Minute

// devices is the name of the revision that grows when an address is to be cut, and when it was cut.
const devices = "device"

// Answer is the result of a request for a device slot.
type Answer int

// The answers. Wait means that another address is being cut and is not gone yet.
const (
	Refused Answer = iota
	Admitted
	Wait
)

// Watch returns a channel that holds a value after an address was to be cut or was cut. The caller calls stop
// when it is done.
func (ds *DeviceSlots) Watch() (changes <-chan int64, stop func()) { return ds.db.Watch(devices) }

// Admit assigns a device slot to the user's address on n, or reports why it has none yet. Repeating the call is
// harmless.
func (ds *DeviceSlots) Admit(ctx context.Context, n Node, userID int64, address netip.Addr) (answer Answer, err error) {
	if admitted, err := ds.admission.Admitted(ctx, n, []int64{userID}); err != nil || !admitted[userID] {
		return Refused, err
	}
	ip := address.Unmap().WithZone("").String()
	err = ds.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		limit, err := service.LockDevices(ctx, tx, userID)
		if err != nil {
			return err
		}
		now := ds.db.Now()
		all, err := ds.addresses(ctx, tx, userID)
		if err != nil {
			return err
		}
		if answer = all.answer(ip, limit); answer == Wait {
			evict := all.oldest(limit - 1)
			if len(evict) == 0 && all.leaving() == 0 {
				answer = Refused
			}
			return ds.evict(ctx, tx, userID, evict)
		}
		if answer == Refused {
			return nil
		}
		row := &OnlineIP{UserID: userID, NodeID: n.ID, IP: ip, FirstAt: now, LastAt: now, Since: now, Slot: given}
		_, err = tx.NewInsert().Model(row).On("CONFLICT (user_id, node_id, ip) DO UPDATE").
			Set("last_at = EXCLUDED.last_at, place = EXCLUDED.place").
			Set("since = CASE WHEN online_ip.last_at > ? AND online_ip.place <> ? THEN online_ip.since ELSE "+
				"EXCLUDED.since END", now.Add(-onlineFor), gone).Exec(ctx)
		return err
	})
	return answer, err
}

// RecordCut stores that n's agent has cut the user's addresses, as it was asked to.
func (ds *DeviceSlots) RecordCut(ctx context.Context, n Node, userID int64, ips []string) error {
	return ds.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		changed, err := db.Changed(tx.NewUpdate().Model((*OnlineIP)(nil)).Set("place = ?", gone).
			Where("user_id = ? AND node_id = ? AND place = ? AND ip IN (?)", userID, n.ID, leaving, bun.List(ips)).
			Exec(ctx))
		if err == nil && changed > 0 {
			_, err = db.Bump(ctx, tx, devices)
		}
		return err
	})
}

// AddressesToCut returns the addresses that n's agent is to cut, by user.
func (ds *DeviceSlots) AddressesToCut(ctx context.Context, n Node) ([]OnlineIP, error) {
	var rows []OnlineIP
	err := ds.db.NewSelect().Model(&rows).Where("node_id = ? AND place = 'leaving' AND last_at > ?", n.ID, ds.db.Now().
		Add(-onlineFor)).OrderExpr("user_id, ip").Scan(ctx)
	return rows, err
}

// evictAll has the oldest addresses of the users cut where there are more than the limit.
func (ds *DeviceSlots) evictAll(ctx context.Context, tx bun.Tx, userIDs []int64) error {
	slices.Sort(userIDs)
	limited, err := ds.services.Limited(ctx, slices.Compact(userIDs), 0, 0) // on any node
	if err != nil {
		return err
	}
	for _, id := range limited {
		limit, err := service.LockDevices(ctx, tx, id)
		if err != nil {
			return err
		}
		if limit == 0 {
			continue
		}
		all, err := ds.addresses(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := ds.evict(ctx, tx, id, all.oldest(limit)); err != nil {
			return err
		}
	}
	return nil
}

func (ds *DeviceSlots) evict(ctx context.Context, tx bun.Tx, userID int64, ips []string) error {
	if len(ips) == 0 {
		return nil
	}
	_, err := tx.NewUpdate().Model((*OnlineIP)(nil)).Set("place = ?, evicted_at = ?", leaving, ds.db.Now()).
		Where("user_id = ? AND place = ? AND ip IN (?)", userID, given, bun.List(ips)).Exec(ctx)
	if err == nil {
		_, err = db.Bump(ctx, tx, devices)
	}
	return err
}

// addresses are the addresses of one user by IP: those that hold a device slot, and those that lost one recently.
type addresses map[string]*address

type address struct {
	ip      string
	since   time.Time
	held    bool // it has a slot, on some node
	leaving bool // all of its nodes are to cut it
	firm    bool // some node that serves it has a third-party agent, which cannot cut it
	away    bool // it lost its slot within awayFor
}

func (ds *DeviceSlots) addresses(ctx context.Context, tx bun.Tx, userID int64) (addresses, error) {
	var rows []OnlineIP
	now := ds.db.Now()
	if err := tx.NewSelect().Model(&rows).Where("user_id = ? AND last_at > ?", userID, now.Add(-onlineFor)).
		Scan(ctx); err != nil {
		return nil, err
	}
	all := addresses{}
	for _, r := range rows {
		a := all[r.IP]
		if a == nil {
			a = &address{ip: r.IP, since: r.Since, leaving: true}
			all[r.IP] = a
		}
		a.away = a.away || (r.EvictedAt != nil && now.Sub(*r.EvictedAt) < awayFor)
		if r.Slot == gone {
			continue
		}
		a.held, a.firm, a.leaving = true, a.firm || r.Slot == reported, a.leaving && r.Slot == leaving
		if r.Since.Before(a.since) {
			a.since = r.Since
		}
	}
	return all, nil
}

// answer returns the answer to an address that requests a slot.
func (all addresses) answer(ip string, limit int) Answer {
	a := all[ip]
	switch {
	case limit == 0:
		return Admitted
	case a != nil && a.held && !a.leaving:
		return Admitted
	case a != nil && a.held:
		return Refused
	case len(all.held()) < limit:
		return Admitted
	case a != nil && a.away:
		return Refused
	}
	return Wait
}

func (all addresses) held() []*address {
	var held []*address
	for _, a := range all {
		if a.held {
			held = append(held, a)
		}
	}
	return held
}

func (all addresses) leaving() int {
	n := 0
	for _, a := range all.held() {
		if a.leaving {
			n++
		}
	}
	return n
}

// oldest returns the addresses to cut, the oldest first, so that at most remaining stay.
func (all addresses) oldest(remaining int) []string {
	held := all.held()
	over := len(held) - all.leaving() - remaining
	held = slices.DeleteFunc(held, func(a *address) bool { return a.leaving || a.firm })
	slices.SortFunc(held, func(a, b *address) int { return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.ip, b.ip)) })
	var ips []string
	for _, a := range held[:max(0, min(over, len(held)))] {
		ips = append(ips, a.ip)
	}
	return ips
}
