package node

import "time"

// keptFor is how long a heartbeat of our agents adds nothing to an address that another one named: an address whose
// heartbeats stop, and one whose next heartbeat is lost, are still online when it is over.
const keptFor = 45 * time.Second

// kept is which of a node's addresses this process wrote lately, so that a heartbeat, most of which is no news, is compared
// in memory. What is known of nodes that fell silent goes.
type kept struct {
	since time.Time // all of them were written at this time or after
	rows  map[whereabout]bool
}

// whereabout is one user at one address.
type whereabout struct {
	userID int64
	ip     string
}

// news gives those of a node's addresses that are to be written at now, and what is kept once they were. Either a few are
// new, or it is time for all.
func (s *Nodes) news(nodeID int64, online []OnlineIP, now time.Time) (news []OnlineIP, then kept) {
	before, _ := s.kept.GetIfPresent(nodeID)
	if age := now.Sub(before.since); age < 0 || age >= keptFor {
		before = kept{since: now}
	}
	then = kept{before.since, make(map[whereabout]bool, len(online))}
	for _, o := range online {
		at := whereabout{o.UserID, o.IP}
		if then.rows[at] = true; !before.rows[at] {
			news = append(news, o)
		}
	}
	return news, then
}
