package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/uptrace/bun"
)

// Heartbeat keeps what n's agent, one of ours, says of itself and who is online on it. double tells whether another agent
// says that it is n, too; whoever looks after nodes is told of that. Addresses that are none are left out, and users whose
// bytes on n would not count: a secret that leaked must not take the places of other nodes' users.
func (s *Nodes) Heartbeat(ctx context.Context, n Node, st State, online []OnlineIP) (double bool, err error) {
	st.NodeID, st.SeenAt = n.ID, s.db.Now()
	if double, err = s.double(ctx, st); err != nil {
		return false, err
	}
	online, err = s.ofItsUsers(ctx, n, readable(n.ID, online, st.SeenAt))
	if err != nil {
		return false, err
	}
	st.OnlineUsers = usersOf(online)
	for i := range online {
		online[i].Place = given
	}
	s.beats.Set(n.ID, st.SeenAt)
	news, kept := s.news(n.ID, online, st.SeenAt)
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := upsertState(ctx, tx, &st); err != nil {
			return err
		}
		return s.upsertOnline(ctx, tx, news)
	})
	if err != nil {
		return false, err
	}
	s.kept.Set(n.ID, kept)
	if double {
		slog.WarnContext(ctx, "two agents have the secret of one node", "node", n.ID, "boot", st.Boot)
		s.Alarm(ctx, n, Doubled)
	}
	return double, nil
}

// Two agents send heartbeats in turn, each 20 s. What is older says nothing, and the clocks of machines run alike this long.
const (
	doubleWithin = time.Minute
	doubleSlack  = 5 * time.Second
)

// double tells whether another agent was heard of as the node while the one that says st of itself ran already: both have the
// node's secret, and show users one node's name at two places.
func (s *Nodes) double(ctx context.Context, st State) (bool, error) {
	var rows []State
	if err := s.db.NewSelect().Model(&rows).Where("node_id = ?", st.NodeID).Scan(ctx); err != nil || len(rows) == 0 {
		return false, err
	}
	last := rows[0]
	since := st.SeenAt.Sub(last.SeenAt) // below zero if the clock was set back
	return last.Boot != "" && last.Boot != st.Boot && since >= 0 && since < doubleWithin && time.Duration(st.UptimeSeconds)*time.Second > since+doubleSlack, nil
}

// keptFor is how long a heartbeat of our agents adds nothing to an address that another one named: an address whose
// heartbeats stop, and one whose next heartbeat is lost, are still online when it is over.
const keptFor = 45 * time.Second

// kept is which of a node's addresses this process wrote lately, so that a heartbeat, most of which is no news, is compared
// in memory. What is known of nodes that fell silent goes.
type kept struct {
	since time.Time // all of them were written at this time or after
	rows  map[userIP]bool
}

// news gives those of a node's addresses that are to be written at now, and what is kept once they were. Either a few are
// new, or it is time for all.
func (s *Nodes) news(nodeID int64, online []OnlineIP, now time.Time) (news []OnlineIP, then kept) {
	before, _ := s.kept.GetIfPresent(nodeID)
	if age := now.Sub(before.since); age < 0 || age >= keptFor {
		before = kept{since: now}
	}
	then = kept{before.since, make(map[userIP]bool, len(online))}
	for _, o := range online {
		at := userIP{o.UserID, o.IP}
		if then.rows[at] = true; !before.rows[at] {
			news = append(news, o)
		}
	}
	return news, then
}
