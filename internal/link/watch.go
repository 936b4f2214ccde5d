package link

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/mail"
)

const (
	watched         = 24 * time.Hour
	noticesPerBatch = 100 // In one transaction.
)

// spread is a link that was fetched from many networks within a day.
type spread struct {
	UserID   int64
	Networks int
	Areas    int
}

// Watch notifies users by mail, at most once a day, whose link was fetched within 24 hours from as many networks as the
// setting link_notice_networks says: somebody else may have it. Fetches with a token before the last reset do not
// count.
func (l *Links) Watch(ctx context.Context) error {
	least := l.settings.Get().LinkNoticeNetworks
	if least == 0 {
		return nil
	}
	now := l.db.Now()
	since := now.Add(-watched)
	for {
		var found []spread
		if err := l.db.NewRaw(`SELECT f.user_id, count(DISTINCT f.network) AS networks, count(DISTINCT f.area) AS areas
			FROM link_fetch f JOIN link_token t ON t.user_id = f.user_id LEFT JOIN link_notice n
			ON n.user_id = f.user_id
			WHERE f.fetched_at > ? AND f.fetched_at >= t.updated_at AND f.status IN (200, 304) AND (n.told_at IS NULL
			OR n.told_at <= ?)
			GROUP BY f.user_id HAVING count(DISTINCT f.network) >= ? ORDER BY f.user_id LIMIT ?`,
			since, since, least, noticesPerBatch).Scan(ctx, &found); err != nil || len(found) == 0 {
			return err
		}
		if err := l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			for _, s := range found {
				n, err := db.Changed(tx.NewRaw(`INSERT INTO link_notice (user_id, told_at) VALUES (?, ?)
					ON CONFLICT (user_id) DO UPDATE SET told_at = EXCLUDED.told_at
					WHERE link_notice.told_at <= ?`, s.UserID, now, since).Exec(ctx))
				if err == nil && n == 1 {
					err = l.accounts.Notify(ctx, tx, s.UserID, mail.LinkSpread{Networks: s.Networks, Areas: s.Areas})
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
