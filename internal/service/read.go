package service

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// preparedReads are the queries about one user that links, the dashboard and purchases make.
type preparedReads struct {
	access, usage, ended, toRenew *db.Prepared
	lock, held, heldPackages      string // for db.ScanPrepared
}

func prepareReads(d *db.DB) preparedReads {
	value := bun.Safe("?")
	return preparedReads{
		access:       d.Prepared(d.NewSelect().Model((*Access)(nil)).Where("user_id = ?", value).String()),
		usage:        d.Prepared(usageText("user_id = ? AND")),
		lock:         db.Locked(d.NewSelect().Model((*Access)(nil)).Where("user_id = ?", value)).String(),
		held:         heldServices(d, (*Service)(nil)).Where("service.user_id = ?", value).String(),
		heldPackages: heldPackages(d, (*Package)(nil)).Where("user_id = ?", value).String(),
		ended: d.Prepared(`SELECT used, used_up FROM package
			WHERE user_id = ? AND used > 0 AND (ended_at IS NOT NULL OR used >= bytes OR expires_at <= ?)
			AND coalesce(ended_at, ?) >= (SELECT min(c.started_at) FROM service AS s JOIN service_cycle AS c
				ON c.service_id = s.id AND c.cycle = s.cycle
				WHERE s.user_id = ? AND s.ended_at IS NULL AND s.ends_at > ?)`),
		toRenew: d.Prepared(`SELECT id, ended_at FROM service
			WHERE user_id = ? AND (end_reason IS NULL OR end_reason = '` + string(ByExpiry) + `')
			ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, ended_at DESC, id DESC LIMIT 2`),
	}
}

// Access returns what the user may use now and how much of it is used.
func (s *Services) Access(ctx context.Context, userID int64) (a Access, err error) {
	if err := s.byUser.access.Model(ctx, []any{userID}, &a); err != nil {
		return a, db.OrMissing(err, ErrNoUser)
	}
	if err := s.openCredentials(&a); err != nil {
		return a, err
	}
	now := s.db.Now()
	rows, err := s.byUser.usage.Query(ctx, []any{userID, now, userID, now})
	if err != nil {
		return a, err
	}
	used, err := sumUsage(rows)
	if err != nil {
		return a, err
	}
	setUsage(&a, used)
	return a, s.addEnded(ctx, &a)
}

// List returns the user's services, those that end first before others and ended ones last, and the packages of which
// something is left.
func (s *Services) List(ctx context.Context, userID int64) ([]Service, []Package, error) {
	var services []Service
	if err := withCycle(s.db.NewSelect().Model(&services)).Where("service.user_id = ?", userID).
		OrderExpr("CASE WHEN service.ended_at IS NULL THEN 0 ELSE 1 END, ends_at, id").Scan(ctx); err != nil {
		return nil, nil, err
	}
	var packages []Package
	err := s.db.NewSelect().Model(&packages).ColumnExpr("?TableAlias.*").
		ColumnExpr("(SELECT f.order_id FROM fulfilment f WHERE f.package_id = ?TableAlias.id) AS order_id").
		Where("user_id = ? AND ended_at IS NULL AND used < bytes", userID).
		Where("expires_at IS NULL OR expires_at > ?", s.db.Now()).OrderExpr("id").Scan(ctx)
	return services, packages, err
}

// ToRenew returns the service that the user means by a renewal that names none: the only one that runs or, where none
// runs, the one that expired last. It is nil where several run, since one of them has to be chosen, and where there is
// none.
func (s *Services) ToRenew(ctx context.Context, userID int64) (*int64, error) {
	var found []Service
	err := s.byUser.toRenew.Models(ctx, []any{userID}, &found)
	if err != nil || len(found) == 0 || (len(found) == 2 && found[1].EndedAt == nil) {
		return nil, err
	}
	return &found[0].ID, nil
}

// Get returns one service of the user.
func (s *Services) Get(ctx context.Context, userID, serviceID int64) (Service, error) {
	return s.GetIn(ctx, s.db, userID, serviceID)
}

// GetIn returns one service of the user. idb may be a transaction.
func (s *Services) GetIn(ctx context.Context, idb bun.IDB, userID, serviceID int64) (Service, error) {
	var v Service
	err := withCycle(idb.NewSelect().Model(&v)).Where("service.id = ? AND service.user_id = ?", serviceID, userID).
		Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return v, ErrNoService.Because(err)
	}
	return v, err
}

// RunningIn returns the services of the user that run at this moment as idb, a transaction perhaps, sees them, and
// whether the user is banned.
func (s *Services) RunningIn(
	ctx context.Context, idb bun.IDB, userID int64,
) (running []Service, banned bool, err error) {
	if err := idb.NewSelect().Model((*Access)(nil)).Column("banned").Where("user_id = ?", userID).
		Scan(ctx, &banned); errors.Is(err, db.ErrNoRows) {
		return nil, false, ErrNoUser
	} else if err != nil {
		return nil, false, err
	}
	now := s.db.Now()
	err = withCycle(idb.NewSelect().Model(&running)).
		Where("service.user_id = ? AND service.ended_at IS NULL AND service.ends_at > ?", userID, now).
		OrderExpr("ends_at, id").Scan(ctx)
	return running, banned, err
}

// Changed returns all Access that changed after the revision since, and a revision that the list is at least as new as.
func (s *Services) Changed(ctx context.Context, since int64) ([]Access, int64, error) {
	revision, err := db.Revision(ctx, s.db, Revision)
	if err != nil {
		return nil, 0, err
	}
	var rows []Access
	// Asked for an order, SQLite would walk everybody in it rather than the index of revisions.
	if err := s.db.NewSelect().Model(&rows).Where("revision > ?", since).Scan(ctx); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(rows, func(a, b Access) int { return cmp.Compare(a.UserID, b.UserID) })
	s.openOrExclude(ctx, rows)
	return rows, revision, nil
}

// Part returns the Access of the next users after an id, in the order of their ids and with their Usage, without UUID
// and Password. After the last user it is empty.
func (s *Services) Part(ctx context.Context, after int64) (rows []Access, err error) {
	if err := s.db.NewSelect().Model(&rows).Where("user_id > ?", after).OrderExpr("user_id").Limit(together).
		Scan(ctx); err != nil {
		return nil, err
	}
	return rows, s.AddUsage(ctx, rows)
}

// AddUsage sets the Usage of rows, without the packages that ended.
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
	for i := range rows {
		setUsage(&rows[i], used)
	}
	return err
}

func setUsage(a *Access, used map[int64]Usage) {
	u, holds := used[a.UserID]
	if !holds {
		u = Usage{QuotaBytes: new(int64), RemainingBytes: new(int64)}
	}
	a.Usage = u
}

// UsageIn returns the Usage of users as tx sees it, without the packages that ended; of those who hold nothing there is
// none.
func (s *Services) UsageIn(ctx context.Context, tx bun.Tx, userIDs []int64) (map[int64]Usage, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	return s.usage(ctx, tx, userIDs)
}

// usage returns the sums over running services and open packages by user, for those who hold any; without userIDs for
// everybody.
func (s *Services) usage(ctx context.Context, idb bun.IDB, userIDs []int64) (map[int64]Usage, error) {
	now := s.db.Now()
	whose, args := "", []any{now, now}
	if userIDs != nil {
		whose, args = "user_id IN (?) AND", []any{bun.List(userIDs), now, bun.List(userIDs), now}
	}
	rows, err := idb.QueryContext(ctx, usageText(whose), args...)
	if err != nil {
		return nil, err
	}
	return sumUsage(rows)
}

// usageText selects what running services and open packages give and what of it is used; whose are conditions on the
// user, with an AND after them.
func usageText(whose string) string {
	return `SELECT user_id, quota_bytes, billed, billed_up
			FROM service JOIN service_cycle AS c ON c.service_id = id AND c.cycle = service.cycle
			WHERE ` + whose + ` service.ended_at IS NULL AND ends_at > ?
		UNION ALL SELECT user_id, bytes, used, used_up FROM package
			WHERE ` + whose + ` ended_at IS NULL AND used < bytes AND (expires_at IS NULL OR expires_at > ?)`
}

// sumUsage reads rows of usageText to their end.
func sumUsage(rows *sql.Rows) (map[int64]Usage, error) {
	by := map[int64]Usage{}
	err := eachRow(rows, func() error {
		var userID, used, up int64
		var quota *int64
		if err := rows.Scan(&userID, &quota, &used, &up); err != nil {
			return err
		}
		u, more := by[userID]
		if !more {
			u.QuotaBytes, u.RemainingBytes = new(int64), new(int64)
		}
		u.add(quota, used, up)
		by[userID] = u
		return nil
	})
	return by, err
}

// addEnded adds to the Usage what was used of packages that ended since the first of the cycles that run began.
func (s *Services) addEnded(ctx context.Context, a *Access) error {
	now := s.db.Now()
	var ended []Package
	err := s.byUser.ended.Models(ctx, []any{a.UserID, now, now, a.UserID, now}, &ended)
	for _, p := range ended {
		a.add(&p.Used, p.Used, p.UsedUp)
	}
	return err
}

// add includes one source. A quota of nil is unlimited and makes the sum unlimited.
func (u *Usage) add(quota *int64, used, up int64) {
	u.UsedBytes, u.UpBytes, u.DownBytes = u.UsedBytes+used, u.UpBytes+up, u.DownBytes+used-up
	switch {
	case quota == nil || u.QuotaBytes == nil:
		u.QuotaBytes, u.RemainingBytes = nil, nil
	default:
		*u.QuotaBytes += *quota
		*u.RemainingBytes += max(0, *quota-used)
	}
}

// HadPlan reports whether the user has or had a service of the plan.
func (s *Services) HadPlan(ctx context.Context, userID, planID int64) (bool, error) {
	return s.db.NewSelect().Model((*Service)(nil)).Where("user_id = ? AND plan_id = ?", userID, planID).Exists(ctx)
}

// MonthsOfLastOrder returns for how many months the service was last ordered; false where it was given, not ordered.
func (s *Services) MonthsOfLastOrder(ctx context.Context, serviceID int64) (months int, ordered bool, err error) {
	err = s.db.NewSelect().Model((*fulfilment)(nil)).Column("months").Where("service_id = ?", serviceID).
		OrderExpr("order_id DESC").Limit(1).Scan(ctx, &months)
	if errors.Is(err, db.ErrNoRows) {
		return 0, false, nil
	}
	return months, err == nil, err
}
