package node

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
)

// Health says whether a node's agent was heard of lately.
type Health string

// The states of health, by the time of the last sign of life.
const (
	Online  Health = "online"  // within 90 s
	Late    Health = "late"    // within 300 s
	Offline Health = "offline" // longer ago, or never
)

// State is the last thing that a node's agent said of itself. Rates are bytes a second.
type State struct {
	bun.BaseModel  `bun:"table:node_state"`
	NodeID         int64 `bun:",pk"`
	SeenAt         time.Time
	Version        string // of the agent; empty where it does not say
	Boot           string
	Revision       int64
	UptimeSeconds  int64
	Load           []float64 `bun:"type:jsonb"` // of 1, 5 and 15 minutes
	CPUPermille    int64     `bun:"cpu_permille"`
	MemoryPermille int64
	UpBPS          int64 `bun:"up_bps"`
	DownBPS        int64 `bun:"down_bps"`
	Connections    int64
	OnlineUsers    int64
}

// Health gives the node's health at now.
func (s State) Health(now time.Time) Health {
	switch silent := now.Sub(s.SeenAt); {
	case silent < 90*time.Second:
		return Online
	case silent < 300*time.Second:
		return Late
	}
	return Offline
}

// Health gives a node's health now, from its state; the zero State is offline.
func (s *Nodes) Health(st State) Health { return st.Health(s.db.Now()) }

// States gives the states of all nodes that were ever heard of, by id.
func (s *Nodes) States(ctx context.Context) (map[int64]State, error) {
	var rows []State
	if err := s.db.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	by := make(map[int64]State, len(rows))
	for _, r := range rows {
		by[r.NodeID] = r
	}
	return by, nil
}

// Status keeps what n's agent said of itself and who is online on it. Addresses that are none are left out, and users whose
// bytes on n would not count: a secret that leaked must not take the places of other nodes' users.
func (s *Nodes) Status(ctx context.Context, n Node, st State, online []OnlineIP) error {
	st.NodeID, st.SeenAt = n.ID, s.db.Now()
	online, err := s.ofItsUsers(ctx, n, readable(n.ID, online, st.SeenAt))
	if err != nil {
		return err
	}
	users := map[int64]bool{}
	for i := range online {
		users[online[i].UserID], online[i].Place = true, given
	}
	st.OnlineUsers = int64(len(users))
	s.beats.Set(st.NodeID, st.SeenAt)
	news, kept := s.news(n.ID, online, st.SeenAt)
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := upsertState(ctx, tx, &st); err != nil {
			return err
		}
		return s.upsertOnline(ctx, tx, news)
	})
	if err == nil {
		s.kept.Set(n.ID, kept)
	}
	return err
}

// Vitals is what a foreign agent says of its machine, as in State; what is nil it did not say.
type Vitals struct {
	UptimeSeconds               *int64
	Load                        []float64
	CPUPermille, MemoryPermille *int64
	UpBPS, DownBPS              *int64
	Connections, OnlineUsers    *int64
}

// SetVitals keeps what a foreign agent says of its machine.
func (s *Nodes) SetVitals(ctx context.Context, nodeID int64, v Vitals) error {
	return s.edit(ctx, nodeID, func(st *State) {
		for known, said := range map[*int64]*int64{
			&st.UptimeSeconds: v.UptimeSeconds, &st.CPUPermille: v.CPUPermille, &st.MemoryPermille: v.MemoryPermille,
			&st.UpBPS: v.UpBPS, &st.DownBPS: v.DownBPS, &st.Connections: v.Connections, &st.OnlineUsers: v.OnlineUsers,
		} {
			if said != nil {
				*known = *said
			}
		}
		if v.Load != nil {
			st.Load = v.Load
		}
	})
}

// Seen notes a sign of life of a foreign agent, at most each 20 s, so that answers from a cache stay cheap.
func (s *Nodes) Seen(ctx context.Context, nodeID int64) error {
	now := s.db.Now()
	if last, ok := s.beats.GetIfPresent(nodeID); ok && now.Sub(last) < 20*time.Second {
		return nil
	}
	return s.edit(ctx, nodeID, func(*State) {})
}

// edit changes the node's state and notes a sign of life.
func (s *Nodes) edit(ctx context.Context, nodeID int64, change func(*State)) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var rows []State
		if err := tx.NewSelect().Model(&rows).Where("node_id = ?", nodeID).Scan(ctx); err != nil {
			return err
		}
		st := State{NodeID: nodeID, Load: []float64{0, 0, 0}}
		if len(rows) > 0 {
			st = rows[0]
		}
		change(&st)
		st.SeenAt = s.db.Now()
		s.beats.Set(nodeID, st.SeenAt)
		return upsertState(ctx, tx, &st)
	})
}

type minute struct {
	bun.BaseModel  `bun:"table:node_history"`
	NodeID         int64 `bun:",pk"`
	Minute         int64 `bun:",pk"`
	CPUPermille    int64 `bun:"cpu_permille"`
	MemoryPermille int64
	UpBPS          int64 `bun:"up_bps"`
	DownBPS        int64 `bun:"down_bps"`
	Connections    int64
	OnlineUsers    int64
}

// Bounds of what an agent may say of itself.
const (
	figureAtMost = 1 << 53 // what every reader of JSON can tell from its neighbours
	loadAtMost   = 1e6
)

// bound brings absurd figures back to the nearest that make sense.
func (s *State) bound() {
	for _, n := range []*int64{&s.Revision, &s.UptimeSeconds, &s.CPUPermille, &s.MemoryPermille, &s.UpBPS, &s.DownBPS, &s.Connections, &s.OnlineUsers} {
		*n = min(max(*n, 0), figureAtMost)
	}
	for i := range s.Load {
		s.Load[i] = min(max(s.Load[i], 0), loadAtMost)
	}
}

func upsertState(ctx context.Context, tx bun.Tx, st *State) error {
	st.bound()
	q := tx.NewInsert().Model(st).On("CONFLICT (node_id) DO UPDATE")
	for _, column := range []string{"seen_at", "version", "boot", "revision", "uptime_seconds", "load", "cpu_permille", "memory_permille", "up_bps", "down_bps", "connections", "online_users"} {
		q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
	}
	if _, err := q.Exec(ctx); err != nil {
		return err
	}
	m := &minute{
		NodeID: st.NodeID, Minute: st.SeenAt.Unix() / 60, CPUPermille: st.CPUPermille, MemoryPermille: st.MemoryPermille,
		UpBPS: st.UpBPS, DownBPS: st.DownBPS, Connections: st.Connections, OnlineUsers: st.OnlineUsers,
	}
	q = tx.NewInsert().Model(m).On("CONFLICT (node_id, minute) DO UPDATE")
	for _, column := range []string{"cpu_permille", "memory_permille", "up_bps", "down_bps", "connections", "online_users"} {
		q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
	}
	_, err := q.Exec(ctx)
	return err
}

// Register puts what the clock does with nodes on the timetable.
func (s *Nodes) Register(q *job.Queue) {
	q.Every("node.follow", job.Interval(time.Minute), func(ctx context.Context) error { return s.Follow(ctx) })
	q.Every("node.watch", job.Interval(time.Minute), s.watch)
	q.Every("node.link_groups", job.Interval(5*time.Minute), func(ctx context.Context) error { _, err := s.Deal(ctx, false); return err })
	q.Every("node.forget", job.Interval(time.Hour), s.forget)
	q.Every("node.unblock", job.Interval(time.Minute), s.unblockOld)
}

// forget removes logs that are older than the setting allows.
func (s *Nodes) forget(ctx context.Context) error {
	oldest := s.db.Now().AddDate(0, 0, -s.settings.Get().TrafficLogDays)
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, q := range []struct{ table, condition string }{
			{"online_ip", "last_at < ?"}, {"rule_hit", "at < ?"}, {"blocked_ip", "at < ?"}, {"node_outage", "ended_at < ?"}, {"speed_test", "at < ?"},
		} {
			if _, err := tx.NewRaw("DELETE FROM "+q.table+" WHERE "+q.condition, oldest).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw("DELETE FROM node_history WHERE minute < " + strconv.FormatInt(oldest.Unix()/60, 10)).Exec(ctx)
		return err
	})
}
