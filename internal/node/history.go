package node

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

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

// addToHistory stores the state as that of its minute.
func addToHistory(ctx context.Context, tx bun.Tx, st *State) error {
	m := &minute{
		NodeID: st.NodeID, Minute: st.SeenAt.Unix() / 60, CPUPermille: st.CPUPermille,
		MemoryPermille: st.MemoryPermille,
		UpBPS:          st.UpBPS, DownBPS: st.DownBPS, Connections: st.Connections, OnlineUsers: st.OnlineUsers,
	}
	columns := []string{"cpu_permille", "memory_permille", "up_bps", "down_bps", "connections", "online_users"}
	_, err := overwrite(tx.NewInsert().Model(m).On("CONFLICT (node_id, minute) DO UPDATE"), columns...).Exec(ctx)
	return err
}

// Moment describes a node over some minutes: their averages, and the maximum of users online at once.
type Moment struct {
	At             time.Time // when they began
	CPUPermille    int64
	MemoryPermille int64
	UpBPS          int64
	DownBPS        int64
	Connections    int64
	OnlineUsers    int64
}

// History returns the moments of the node in [from, to), each of step minutes, the oldest first. Moments without a
// report are left out.
func (mo *Monitor) History(ctx context.Context, nodeID int64, from, to time.Time, step int64) ([]Moment, error) {
	var rows []struct{ Step, CPU, Memory, Up, Down, Connections, Online int64 }
	err := mo.db.NewSelect().TableExpr("node_history").
		ColumnExpr("minute / ? AS step, CAST(avg(cpu_permille) AS BIGINT) AS cpu, CAST(avg(memory_permille) AS "+
			"BIGINT) AS memory", step).
		ColumnExpr("CAST(avg(up_bps) AS BIGINT) AS up, CAST(avg(down_bps) AS BIGINT) AS down, "+
			"CAST(avg(connections) AS BIGINT) AS connections, max(online_users) AS online").
		Where("node_id = ? AND minute >= ? AND minute < ?", nodeID, from.Unix()/60, to.Unix()/60).GroupExpr("1").
		OrderExpr("1").Scan(ctx, &rows)
	moments := make([]Moment, len(rows))
	for i, r := range rows {
		moments[i] = Moment{time.Unix(r.Step*step*60, 0).UTC(), r.CPU, r.Memory, r.Up, r.Down, r.Connections, r.Online}
	}
	return moments, err
}

// Rates is what the busier direction of a machine's interface carried on average over so many minutes with a report.
type Rates struct{ Minutes, BytesPerSecond int64 }

// Rates returns those of a node in [from, to).
func (mo *Monitor) Rates(ctx context.Context, nodeID int64, from, to time.Time) (r Rates, err error) {
	var row struct{ Minutes, Up, Down int64 }
	err = mo.db.NewRaw(`SELECT count(*) AS minutes, coalesce(CAST(avg(up_bps) AS BIGINT), 0) AS up,
		coalesce(CAST(avg(down_bps) AS BIGINT), 0) AS down FROM node_history
		WHERE node_id = ? AND minute >= ? AND minute < ?`, nodeID, from.Unix()/60, to.Unix()/60).Scan(ctx, &row)
	return Rates{row.Minutes, max(row.Up, row.Down)}, err
}
