package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/job"
	"airstrip/internal/permission"
)

type timedJob struct {
	Name          string     `json:"name" example:"payment.check"`
	Purpose       string     `json:"purpose" doc:"What it does, in the caller's language"`
	PeriodSeconds int64      `json:"period_seconds"`
	NextAt        *time.Time `json:"next_at" nullable:"true" doc:"null: it has not run yet and is due"`
	LastAt        *time.Time `json:"last_at" nullable:"true" doc:"When it ran last"`
	FailedAt      *time.Time `json:"failed_at" nullable:"true" doc:"Its last failure"`
	Error         string     `json:"error" doc:"Of that failure"`
	Failures      int64      `json:"failures" doc:"One after the other, up to that one"`
	RecoveredAt   *time.Time `json:"recovered_at" nullable:"true" doc:"When it succeeded after that; null: it did not yet"`
}

type queuedJob struct {
	ID        int64      `json:"id"`
	Kind      string     `json:"kind" example:"mail.send"`
	State     job.State  `json:"state" enum:"waiting,running,failed,done"`
	RunAt     time.Time  `json:"run_at" doc:"When it runs next, or ran last"`
	Attempts  int64      `json:"attempts"`
	LastError string     `json:"last_error"`
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at" nullable:"true"`
}

type queuedJobs struct {
	Jobs       []queuedJob `json:"jobs"`
	TotalCount int64       `json:"total_count"`
}

func timeIn(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// Jobs adds what the server does by the clock and what waits in its queue. queues are those that have entries of the
// timetable; all of them share the queue of jobs.
func Jobs(queues ...*job.Queue) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/jobs/timetable", permission.JobRead).
			Named("staff_jobs_timetable", "What runs by the clock, when, and what last went wrong with it"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []timedJob, err error) {
				lang := api.CallerOf(ctx).Lang
				for _, q := range queues {
					timed, err := q.Timed(ctx)
					if err != nil {
						return nil, err
					}
					for _, t := range timed {
						out = append(out, timedJob{
							t.Name, job.Purpose(t.Name).In(lang), int64(t.Period / time.Second), timeIn(t.NextAt),
							timeIn(t.LastAt), timeIn(t.FailedAt), t.Error, t.Failures, timeIn(t.RecoveredAt),
						})
					}
				}
				return out, nil
			})
		v2.Handle(r, v2.StaffOp("POST /staff/jobs/timetable/{name}/run", permission.JobManage).
			Named("staff_job_run", "Have an entry of the timetable run now, wherever jobs run"),
			func(ctx context.Context, _ account.Identity, in *struct {
				Name string `path:"name" maxLength:"64"`
			},
			) (v2.Empty, error) {
				record := audit.Recording("job.run", audit.Object{Kind: "job", ID: in.Name}, nil, nil)
				for _, q := range queues {
					if q.Has(in.Name) {
						return v2.Empty{}, q.Hurry(ctx, in.Name, record)
					}
				}
				return v2.Empty{}, job.ErrNoJob
			})
		v2.Handle(r, v2.StaffOp("GET /staff/jobs", permission.JobRead).
			Named("staff_jobs", "Jobs of the queue in a state; those that are done are kept for 14 days"),
			func(ctx context.Context, _ account.Identity, in *struct {
				State  job.State `query:"state" enum:"waiting,running,failed,done" default:"failed"`
				Kind   string    `query:"kind" maxLength:"64"`
				Limit  int64     `query:"limit" minimum:"1" maximum:"500" default:"50"`
				Offset int64     `query:"offset" minimum:"0" maximum:"1000000" default:"0"`
			},
			) (queuedJobs, error) {
				found, total, err := queues[0].Find(ctx, in.State, in.Kind, in.Limit, in.Offset)
				out := queuedJobs{[]queuedJob{}, total}
				for _, j := range found {
					out.Jobs = append(out.Jobs, queuedJob{
						j.ID, j.Kind, j.State, j.RunAt.UTC(), j.Attempt, j.LastError, j.CreatedAt.UTC(),
						timeIn(j.EndedAt),
					})
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/jobs/{job_id}/retry", permission.JobManage).
			Named("staff_job_retry", "Have a job run again that failed for good"),
			func(ctx context.Context, _ account.Identity, in *struct {
				ID int64 `path:"job_id" minimum:"1"`
			},
			) (v2.Empty, error) {
				return v2.Empty{}, queues[0].Retry(ctx, in.ID,
					audit.Recording("job.retry", audit.ID("job", in.ID), nil, nil))
			})
	}
}
