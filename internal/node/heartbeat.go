package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/uptrace/bun"
)

// Heartbeat stores what n's agent, an airstrip-node, reports of itself and who is online on it. double reports whether
// another agent claims to be n too, for which an alarm is raised. Values that are no addresses are dropped, and so are
// users whose bytes on n would not count: a leaked secret must not occupy device slots of other nodes' users.
func (ps *Presence) Heartbeat(ctx context.Context, n Node, st State, online []OnlineIP) (double bool, err error) {
	st.NodeID, st.SeenAt = n.ID, ps.db.Now()
	if double, err = ps.double(ctx, st); err != nil {
		return false, err
	}
	online, err = ps.ofItsUsers(ctx, n, validOnline(n.ID, online, st.SeenAt))
	if err != nil {
		return false, err
	}
	st.OnlineUsers = usersOf(online)
	for i := range online {
		online[i].Slot = given
	}
	ps.monitor.contacts.Set(n.ID, st.SeenAt)
	news, written := ps.news(n.ID, online, st.SeenAt)
	err = ps.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := upsertState(ctx, tx, &st); err != nil {
			return err
		}
		return ps.upsertOnline(ctx, tx, news)
	})
	if err != nil {
		return false, err
	}
	ps.written.Set(n.ID, written)
	if double {
		slog.WarnContext(ctx, "two agents have the secret of one node", "node", n.ID, "boot", st.Boot)
		ps.monitor.Alarm(ctx, n, Doubled)
	}
	return double, nil
}

// Two agents with one secret send heartbeats alternately, each every 20 s. An older heartbeat proves nothing, and over
// this time the clocks of two machines do not diverge by more than the slack.
const (
	doubleWithin = time.Minute
	doubleSlack  = 5 * time.Second
)

// double reports whether another agent sent a heartbeat of the node while the agent that reports st was already
// running: both have the node's secret, and users reach two machines under one node's name.
func (ps *Presence) double(ctx context.Context, st State) (bool, error) {
	var rows []State
	if err := ps.db.NewSelect().Model(&rows).Where("node_id = ?", st.NodeID).Scan(ctx); err != nil || len(rows) == 0 {
		return false, err
	}
	last := rows[0]
	since := st.SeenAt.Sub(last.SeenAt) // below zero if the clock was set back
	return last.Boot != "" && last.Boot != st.Boot && since >= 0 && since < doubleWithin &&
		time.Duration(st.UptimeSeconds)*time.Second > since+doubleSlack, nil
}

// writtenFor is how long an address that a heartbeat named is not written again. It is short enough that an address
// whose next heartbeat is lost is still online when it is over.
const writtenFor = 45 * time.Second

// recentlyWritten holds which of a node's addresses this process wrote lately, so that a heartbeat, which rarely brings
// a new one, is compared in memory. The entry of a node without heartbeats expires.
type recentlyWritten struct {
	since time.Time // all of them were written at this time or after
	rows  map[userIP]bool
}

// news returns those of a node's addresses that are to be written at now, and what to remember once they are. These are
// the new ones, or all of them after writtenFor.
func (ps *Presence) news(nodeID int64, online []OnlineIP, now time.Time) (news []OnlineIP, then recentlyWritten) {
	before, _ := ps.written.Get(nodeID)
	if age := now.Sub(before.since); age < 0 || age >= writtenFor {
		before = recentlyWritten{since: now}
	}
	then = recentlyWritten{before.since, make(map[userIP]bool, len(online))}
	for _, o := range online {
		at := userIP{o.UserID, o.IP}
		if then.rows[at] = true; !before.rows[at] {
			news = append(news, o)
		}
	}
	return news, then
}
