package service

import (
	"context"

	"github.com/uptrace/bun"
)

// CountRunning returns how many services and packages the user would lose.
func (s *Services) CountRunning(ctx context.Context, userID int64) (running int64, err error) {
	now := s.db.Now()
	err = s.db.NewRaw(`SELECT (SELECT count(*) FROM service WHERE user_id = ?0 AND ended_at IS NULL AND ends_at > ?1) +
		(SELECT count(*) FROM package WHERE user_id = ?0 AND ended_at IS NULL AND (expires_at IS NULL
		OR expires_at > ?1))`, userID, now).Scan(ctx, &running)
	return running, err
}

// Unmoved returns the numbers of what the user paid for or staff gave, and what would end with the account: running
// services, and packages with traffic remaining. Traffic from check-ins is left out.
func (s *Services) Unmoved(ctx context.Context, idb bun.IDB, userID int64) (services, packages []int64, err error) {
	now := s.db.Now()
	err = idb.NewSelect().Model((*Service)(nil)).Column("id").
		Where("user_id = ? AND ended_at IS NULL AND ends_at > ?", userID, now).OrderExpr("id").Scan(ctx, &services)
	if err != nil {
		return nil, nil, err
	}
	err = idb.NewSelect().Model((*Package)(nil)).Column("id").
		Where("user_id = ? AND kind <> ? AND ended_at IS NULL AND used < bytes", userID, CheckIn).
		Where("expires_at IS NULL OR expires_at > ?", now).OrderExpr("id").Scan(ctx, &packages)
	return services, packages, err
}

// Running returns which of the users have a service that runs.
func (s *Services) Running(ctx context.Context, idb bun.IDB, userIDs []int64) (map[int64]bool, error) {
	runs := map[int64]bool{}
	if len(userIDs) == 0 {
		return runs, nil
	}
	var ids []int64
	err := idb.NewSelect().Model((*Service)(nil)).Column("user_id").
		Where("user_id IN (?) AND ended_at IS NULL AND ends_at > ?", bun.List(userIDs), s.db.Now()).Scan(ctx, &ids)
	for _, id := range ids {
		runs[id] = true
	}
	return runs, err
}

// Close ends everything that the user has, as part of the closing of the account, and makes nodes forget the
// credentials that they know.
func (s *Services) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	now := s.db.Now()
	var ended []Service
	if err := tx.NewRaw(`UPDATE service SET ended_at = ?, end_reason = ?, auto_renew = ?
		WHERE user_id = ? AND ended_at IS NULL RETURNING *`, now, ByClosing, false, userID).
		Scan(ctx, &ended); err != nil {
		return err
	}
	if err := emitEnded(ctx, tx, ended, now); err != nil {
		return err
	}
	for _, end := range []*bun.UpdateQuery{
		tx.NewUpdate().Model((*Service)(nil)).Set("auto_renew = ?", false).Where("auto_renew"),
		tx.NewUpdate().Model((*Package)(nil)).Set("ended_at = ?", now).Where("ended_at IS NULL"),
	} {
		if _, err := end.Where("user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
	}
	if err := s.Refresh(ctx, tx, userID); err != nil {
		return err
	}
	return s.ResetCredentials(ctx, tx, userID)
}
