package service

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Access gives what the user may use now and how much of it is used.
func (s *Services) Access(ctx context.Context, userID int64) (Access, error) {
	var a Access
	err := s.db.NewSelect().Model(&a).Where("user_id = ?", userID).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return a, ErrNoUser.Because(err)
	}
	if err != nil {
		return a, err
	}
	one := []Access{a}
	err = s.AddUsage(ctx, one)
	return one[0], err
}

// List gives the user's services, those that end first before others and ended ones last, and the packages of which
// something is left.
func (s *Services) List(ctx context.Context, userID int64) ([]Service, []Package, error) {
	var services []Service
	if err := withCycle(s.db.NewSelect().Model(&services)).Where("service.user_id = ?", userID).
		OrderExpr("CASE WHEN service.ended_at IS NULL THEN 0 ELSE 1 END, ends_at, id").Scan(ctx); err != nil {
		return nil, nil, err
	}
	var packages []Package
	err := s.db.NewSelect().Model(&packages).Where("user_id = ? AND ended_at IS NULL AND used < bytes", userID).
		Where("expires_at IS NULL OR expires_at > ?", s.db.Now()).OrderExpr("id").Scan(ctx)
	return services, packages, err
}

// Get gives one service of the user.
func (s *Services) Get(ctx context.Context, userID, serviceID int64) (Service, error) {
	var v Service
	err := withCycle(s.db.NewSelect().Model(&v)).Where("service.id = ? AND service.user_id = ?", serviceID, userID).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return v, ErrNoService.Because(err)
	}
	return v, err
}

// Changed gives everybody whose Access changed after the revision since, and a revision that the list is not older than.
func (s *Services) Changed(ctx context.Context, since int64) ([]Access, int64, error) {
	revision, err := db.Revision(ctx, s.db, Revision)
	if err != nil {
		return nil, 0, err
	}
	var rows []Access
	err = s.db.NewSelect().Model(&rows).Where("revision > ?", since).OrderExpr("user_id").Scan(ctx)
	return rows, revision, err
}

// AddUsage sets the Usage of rows.
func (s *Services) AddUsage(ctx context.Context, rows []Access) error {
	var ids []int64 // of many users everybody's is read at once
	if len(rows) <= together {
		for i := range rows {
			ids = append(ids, rows[i].UserID)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	used, err := s.usage(ctx, s.db, ids)
	zero := int64(0)
	for i := range rows {
		u, holds := used[rows[i].UserID]
		if !holds {
			u = Usage{QuotaBytes: &zero, RemainingBytes: &zero}
		}
		rows[i].Usage = u
	}
	return err
}

// usage sums up over running services and open packages, by user, of those who hold any; without userIDs of everybody.
func (s *Services) usage(ctx context.Context, idb bun.IDB, userIDs []int64) (map[int64]Usage, error) {
	now := s.db.Now()
	services := idb.NewSelect().TableExpr("service AS s").
		ColumnExpr("s.user_id, s.quota_bytes AS quota, c.billed AS used, c.up, c.down").
		ColumnExpr("CASE WHEN c.billed < s.quota_bytes THEN s.quota_bytes - c.billed ELSE 0 END AS remaining").
		ColumnExpr("CASE WHEN s.quota_bytes IS NULL THEN 1 ELSE 0 END AS unlimited").
		Join("JOIN service_cycle AS c ON c.service_id = s.id AND c.cycle = s.cycle").
		Where("s.ended_at IS NULL AND s.ends_at > ?", now)
	packages := idb.NewSelect().TableExpr("package AS p").
		ColumnExpr("p.user_id, p.bytes, p.used, p.up, p.down, p.bytes - p.used, 0").
		Where("p.ended_at IS NULL AND p.used < p.bytes AND (p.expires_at IS NULL OR p.expires_at > ?)", now)
	if userIDs != nil {
		services, packages = services.Where("s.user_id IN (?)", bun.List(userIDs)), packages.Where("p.user_id IN (?)", bun.List(userIDs))
	}
	var rows []struct{ UserID, Quota, Used, Up, Down, Remaining, Unlimited int64 }
	err := idb.NewSelect().TableExpr("(?) AS source", services.UnionAll(packages)).ColumnExpr("user_id").
		ColumnExpr("CAST(coalesce(sum(quota), 0) AS BIGINT) AS quota, CAST(sum(used) AS BIGINT) AS used, CAST(sum(up) AS BIGINT) AS up").
		ColumnExpr("CAST(sum(down) AS BIGINT) AS down, CAST(sum(remaining) AS BIGINT) AS remaining, max(unlimited) AS unlimited").
		GroupExpr("user_id").Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	by := make(map[int64]Usage, len(rows))
	for i := range rows {
		r := &rows[i]
		u := Usage{QuotaBytes: &r.Quota, RemainingBytes: &r.Remaining, UsedBytes: r.Used, UpBytes: r.Up, DownBytes: r.Down}
		if r.Unlimited == 1 {
			u.QuotaBytes, u.RemainingBytes = nil, nil
		}
		by[r.UserID] = u
	}
	return by, nil
}
