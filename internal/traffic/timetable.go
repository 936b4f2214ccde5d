package traffic

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
)

// Register puts the clearing of old rows on the timetable.
func (t *Traffic) Register(q *job.Queue) {
	q.Every("traffic.anomalies", t.watchDays)
	q.Every("traffic.forget", t.forget)
	q.Every("traffic.move", t.history.Move)
	q.Every("traffic.seal", t.history.Seal)
}

// forget removes the keys of old reports, and hours that are older than the setting allows; days stay.
func (t *Traffic) forget(ctx context.Context) error {
	now := t.db.Now()
	err := t.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw(`DELETE FROM traffic_lease WHERE expires_at < ?`, now).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`DELETE FROM kept_batch WHERE decided_at < ?0 AND to_at < ?0`,
			now.Add(-decidedRetention)).Exec(ctx); err != nil {
			return err
		}
		// The key of a held batch is kept as long as the batch, so that a repetition is not taken for a new one.
		_, err := tx.NewRaw(`DELETE FROM traffic_report WHERE accepted_at < ? AND NOT EXISTS (SELECT 1
			FROM kept_batch AS k
			WHERE k.node_id = traffic_report.node_id AND k.report = traffic_report.id)`, now.Add(-maxAge)).Exec(ctx)
		return err
	})
	if err != nil {
		return err
	}
	oldest := now.AddDate(0, 0, -t.settings.Get().TrafficLogDays).Unix() / 3600
	if err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`DELETE FROM traffic_hour_change WHERE hour < ?`, oldest).Exec(ctx)
		return err
	}); err != nil {
		return err
	}
	if err := t.history.Seal(ctx); err != nil { // only packs are dropped
		return err
	}
	site := t.settings.Get()
	firstDay := now.In(site.Zone()).AddDate(0, 0, -max(site.TrafficDailyDays, site.TrafficLogDays))
	return errors.Join(t.history.DropHours(ctx, oldest), t.history.FoldDays(ctx, monthOf(dayOf(firstDay))),
		t.history.ForgetUsers(ctx))
}
