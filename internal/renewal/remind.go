package renewal

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
)

const (
	day               = 24 * time.Hour
	remindersTogether = 200 // in one transaction
)

// reminder is something that a user is to be notified of, once.
type reminder struct {
	ID          int64 // of the service
	UserID      int64
	Name        string       // as it was sold, where Lang had none of its own
	Names       fault.ByLang `bun:"type:jsonb"`
	Lang        fault.Lang   // that the user last used
	EndsAt      time.Time
	NextResetAt *time.Time
	Level       int       // days or percent
	OfTime      time.Time // the end, or the start of the cycle
}

// Remind notifies users by mail that a service ends in 7, 3 or 1 days, unless it renews itself, and that 80, 95 or 100
// % of its traffic are used. Of several that are due at once only the most pressing one is sent.
func (r *Renewals) Remind(ctx context.Context) error {
	now := r.db.Now()
	if err := r.each(ctx, "d", func(m reminder) mail.Content {
		return mail.ServiceEnding{Service: m.Names.In(m.Lang, m.Name), EndsAt: m.EndsAt, Days: m.Level}
	}, `SELECT v.id, v.user_id, v.name, v.names, `+langOf+`, v.ends_at, v.next_reset_at, v.ends_at AS of_time,
			CASE WHEN v.ends_at <= ? THEN 1 WHEN v.ends_at <= ? THEN 3 ELSE 7 END AS level FROM service v
		WHERE v.ended_at IS NULL AND NOT v.auto_renew AND v.ends_at > ? AND v.ends_at <= ?`,
		now.Add(1*day), now.Add(3*day), now, now.Add(7*day)); err != nil {
		return err
	}
	return r.each(ctx, "%", func(m reminder) mail.Content {
		return mail.TrafficUsed{Service: m.Names.In(m.Lang, m.Name), Percent: m.Level, ResetsAt: m.NextResetAt}
	}, `SELECT v.id, v.user_id, v.name, v.names, `+langOf+`, v.ends_at, v.next_reset_at, c.started_at AS of_time,
			CASE WHEN c.billed >= v.quota_bytes THEN 100 WHEN c.billed >= v.quota_bytes / 100 * 95 THEN 95 ELSE 80 END AS level
		FROM service v JOIN service_cycle c ON c.service_id = v.id AND c.cycle = v.cycle
		WHERE v.ended_at IS NULL AND v.quota_bytes IS NOT NULL AND c.billed >= v.quota_bytes / 100 * 80`)
}

// each notifies of what the query finds and records it in the same transaction, in the order of services.
func (r *Renewals) each(ctx context.Context, unit string, content func(reminder) mail.Content, query string,
	args ...any,
) error {
	for after := int64(0); ; {
		var due []reminder
		if err := r.db.NewRaw(`SELECT * FROM (`+query+`) due
			WHERE NOT EXISTS (SELECT 1 FROM service_notice n WHERE n.service_id = due.id AND n.of_time = due.of_time
			AND n.about = CAST(due.level AS TEXT) || ?) AND id > ?
			ORDER BY id LIMIT ?`, append(args, unit, after, remindersTogether)...).Scan(ctx, &due); err != nil ||
			len(due) == 0 {
			return err
		}
		after = due[len(due)-1].ID
		if err := r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			for _, m := range due {
				n, err := db.Changed(tx.NewRaw(`INSERT INTO service_notice (service_id, of_time, about, created_at)
					VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
					m.ID, m.OfTime, strconv.Itoa(m.Level)+unit, r.db.Now()).Exec(ctx))
				if err == nil && n == 1 {
					err = r.accounts.Notify(ctx, tx, m.UserID, content(m))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
}
