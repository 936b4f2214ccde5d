package node

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/cache"
	"airstrip/internal/db"
	"airstrip/internal/setting"
)

// Health says whether a node's agent was in contact recently.
type Health string

// The states of health, by the time since the last contact.
const (
	Online  Health = "online"  // within 90 s
	Late    Health = "late"    // within 300 s
	Offline Health = "offline" // longer ago, or never
)

// State is what a node's agent last reported of itself. Rates are bytes per second.
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

// Health returns the node's health at now; of the zero State it is offline.
func (s State) Health(now time.Time) Health {
	switch silent := now.Sub(s.SeenAt); {
	case silent < 90*time.Second:
		return Online
	case silent < 300*time.Second:
		return Late
	}
	return Offline
}

// Monitor stores what agents report of their machines, and records outages and alarms.
type Monitor struct {
	db       *db.DB
	settings *setting.Settings
	contacts *cache.Cache[int64, time.Time] // when each node's agent was last in contact
	onOutage []func(ctx context.Context, tx bun.Tx, n Node, o Outage) error
	onAlarm  []func(ctx context.Context, tx bun.Tx, n Node, why Alarm) error
}

// States returns the states of all nodes that were ever in contact, by id.
func (mo *Monitor) States(ctx context.Context) (map[int64]State, error) {
	var rows []State
	if err := mo.db.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	by := make(map[int64]State, len(rows))
	for _, r := range rows {
		by[r.NodeID] = r
	}
	return by, nil
}

// Vitals is what a third-party agent reports of its machine, as in State; nil: not reported.
type Vitals struct {
	UptimeSeconds               *int64
	Load                        []float64
	CPUPermille, MemoryPermille *int64
	UpBPS, DownBPS              *int64
	Connections, OnlineUsers    *int64
}

// SetVitals stores what a third-party agent reports of its machine.
func (mo *Monitor) SetVitals(ctx context.Context, nodeID int64, v Vitals) error {
	return mo.edit(ctx, nodeID, func(st *State) {
		for stored, reported := range map[*int64]*int64{
			&st.UptimeSeconds: v.UptimeSeconds, &st.CPUPermille: v.CPUPermille, &st.MemoryPermille: v.MemoryPermille,
			&st.UpBPS: v.UpBPS, &st.DownBPS: v.DownBPS, &st.Connections: v.Connections, &st.OnlineUsers: v.OnlineUsers,
		} {
			if reported != nil {
				*stored = *reported
			}
		}
		if v.Load != nil {
			st.Load = v.Load
		}
	})
}

// RecordContact stores that a third-party agent was in contact, every 20 s at most, so that answers from a cache stay
// cheap.
func (mo *Monitor) RecordContact(ctx context.Context, nodeID int64) error {
	now := mo.db.Now()
	if last, ok := mo.contacts.Get(nodeID); ok && now.Sub(last) < 20*time.Second {
		return nil
	}
	return mo.edit(ctx, nodeID, func(*State) {})
}

// edit changes the node's state and records the contact.
func (mo *Monitor) edit(ctx context.Context, nodeID int64, change func(*State)) error {
	return mo.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return mo.editIn(ctx, tx, nodeID, change) })
}

func (mo *Monitor) editIn(ctx context.Context, tx bun.Tx, nodeID int64, change func(*State)) error {
	var rows []State
	if err := tx.NewSelect().Model(&rows).Where("node_id = ?", nodeID).Scan(ctx); err != nil {
		return err
	}
	st := State{NodeID: nodeID, Load: []float64{0, 0, 0}}
	if len(rows) > 0 {
		st = rows[0]
	}
	change(&st)
	st.SeenAt = mo.db.Now()
	mo.contacts.Set(nodeID, st.SeenAt)
	return upsertState(ctx, tx, &st)
}

// Bounds of what an agent may report of itself.
const (
	maxFigure = 1 << 53 // every JSON reader represents integers up to it exactly
	maxLoad   = 1e6
)

// bound limits impossible figures to the nearest possible ones.
func (s *State) bound() {
	for _, n := range []*int64{
		&s.Revision, &s.UptimeSeconds, &s.CPUPermille, &s.MemoryPermille, &s.UpBPS, &s.DownBPS,
		&s.Connections, &s.OnlineUsers,
	} {
		*n = min(max(*n, 0), maxFigure)
	}
	for i := range s.Load {
		s.Load[i] = min(max(s.Load[i], 0), maxLoad)
	}
}

func upsertState(ctx context.Context, tx bun.Tx, st *State) error {
	st.bound()
	columns := []string{
		"seen_at", "version", "boot", "revision", "uptime_seconds", "load", "cpu_permille",
		"memory_permille", "up_bps", "down_bps", "connections", "online_users",
	}
	if _, err := overwrite(tx.NewInsert().Model(st).On("CONFLICT (node_id) DO UPDATE"), columns...).
		Exec(ctx); err != nil {
		return err
	}
	return addToHistory(ctx, tx, st)
}

// overwrite sets the columns to their new values where the row exists already.
func overwrite(q *bun.InsertQuery, columns ...string) *bun.InsertQuery {
	for _, column := range columns {
		q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
	}
	return q
}

// forget removes the logs of nodes that are older than the setting allows.
func (mo *Monitor) forget(ctx context.Context) error {
	oldest := mo.db.Now().AddDate(0, 0, -mo.settings.Get().TrafficLogDays)
	return mo.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, q := range []struct{ table, condition string }{
			{"online_ip", "last_at < ?"},
			{"rule_hit", "at < ?"},
			{"blocked_ip", "at < ?"},
			{"node_outage", "ended_at < ?"},
			{"speed_test", "at < ?"},
		} {
			if _, err := tx.NewRaw("DELETE FROM "+q.table+" WHERE "+q.condition, oldest).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw("DELETE FROM node_history WHERE minute < " + strconv.FormatInt(oldest.Unix()/60, 10)).
			Exec(ctx)
		return err
	})
}
