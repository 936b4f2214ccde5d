package service

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// ErrNoUser is the fault of a user id that nobody has.
var ErrNoUser = fault.NotFound("user_not_found", "没有这个用户", "There is no such user")

// Open creates the Access of new users, as part of what makes their accounts.
func (s *Services) Open(ctx context.Context, tx bun.Tx, userIDs ...int64) error {
	revision, err := db.Bump(ctx, tx, Revision)
	if err != nil {
		return err
	}
	type openedAccess struct {
		Access         `bun:",extend"`
		PasswordDigest []byte
	}
	rows := make([]openedAccess, len(userIDs))
	for i, id := range userIDs {
		r := &rows[i]
		r.Access = Access{UserID: id, State: None, Groups: []int{}, WasGroups: []int{}, Revision: revision}
		r.Sealed, r.PasswordDigest = s.credentials.Seal(id, uuid.New(), randomPassword())
	}
	_, err = tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

func randomPassword() string {
	b := make([]byte, 16)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Lock returns the Access of users, without Usage, UUID and Password, and locks it until tx ends: changes of it and
// leases wait.
func (s *Services) Lock(ctx context.Context, tx bun.Tx, userIDs []int64) (rows []Access, err error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	if len(userIDs) == 1 {
		err = db.ScanPrepared(ctx, tx, &rows, s.byUser.lock, userIDs[0])
		return rows, err
	}
	err = db.Locked(tx.NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(userIDs)).OrderExpr("user_id")).
		Scan(ctx)
	return rows, err
}

// LockDevices keeps other transactions from giving device slots to the user until tx ends, and returns the user's
// device limit; 0: no limit.
func LockDevices(ctx context.Context, tx bun.Tx, userID int64) (limit int, err error) {
	err = tx.NewRaw(`UPDATE access SET user_id = user_id WHERE user_id = ? RETURNING coalesce(devices, 0)`, userID).
		Scan(ctx, &limit)
	return limit, err
}

// KnownUsers returns those of the users that exist.
func KnownUsers(ctx context.Context, tx bun.Tx, userIDs []int64) (known []int64, err error) {
	err = tx.NewSelect().Model((*Access)(nil)).Column("user_id").Where("user_id IN (?)", bun.List(userIDs)).
		Scan(ctx, &known)
	return known, err
}

// SetBanned removes or restores the user's right to use anything.
func (s *Services) SetBanned(ctx context.Context, tx bun.Tx, userID int64, banned bool) error {
	n, err := db.Changed(tx.NewUpdate().Model((*Access)(nil)).Set("banned = ?", banned).Where("user_id = ?", userID).
		Exec(ctx))
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoUser
	}
	return s.Refresh(ctx, tx, userID)
}

// Refresh recomputes what the users may use, as part of the transaction that changed something it depends on. Rows that
// change are stamped with a new revision, and nodes are notified of them after the commit.
func (s *Services) Refresh(ctx context.Context, tx bun.Tx, userIDs ...int64) error {
	userIDs = slices.Compact(slices.Sorted(slices.Values(userIDs)))
	if err := s.note(ctx, tx, userIDs); err != nil {
		return err
	}
	var changed []Access
	for part := range slices.Chunk(userIDs, together) {
		some, err := s.outdated(ctx, tx, part)
		if err != nil {
			return err
		}
		changed = append(changed, some...)
	}
	if len(changed) == 0 {
		return nil
	}
	updates := make([]*bun.UpdateQuery, len(changed))
	for i := range changed {
		updates[i] = tx.NewUpdate().Model(&changed[i]).ExcludeColumn("user_id", "credentials", "banned").
			Value("revision", db.RevisionValue, Revision).WherePK()
	}
	// last, since all transactions of this kind wait for its row until the commit
	return db.BumpFor(ctx, tx, Revision, updates...)
}

// outdated returns the rows of the users whose stored rights are outdated, with their present rights.
func (s *Services) outdated(ctx context.Context, tx bun.Tx, userIDs []int64) (changed []Access, err error) {
	now := s.db.Now()
	// The users' rows come first: of two transactions that touch one user the second waits here, and then sees what the
	// first has done.
	rows, err := s.Lock(ctx, tx, userIDs)
	if err != nil {
		return nil, err
	}
	services, packages, err := s.held(ctx, tx, userIDs)
	if err != nil {
		return nil, err
	}
	if err := endUsed(ctx, tx, packages, now); err != nil {
		return nil, err
	}
	var empty []int64 // who hold nothing
	for _, a := range rows {
		if len(services[a.UserID])+len(packages[a.UserID]) == 0 {
			empty = append(empty, a.UserID)
		}
	}
	former, err := haveHeld(ctx, tx, empty)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		was := rows[i]
		a := was
		a.derive(services[a.UserID], packages[a.UserID], now)
		if _, had := slices.BinarySearch(former, a.UserID); had && a.State == None {
			a.State = Expired
		}
		if !a.same(&was) {
			a.remember(&was, now)
			changed = append(changed, a)
			if a.State == Exhausted && was.State != Exhausted {
				if err := emitExhausted(ctx, tx, &a, now); err != nil {
					return nil, err
				}
			}
		}
	}
	return changed, nil
}

// endUsed stores the time at which packages were found to be used up.
func endUsed(ctx context.Context, tx bun.Tx, byUser map[int64][]Package, now time.Time) error {
	var used []int64
	for _, packages := range byUser {
		for _, p := range packages {
			if p.EndedAt == nil && p.Used >= p.Bytes {
				used = append(used, p.ID)
			}
		}
	}
	if len(used) == 0 {
		return nil
	}
	_, err := tx.NewUpdate().Model((*Package)(nil)).Set("ended_at = ?", now).Where("id IN (?)", bun.List(used)).
		Exec(ctx)
	return err
}

// held reads the services and packages of the users that have not ended, by user.
func (s *Services) held(ctx context.Context, tx bun.Tx, userIDs []int64) (map[int64][]Service, map[int64][]Package,
	error,
) {
	services, packages, err := s.readHeld(ctx, tx, userIDs)
	if err != nil {
		return nil, nil, err
	}
	byUser, packagesByUser := map[int64][]Service{}, map[int64][]Package{}
	for _, v := range services {
		byUser[v.UserID] = append(byUser[v.UserID], v)
	}
	for _, p := range packages {
		packagesByUser[p.UserID] = append(packagesByUser[p.UserID], p)
	}
	return byUser, packagesByUser, nil
}

// readHeld reads them for held. Each of a user's purchases reads what the user holds, so of one user the queries are
// prepared.
func (s *Services) readHeld(ctx context.Context, tx bun.Tx, userIDs []int64) (services []Service, packages []Package,
	err error,
) {
	if len(userIDs) == 1 {
		if err = db.ScanPrepared(ctx, tx, &services, s.byUser.held, userIDs[0]); err == nil {
			err = db.ScanPrepared(ctx, tx, &packages, s.byUser.heldPackages, userIDs[0])
		}
		return services, packages, err
	}
	err = heldServices(tx, &services).Where("service.user_id IN (?)", bun.List(userIDs)).Scan(ctx)
	if err == nil {
		err = heldPackages(tx, &packages).Where("user_id IN (?)", bun.List(userIDs)).Scan(ctx)
	}
	return services, packages, err
}

func heldServices(idb bun.IDB, into any) *bun.SelectQuery {
	return withCycle(idb.NewSelect().Model(into)).Where("service.ended_at IS NULL").OrderExpr("ends_at, id")
}

func heldPackages(idb bun.IDB, into any) *bun.SelectQuery {
	return idb.NewSelect().Model(into).Column("id", "user_id", "bytes", "used", "expires_at").
		Where("ended_at IS NULL").OrderExpr("id")
}

// haveHeld returns those of the users who ever had a service or a package.
func haveHeld(ctx context.Context, tx bun.Tx, userIDs []int64) (former []int64, err error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	err = tx.NewRaw(`SELECT user_id FROM service WHERE user_id IN (?0) UNION SELECT user_id FROM package
		WHERE user_id IN (?0) ORDER BY user_id`, bun.List(userIDs)).Scan(ctx, &former)
	return former, err
}

func withCycle(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns, c.up, c.down, c.billed, c.billed_up, c.started_at AS cycle_began_at").
		Join("JOIN service_cycle AS c ON c.service_id = service.id AND c.cycle = service.cycle")
}

// derive sets everything that follows from what the user holds. Rights come from the running services that have traffic
// left, so that nodes of one service are not used with the traffic of another. An open package continues the rights of
// all running services, used-up ones included.
func (a *Access) derive(services []Service, packages []Package, now time.Time) {
	a.Class, a.Groups, a.SpeedMbps, a.Devices, a.ExpiresAt, a.ResetsAt = 0, []int{}, nil, nil, nil, nil
	var sources []string
	var running, lending []*Service
	for i := range services {
		v := &services[i]
		if !v.Running(now) {
			continue
		}
		running = append(running, v)
		if a.ExpiresAt == nil || v.EndsAt.After(*a.ExpiresAt) {
			a.ExpiresAt = &v.EndsAt
		}
		if v.QuotaBytes != nil && v.NextResetAt != nil && (a.ResetsAt == nil || v.NextResetAt.Before(*a.ResetsAt)) {
			a.ResetsAt = v.NextResetAt
		}
		if remaining, unlimited := v.Remaining(); unlimited || remaining > 0 {
			lending = append(lending, v)
		}
		source := fmt.Sprintf("service:%d.%d", v.ID, v.Cycle)
		if v.Reset == Never && v.QuotaBytes != nil { // each renewal adds to it
			source += fmt.Sprintf("/%d", *v.QuotaBytes)
		}
		sources = append(sources, source)
	}
	left := len(lending) > 0
	for i := range packages {
		if packages[i].Open(now) {
			left, lending = true, running // a package continues the rights of the services that are used up
			sources = append(sources, fmt.Sprintf("package:%d", packages[i].ID))
		}
	}
	if !left {
		lending = running // nobody is let in by them; pages still show what was bought
	}
	a.lend(lending)
	a.Sources = strings.Join(sources, " ")
	switch {
	case a.Banned:
		a.State = Banned
	case left:
		a.State = Active
	case len(running) > 0:
		a.State = Exhausted
	case len(services)+len(packages) > 0: // whose time is over, though nothing has ended them yet
		a.State = Expired
	default:
		a.State = None
	}
	a.Allowed = a.State == Active
}

// lend gives the user the rights of the services: the highest class, all groups and the largest limits.
func (a *Access) lend(services []*Service) {
	for i, v := range services {
		a.Class = max(a.Class, v.Class)
		a.Groups = append(a.Groups, v.Groups...)
		if i == 0 {
			a.SpeedMbps, a.Devices = v.SpeedMbps, v.Devices
		} else {
			a.SpeedMbps, a.Devices = larger(a.SpeedMbps, v.SpeedMbps), larger(a.Devices, v.Devices)
		}
	}
	a.Groups = groups(a.Groups)
}

// larger returns the larger of two limits, of which nil is none.
func larger(a, b *int) *int {
	if a == nil || b == nil {
		return nil
	}
	if *b > *a {
		return b
	}
	return a
}

// same reports whether the change concerns neither nodes nor users.
func (a *Access) same(b *Access) bool {
	return a.State == b.State && a.Class == b.Class && slices.Equal(a.Groups, b.Groups) &&
		equal(a.SpeedMbps, b.SpeedMbps) &&
		equal(a.Devices, b.Devices) && equalTime(a.ExpiresAt, b.ExpiresAt) && equalTime(a.ResetsAt, b.ResetsAt) &&
		a.Sources == b.Sources
}

func equal[T comparable](a, b *T) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

func equalTime(a, b *time.Time) bool { return (a == nil) == (b == nil) && (a == nil || a.Equal(*b)) }

// remember keeps the rights that was has and a lost, so that traffic under them can still be counted.
func (a *Access) remember(was *Access, now time.Time) {
	if !was.Allowed || (a.Allowed && a.Class >= was.Class && containsAll(a.Groups, was.Groups)) {
		return
	}
	if a.lost(now) {
		a.WasClass, a.WasGroups = max(a.WasClass, was.Class), groups(append(a.WasGroups, was.Groups...))
	} else {
		a.WasClass, a.WasGroups = was.Class, was.Groups
	}
	a.WasUntil = &now
}

func containsAll(all, some []int) bool {
	for _, v := range some {
		if !slices.Contains(all, v) {
			return false
		}
	}
	return true
}
