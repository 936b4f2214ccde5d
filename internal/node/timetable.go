package node

import (
	"context"
	"strconv"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
)

// Register puts what the clock does with nodes on the timetable.
func (s *Nodes) Register(q *job.Queue) {
	q.Every("node.follow", func(ctx context.Context) error { return s.Follow(ctx) })
	q.Every("node.watch", s.watch)
	q.Every("node.link_groups", func(ctx context.Context) error { _, err := s.ReassignGroups(ctx, false); return err })
	q.Every("node.forget", s.forget)
	q.Every("node.unblock", s.unblockOld)
}

// forget removes logs that are older than the setting allows.
func (s *Nodes) forget(ctx context.Context) error {
	oldest := s.db.Now().AddDate(0, 0, -s.settings.Get().TrafficLogDays)
	return s.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
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
