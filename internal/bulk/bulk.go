// Package bulk does one thing to many users, as a job that a member of staff can watch, stop and go on with. The
// users are frozen when the job is made, and it runs only once somebody has confirmed how many they are. What a row
// of a job gives is written in the transaction that marks the row as done, so each user gets it once, whatever is
// stopped, killed or run twice. What all rows together are worth is one act of staff: it waits where it is beyond
// what the member may give alone.
package bulk

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// Kind is what a job does to each of its users.
type Kind string

// The kinds of jobs.
const (
	Traffic Kind = "traffic" // gives a package
	Extend  Kind = "extend"  // adds days to the service that runs the longest
	Reset   Kind = "reset"   // begins the cycle of that service anew
	Balance Kind = "balance" // puts money into the wallet
	Ban     Kind = "ban"
	Label   Kind = "label"
	Unlabel Kind = "unlabel"
)

// needs are the permissions that a member must have besides permission.UserBulk.
var needs = map[Kind]permission.Permission{
	Traffic: permission.TrafficGrant, Extend: permission.ServiceGive, Reset: permission.ServiceGive,
	Balance: permission.AdjustmentMake, Ban: permission.UserBan, Label: permission.UserLabel,
	Unlabel: permission.UserLabel,
}

// State is the state of a job.
type State string

// The states of a job.
const (
	Frozen   State = "frozen"   // its users are chosen; it waits to be confirmed
	Waiting  State = "waiting"  // for a second member of staff
	Running  State = "running"  // or due to
	Stopped  State = "stopped"  // until somebody goes on with it
	Done     State = "done"     // no row waits
	Declined State = "declined" // by the second member
)

// Details say what is given; those that a kind does not use are zero.
type Details struct {
	Bytes  int64        `json:"bytes,omitempty"`
	Name   string       `json:"name,omitempty"` // of a package, as users read it
	Days   int          `json:"days,omitempty"` // of an extension or a ban; 0 of a ban: until somebody ends it
	Amount money.Amount `json:"amount,omitempty"`
	Label  string       `json:"label,omitempty"`
	Mail   bool         `json:"mail,omitempty"` // whether banned users get a mail
}

// Job is one thing that is done to many users.
type Job struct {
	bun.BaseModel `bun:"table:bulk_job"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          Kind
	Details       Details `bun:"type:jsonb"`
	Reason        string  // for the audit log; users who are banned or whose balance changes read it
	Filter        string  // that found the users; empty: they were named one by one
	State         State
	Rows          int64
	Done          int64
	Failed        int64
	Worth         money.Amount // of all rows; approval.Unknown: without bound
	MadeBy        *int64       // nil: the operator
	CreatedAt     time.Time
	StartedAt     *time.Time
	EndedAt       *time.Time
}

// Row is one user of a job.
type Row struct {
	bun.BaseModel `bun:"table:bulk_job_row"`
	JobID         int64  `bun:",pk"`
	UserID        int64  `bun:",pk"`
	PlanID        *int64 // that ran when the job was made
	State         RowState
	Error         string // code of the fault; empty: none
	EndedAt       *time.Time
}

// RowState is the state of a row.
type RowState string

// The states of a row.
const (
	RowWaiting RowState = "waiting"
	RowDone    RowState = "done"
	RowFailed  RowState = "failed"
)

// confirmWithin is how long a frozen job can be confirmed.
const confirmWithin = 15 * time.Minute

// MaxRows is how many users one job has at most.
const MaxRows = 200_000

// Faults of jobs.
var (
	ErrNoJob   = fault.NotFound("bulk_job_not_found", "没有这个批量操作，或确认时间已过", "There is no such bulk job, or it was not confirmed in time")
	ErrState   = fault.Conflict("bulk_job_state", "该批量操作当前的状态不允许这样做", "The state of this bulk job does not allow that")
	ErrNobody  = fault.Unprocessable("bulk_nobody", "没有选中任何用户：请给出用户编号或筛选条件", "Nobody is chosen: name users or a filter")
	errTooMany = fault.Unprocessable("bulk_too_many", "一次最多 20 万个用户，请缩小筛选范围",
		"One job is for 200,000 users at most; please narrow the filter")
	errMay = fault.Forbidden("permission_missing", "你没有这项操作所需的权限", "You lack the permission for what this job does")
	errOwn = fault.Conflict("bulk_own_account", "发起或批准的人不能给自己的账号",
		"Who makes or approves a gift does not get it")
	errPlan = fault.Conflict("bulk_plan_changed", "该用户的套餐已变化或已结束", "The user's plan changed or ended meanwhile")
)

// Bulk holds the jobs.
type Bulk struct {
	db        *db.DB
	console   *console.Console
	accounts  *account.Accounts
	wallets   *wallet.Wallets
	services  *service.Services
	approvals *approval.Approvals
}

// New returns the jobs in d.
func New(d *db.DB, c *console.Console, a *account.Accounts, w *wallet.Wallets, s *service.Services,
	approvals *approval.Approvals,
) *Bulk {
	return &Bulk{d, c, a, w, s, approvals}
}

func (j *Job) check() error {
	j.Reason, j.Details.Name, j.Details.Label = strings.TrimSpace(j.Reason), strings.TrimSpace(j.Details.Name),
		strings.TrimSpace(j.Details.Label)
	var wrong fault.Problems
	d := j.Details
	wrong.When(j.Reason == "" || utf8.RuneCountInString(j.Reason) > 200 || !utf8.ValidString(j.Reason), "reason",
		"length", "请填写 1 到 200 个字符的原因", "Please give a reason of 1 to 200 characters")
	wrong.When(j.Kind == Traffic && (d.Bytes < 1 || d.Bytes > service.MaxGrant), "bytes", "range",
		"流量须大于零且不超过 1 PiB", "The traffic is above zero and at most 1 PiB")
	wrong.When(j.Kind == Traffic && (text.Folded(d.Name) == "" || utf8.RuneCountInString(d.Name) > 64), "name", "length",
		"名称须为 1 到 64 个字符", "The name has 1 to 64 characters")
	wrong.When(j.Kind == Extend && (d.Days < 1 || d.Days > 3660), "days", "range", "天数须在 1 到 3660 之间",
		"The days are from 1 to 3,660")
	wrong.When(j.Kind == Ban && (d.Days < 0 || d.Days > 3660), "days", "range", "天数须在 0 到 3660 之间",
		"The days are from 0 to 3,660")
	wrong.When(j.Kind == Balance && (d.Amount <= 0 || d.Amount > 1_000_000_00), "amount", "range",
		"金额须大于零，且不超过一百万", "The amount is above zero and at most a million")
	if err := wrong.Err(); err != nil {
		return err
	}
	if j.Kind == Label || j.Kind == Unlabel {
		return console.CheckLabel(d.Label)
	}
	return nil
}

// mayDo returns a fault where the member lacks the permission for what the job does. The operator may.
func mayDo(who account.Identity, kind Kind) error {
	if who.UserID != 0 && !who.Has(needs[kind]) {
		return errMay
	}
	return nil
}

// record writes a change of a job into the audit log.
func record(ctx context.Context, tx bun.Tx, action string, was, is *Job) error {
	var before, after any
	if was != nil {
		before = was.entry()
	}
	if is != nil {
		after = is.entry()
	}
	of := is
	if of == nil {
		of = was
	}
	return audit.Record(ctx, tx, "user.bulk."+action, audit.ID("bulk_job", of.ID), before, after, of.Reason)
}

func (j *Job) entry() map[string]any {
	details, err := json.Marshal(j.Details)
	if err != nil {
		panic(err) // numbers and texts
	}
	return map[string]any{
		"kind": j.Kind, "details": string(details), "filter": j.Filter, "rows": j.Rows, "state": j.State,
	}
}

// locked reads a job and holds its row until tx ends.
func locked(ctx context.Context, tx bun.Tx, id int64) (*Job, error) {
	var found []Job
	err := db.Locked(tx.NewSelect().Model(&found)).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoJob
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Jobs returns a part of the jobs that were confirmed, newest first, and how many there are.
func (b *Bulk) Jobs(ctx context.Context, limit, offset int64) (jobs []Job, total int64, err error) {
	total, err = b.db.NewSelect().Model(&jobs).Where("state <> ?", Frozen).OrderExpr("id DESC").Limit(limit).
		Offset(offset).ScanAndCount(ctx)
	return jobs, total, err
}

// Job returns a job.
func (b *Bulk) Job(ctx context.Context, id int64) (*Job, error) {
	var found []Job
	err := b.db.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoJob
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Rows returns the rows of a job after a user, by the user's number; of one state where it is given.
func (b *Bulk) Rows(ctx context.Context, id int64, state RowState, after, limit int64) (rows []Row, err error) {
	q := b.db.NewSelect().Model(&rows).Where("job_id = ? AND user_id > ?", id, after).OrderExpr("user_id").Limit(limit)
	if state != "" {
		q.Where("state = ?", state)
	}
	return rows, q.Scan(ctx)
}

// worthOf returns what giving the rows is worth at most.
func worthOf(ctx context.Context, tx bun.Tx, now time.Time, j *Job) (money.Amount, error) {
	switch j.Kind {
	case Traffic:
		one, err := shop.TrafficWorth(ctx, tx, now, j.Details.Bytes)
		return shop.Times(one, j.Rows), err
	case Balance:
		return shop.Times(j.Details.Amount, j.Rows), nil
	case Extend, Reset:
		var plans []struct {
			PlanID int64
			Users  int64
		}
		err := tx.NewSelect().Model((*Row)(nil)).Column("plan_id").ColumnExpr("COUNT(*) AS users").
			Where("job_id = ? AND plan_id IS NOT NULL", j.ID).Group("plan_id").Scan(ctx, &plans)
		if err != nil {
			return 0, err
		}
		months, days := 0, j.Details.Days
		if j.Kind == Reset {
			months, days = 1, 0
		}
		sum := money.Amount(0)
		for _, p := range plans {
			one, err := shop.PlanWorth(ctx, tx, now, p.PlanID, months, days)
			if err != nil {
				return 0, err
			}
			all := shop.Times(one, p.Users)
			if all >= approval.Unknown-sum {
				return approval.Unknown, nil
			}
			sum += all
		}
		return sum, nil
	}
	return 0, nil
}

// gives tells whether a job of the kind gives what is worth money.
func (k Kind) gives() bool { return k == Traffic || k == Balance || k == Extend || k == Reset }
