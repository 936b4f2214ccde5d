package staff

import (
	"context"
	"net/url"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/bulk"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
)

// bulkDetails say what each user gets; those that the kind does not use are left out.
type bulkDetails struct {
	Bytes  int64          `json:"bytes,omitempty" minimum:"1" maximum:"1125899906842624" doc:"Of traffic"`
	Name   string         `json:"name,omitempty" maxLength:"64" doc:"Of traffic: the package's, as users read it"`
	Days   int            `json:"days,omitempty" minimum:"0" maximum:"3660" doc:"Of extend and ban; 0 of ban: no end"`
	Amount v2.AmountInput `json:"amount,omitempty" doc:"Of balance"`
	Label  string         `json:"label,omitempty" maxLength:"40" doc:"Of label and unlabel"`
	Mail   bool           `json:"mail,omitempty" doc:"Of ban: whether the users get a mail"`
}

type bulkJob struct {
	ID        int64         `json:"id"`
	Kind      string        `json:"kind" enum:"traffic,extend,reset,balance,ban,label,unlabel"`
	Bytes     int64         `json:"bytes" doc:"0: none"`
	Name      string        `json:"name"`
	Days      int           `json:"days" doc:"0: none"`
	Amount    money.Amount  `json:"amount"`
	Label     string        `json:"label"`
	Reason    string        `json:"reason"`
	Filter    string        `json:"filter" doc:"That found the users; empty: they were named one by one"`
	State     string        `json:"state" enum:"frozen,waiting,running,stopped,done,declined"`
	Rows      int64         `json:"rows" doc:"Users, exactly"`
	Done      int64         `json:"done"`
	Failed    int64         `json:"failed"`
	Worth     *money.Amount `json:"worth" nullable:"true" doc:"Of all users together at most; null: without bound"`
	MadeBy    *personRef    `json:"made_by,omitempty" doc:"Absent: the operator"`
	CreatedAt time.Time     `json:"created_at"`
	StartedAt *time.Time    `json:"started_at" nullable:"true"`
	EndedAt   *time.Time    `json:"ended_at" nullable:"true"`
}

type frozenBulkJob struct {
	Job      bulkJob     `json:"job"`
	Examples []personRef `json:"examples" doc:"Five of the users"`
}

type bulkJobList struct {
	Jobs       []bulkJob `json:"jobs" doc:"Newest first"`
	TotalCount int64     `json:"total_count"`
}

type bulkJobRow struct {
	User    personRef  `json:"user"`
	State   string     `json:"state" enum:"waiting,done,failed"`
	Error   string     `json:"error" doc:"Code of what refused it; empty: nothing"`
	EndedAt *time.Time `json:"ended_at" nullable:"true"`
}

type bulkJobPath struct {
	ID int64 `path:"job_id" minimum:"1"`
}

// BulkJobs adds what staff does to many users at once.
func BulkJobs(b *bulk.Bulk, a *account.Accounts) v2.Resource {
	show := bulkShow{a}
	return func(r *v2.Router) {
		type wish struct {
			Kind    string      `json:"kind" enum:"traffic,extend,reset,balance,ban,label,unlabel"`
			Details bulkDetails `json:"details"`
			Reason  string      `json:"reason" minLength:"1" maxLength:"200" doc:"For the audit log; users who are banned or get money read it"`
			IDs     []int64     `json:"ids,omitempty" maxItems:"5000" doc:"Numbers of the users"`
			Filter  string      `json:"filter,omitempty" maxLength:"4000" doc:"Instead of ids: filters of staff_users, as a query"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/bulk-jobs", permission.UserBulk).
			Named("staff_bulk_job_make",
				"Choose users for a bulk job and freeze the choice for 15 minutes; nothing is done to them yet"),
			func(ctx context.Context, who account.Identity, in *v2.Body[wish]) (frozenBulkJob, error) {
				filter, err := url.ParseQuery(in.Body.Filter)
				if err != nil {
					return frozenBulkJob{}, fault.Invalid("filter", "format", "筛选条件无法解析", "The filter cannot be read")
				}
				d := in.Body.Details
				j, err := b.Freeze(ctx, who, bulk.Job{
					Kind: bulk.Kind(in.Body.Kind), Reason: in.Body.Reason, Details: bulk.Details{
						Bytes: d.Bytes, Name: d.Name, Days: d.Days, Amount: d.Amount.Amount, Label: d.Label,
						Mail: d.Mail,
					},
				}, bulk.Selection{IDs: in.Body.IDs, Filter: filter})
				if err != nil {
					return frozenBulkJob{}, err
				}
				return show.frozen(ctx, b, j)
			})
		v2.Handle(r, v2.StaffOp("POST /staff/bulk-jobs/{job_id}/start", permission.UserBulk, approval.BulkJob).
			Named("staff_bulk_job_start",
				"Begin a job that was frozen; one beyond what the member may give alone waits for a second member"),
			func(ctx context.Context, who account.Identity, in *bulkJobPath) (bulkJob, error) {
				return show.one(ctx)(b.Start(ctx, who, in.ID))
			})
		for _, act := range []struct {
			name, summary string
			do            func(context.Context, account.Identity, int64) (*bulk.Job, error)
		}{
			{"stop", "Stop a bulk job after the users that are being done", b.Stop},
			{"resume", "Go on with a bulk job that was stopped", b.Resume},
			{"retry", "Try those users of a bulk job again that failed", b.Retry},
		} {
			v2.Handle(r, v2.StaffOp("POST /staff/bulk-jobs/{job_id}/"+act.name, permission.UserBulk).
				Named("staff_bulk_job_"+act.name, act.summary),
				func(ctx context.Context, who account.Identity, in *bulkJobPath) (bulkJob, error) {
					return show.one(ctx)(act.do(ctx, who, in.ID))
				})
		}
		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/bulk-jobs", permission.UserBulk).
			Named("staff_bulk_jobs", "Bulk jobs and how far they are"),
			func(ctx context.Context, _ account.Identity, in *part) (bulkJobList, error) {
				jobs, total, err := b.Jobs(ctx, in.Limit, in.Offset)
				if err != nil {
					return bulkJobList{}, err
				}
				out, err := show.all(ctx, jobs)
				return bulkJobList{out, total}, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/bulk-jobs/{job_id}", permission.UserBulk).
			Named("staff_bulk_job", "A bulk job"),
			func(ctx context.Context, _ account.Identity, in *bulkJobPath) (bulkJob, error) {
				return show.one(ctx)(b.Job(ctx, in.ID))
			})
		type rowsOf struct {
			ID    int64  `path:"job_id" minimum:"1"`
			State string `query:"state" enum:"waiting,done,failed"`
			After int64  `query:"after" minimum:"0" default:"0" doc:"Number of the user before"`
			Limit int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
		}
		v2.HandleList(r, v2.StaffOp("GET /staff/bulk-jobs/{job_id}/rows", permission.UserBulk).
			Named("staff_bulk_job_rows", "What became of each user of a bulk job, by the users' numbers"),
			func(ctx context.Context, _ account.Identity, in *rowsOf) ([]bulkJobRow, error) {
				rows, err := b.Rows(ctx, in.ID, bulk.RowState(in.State), in.After, in.Limit)
				if err != nil {
					return nil, err
				}
				known, err := ownersOf(ctx, a, rows, func(row *bulk.Row) int64 { return row.UserID })
				out := make([]bulkJobRow, len(rows))
				for i, row := range rows {
					out[i] = bulkJobRow{known.ref(row.UserID), string(row.State), row.Error, row.EndedAt}
				}
				return out, err
			})
	}
}

// bulkShow writes jobs as the contract has them.
type bulkShow struct{ accounts *account.Accounts }

func (s bulkShow) all(ctx context.Context, jobs []bulk.Job) ([]bulkJob, error) {
	var makers []int64
	for i := range jobs {
		if jobs[i].MadeBy != nil {
			makers = append(makers, *jobs[i].MadeBy)
		}
	}
	known, err := peopleOf(ctx, s.accounts, makers)
	out := make([]bulkJob, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		d := j.Details
		out[i] = bulkJob{
			ID: j.ID, Kind: string(j.Kind), Bytes: d.Bytes, Name: d.Name, Days: d.Days, Amount: d.Amount,
			Label: d.Label, Reason: j.Reason, Filter: j.Filter,
			State: string(j.State), Rows: j.Rows, Done: j.Done, Failed: j.Failed,
			CreatedAt: j.CreatedAt, StartedAt: j.StartedAt, EndedAt: j.EndedAt,
		}
		if j.Worth != approval.Unknown {
			out[i].Worth = &j.Worth
		}
		if j.MadeBy != nil {
			maker := known.ref(*j.MadeBy)
			out[i].MadeBy = &maker
		}
	}
	return out, err
}

func (s bulkShow) one(ctx context.Context) func(*bulk.Job, error) (bulkJob, error) {
	return func(j *bulk.Job, err error) (bulkJob, error) {
		if err != nil {
			return bulkJob{}, err
		}
		out, err := s.all(ctx, []bulk.Job{*j})
		return out[0], err
	}
}

func (s bulkShow) frozen(ctx context.Context, b *bulk.Bulk, j *bulk.Job) (frozenBulkJob, error) {
	job, err := s.one(ctx)(j, nil)
	if err != nil {
		return frozenBulkJob{}, err
	}
	rows, err := b.Rows(ctx, j.ID, "", 0, 5)
	if err != nil {
		return frozenBulkJob{}, err
	}
	known, err := ownersOf(ctx, s.accounts, rows, func(row *bulk.Row) int64 { return row.UserID })
	out := frozenBulkJob{job, []personRef{}}
	for i := range rows {
		out.Examples = append(out.Examples, known.ref(rows[i].UserID))
	}
	return out, err
}
