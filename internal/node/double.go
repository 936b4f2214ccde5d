package node

import (
	"context"
	"time"
)

// Two agents send heartbeats in turn, each 20 s. What is older says nothing, and the clocks of machines run alike this long.
const (
	doubleWithin = time.Minute
	doubleSlack  = 5 * time.Second
)

// Double tells whether another agent was heard of as n while the one that says st of itself ran already: both have n's
// secret, and show users one node's name at two places.
func (s *Nodes) Double(ctx context.Context, n Node, st State) (bool, error) {
	var rows []State
	if err := s.db.NewSelect().Model(&rows).Where("node_id = ?", n.ID).Scan(ctx); err != nil || len(rows) == 0 {
		return false, err
	}
	since, last := s.db.Now().Sub(rows[0].SeenAt), rows[0] // below zero if the clock was set back
	return last.Boot != "" && last.Boot != st.Boot && since >= 0 && since < doubleWithin && time.Duration(st.UptimeSeconds)*time.Second > since+doubleSlack, nil
}
