package node

import (
	"sync"
	"time"
)

// keptFor is how long a heartbeat of our agents adds nothing to an address that another one named: an address whose
// heartbeats stop, and one whose next heartbeat is lost, are still online when it is over.
const keptFor = 45 * time.Second

// kept is which addresses this process wrote for nodes of ours lately, so that a heartbeat, most of which is no news, is
// compared in memory.
type kept struct {
	mu sync.Mutex
	by map[int64]keptOf
}

type keptOf struct {
	since time.Time // all of them were written at this time or after
	rows  map[whereabout]bool
}

// whereabout is one user at one address.
type whereabout struct {
	userID int64
	ip     string
}

// news gives those of a node's addresses that are to be written at now, and the call that notes that they were. Either a
// few are new, or it is time for all.
func (k *kept) news(nodeID int64, online []OnlineIP, now time.Time) (news []OnlineIP, written func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.by[nodeID]
	if age := now.Sub(before.since); age < 0 || age >= keptFor {
		before = keptOf{since: now}
	}
	rows := make(map[whereabout]bool, len(online))
	for _, o := range online {
		at := whereabout{o.UserID, o.IP}
		if rows[at] = true; !before.rows[at] {
			news = append(news, o)
		}
	}
	return news, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.by == nil {
			k.by = map[int64]keptOf{}
		}
		k.by[nodeID] = keptOf{before.since, rows}
	}
}
