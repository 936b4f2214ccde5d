// Package service owns the services and packages of users, how much traffic of each is used, and the paid periods
// behind them. From these it keeps one Access per user, which nodes and subscription links read. An Access is rewritten
// in the transaction of whatever it depends on, with a new revision, so that readers see changes in the order of their
// commits. What was paid for a period is given back at most once, and a service that was given back never runs again.
package service

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

// Revision is the name of the revision that grows with each change of what a user may use, and of anything else in the
// feeds of nodes. Rows are stamped with its value.
const Revision = "access"

// State summarises what a user may use.
type State string

// The states of a user.
const (
	Active    State = "active"
	None      State = "none"      // never had a service or package
	Exhausted State = "exhausted" // a service runs, nothing is left of the quota
	Expired   State = "expired"   // nothing runs any more
	Banned    State = "banned"
)

// Access is what a user may use at this moment. Its fields change only through this package.
type Access struct {
	bun.BaseModel `bun:"table:access"`
	UserID        int64     `bun:",pk"`
	UUID          uuid.UUID `bun:"-"`           // the user's name on nodes that go by UUIDs
	Password      string    `bun:"-"`           // the user's password on other nodes; URL-safe
	Sealed        []byte    `bun:"credentials"` // UUID and Password as they are stored; nil once they were opened
	Banned        bool
	State         State
	Allowed       bool       // whether nodes let the user in at all
	Class         int        // the highest of the services that lend rights; 0 without one. See derive
	Groups        []int      `bun:"type:jsonb"` // of all services that lend rights, sorted
	SpeedMbps     *int       // the largest of the services that lend rights; nil: no limit
	Devices       *int       // the same
	ExpiresAt     *time.Time // when the last running service ends
	ResetsAt      *time.Time // when the next quota begins again
	Sources       string     // what the quota is made of, in the order of use
	WasClass      int        // the widest right that ended within the day before WasUntil
	WasGroups     []int      `bun:"type:jsonb"`
	WasUntil      *time.Time
	Revision      int64 // value of the revision at the last change
	Usage         `bun:"-"`
}

// Usage is how much of a quota is used, over all running services and open packages. While a service runs, packages
// that ended in its cycle are part of it with what was used of them, so that no counter shrinks within a cycle.
type Usage struct {
	QuotaBytes     *int64 // nil: unlimited
	RemainingBytes *int64 // never below 0; nil: unlimited
	UsedBytes      int64  // as billed: UpBytes + DownBytes
	UpBytes        int64
	DownBytes      int64
}

// lateFor is how long after a right ended bytes moved under it are still counted: agents report each minute, and keep
// what they could not report.
const lateFor = 24 * time.Hour

// Admits reports whether the user may use nodes of this class and group now. Group 0 is open to all groups.
func (a *Access) Admits(class, group int) bool {
	return a.Allowed && fits(a.Class, a.Groups, class, group)
}

// InGroup reports whether the user's services lend the nodes of a group, whatever their class. Group 0 is open to all
// groups.
func (a *Access) InGroup(group int) bool { return group == 0 || slices.Contains(a.Groups, group) }

// Admitted reports whether the user may use such nodes or could within the last 24 hours, so that bytes reported late
// count and those of anybody else do not.
func (a *Access) Admitted(class, group int, now time.Time) bool {
	return a.Admits(class, group) || (a.lost(now) && fits(a.WasClass, a.WasGroups, class, group))
}

// lost reports whether some right ended within the last 24 hours.
func (a *Access) lost(now time.Time) bool { return a.WasUntil != nil && now.Sub(*a.WasUntil) < lateFor }

func fits(class int, groups []int, nodeClass, nodeGroup int) bool {
	return class >= nodeClass && (nodeGroup == 0 || slices.Contains(groups, nodeGroup))
}

// Reset says when a quota begins again.
type Reset string

// The kinds of resets. Months are counted in the site's time zone.
const (
	CalendarMonth Reset = "calendar_month" // on the first of each month
	Anniversary   Reset = "anniversary"    // each month on the day of the start
	Never         Reset = "never"
)

// Service is one purchase of a plan.
type Service struct {
	bun.BaseModel `bun:"table:service"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	PlanID        int64
	Name          string       // as it was sold, where the reader's language had none of its own
	Names         fault.ByLang `bun:"type:jsonb"`
	Class         int
	Groups        []int  `bun:"type:jsonb"`
	SpeedMbps     *int   // nil: no limit
	Devices       *int   // nil: no limit
	QuotaBytes    *int64 // per cycle; nil: unlimited
	// that one purchase brings: of a quota that never resets, each renewal adds so much; nil: unlimited
	TermBytes    *int64
	Reset        Reset
	Cycle        int64 // number of the quota's month that runs, or that ran last
	NextResetAt  *time.Time
	StartedAt    time.Time
	EndsAt       time.Time
	EndedAt      *time.Time // nil while it runs
	EndReason    *EndReason // nil while it runs
	AutoRenew    bool
	AgreedPrice  money.Amount // the most that automatic renewal may take; 0: none was agreed, or it is free
	Up           int64        `bun:",scanonly"` // of the cycle, as moved
	Down         int64        `bun:",scanonly"`
	Billed       int64        `bun:",scanonly"` // of the cycle; counts against the quota
	BilledUp     int64        `bun:",scanonly"` // what of Billed went up
	CycleBeganAt time.Time    `bun:",scanonly"`
}

// Running reports whether the service can be used at now.
func (s *Service) Running(now time.Time) bool { return s.EndedAt == nil && s.EndsAt.After(now) }

// Until returns when the service ends or ended: a change of plan and a refund end it before its time.
func (s *Service) Until() time.Time {
	if s.EndedAt != nil {
		return *s.EndedAt
	}
	return s.EndsAt
}

// Remaining returns the bytes left of the cycle's quota; unlimited services have no end.
func (s *Service) Remaining() (bytes int64, unlimited bool) {
	if s.QuotaBytes == nil {
		return 0, true
	}
	return max(0, *s.QuotaBytes-s.Billed), false
}

// For reports whether the service's own class and groups open such nodes; traffic is taken from those first.
func (s *Service) For(class, group int) bool { return fits(s.Class, s.Groups, class, group) }

// Kind says where a package comes from.
type Kind string

// The kinds of packages.
const (
	Bought  Kind = "bought"
	CheckIn Kind = "checkin"
	Grant   Kind = "grant"
)

// Package is traffic given once.
type Package struct {
	bun.BaseModel `bun:"table:package"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Name          string       // as of a service
	Names         fault.ByLang `bun:"type:jsonb"`
	Kind          Kind
	Bytes         int64
	Up            int64 // as moved
	Down          int64
	Used          int64 // as billed; may pass Bytes by what was moved before nodes heard of it
	UsedUp        int64 // what of Used went up
	CreatedAt     time.Time
	ExpiresAt     *time.Time // nil: lives until it is used up
	EndedAt       *time.Time // nil while something may be taken from it
	OrderID       *int64     `bun:",scanonly"` // that brought it, where List gave it; nil: a gift
}

// Open reports whether bytes can be taken from the package at now.
func (p *Package) Open(now time.Time) bool {
	return p.EndedAt == nil && p.Used < p.Bytes && (p.ExpiresAt == nil || p.ExpiresAt.After(now))
}

// Services holds the services of all users.
type Services struct {
	db          *db.DB
	credentials Credentials
	settings    *setting.Settings
	users       userList
	holdings    holdings
	byUser      preparedReads
}

// New returns the services in d; the credentials in it are sealed with key.
func New(d *db.DB, key seal.Key, settings *setting.Settings) *Services {
	return &Services{db: d, credentials: NewCredentials(key), settings: settings, byUser: prepareReads(d)}
}

// NameIn returns the name of what runs in a reader's language, as it was sold.
func (v *Service) NameIn(lang fault.Lang) string { return v.Names.In(lang, v.Name) }

// NameIn returns the name of the package in a reader's language, as it was sold.
func (p *Package) NameIn(lang fault.Lang) string { return p.Names.In(lang, p.Name) }
