package v1

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/audit"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

// Job is a route by which the server's jobs are driven from outside.
type Job struct {
	Pattern string
	Run     func(ctx context.Context) (data any, err error)
}

// Jobs adds the routes of jobs, for API tokens of the scope jobs, as api_token_uuid or as the bearer, and for staff
// with the permission who are signed in. A node's secret opens none of them.
func (r *Router) Jobs(a *account.Accounts, nodes *node.Nodes, jobs ...Job) {
	for _, j := range jobs {
		r.job(j.Pattern, a, nodes, nil, func(ctx context.Context, _ Input) (any, error) { return j.Run(ctx) })
	}
}

// LinkGroups adds the route by which a program reassigns users to link groups, guarded as jobs are.
func (r *Router) LinkGroups(a *account.Accounts, nodes *node.Nodes) {
	r.job("GET /api/v2/cron_task/user_link_group", a, nodes, params{may("is_all_flush").as(flag)},
		func(ctx context.Context, in Input) (any, error) {
			assigned, err := nodes.LinkGroups.Reassign(ctx, in.Yes("is_all_flush"))
			return map[string]any{"moved": assigned.Moved, "groups": assigned.Users}, err
		})
}

// jobParams are what every route of a job takes. The keys say who calls; they are read before the rest.
var jobParams = params{
	may("is_auto_trigger").as(flag), may("api_token_uuid"), may("key"), may("muKey"), may("token"),
}

func (r *Router) job(
	pattern string, a *account.Accounts, nodes *node.Nodes, ps params, run func(ctx context.Context,
		in Input) (data any, err error),
) {
	ps = ps.and(jobParams)
	r.staffRule(pattern, needs(permission.JobRun))
	r.handle(pattern, ps, func(w http.ResponseWriter, req *http.Request) {
		member, err := r.mayRunJobs(req, a, nodes)
		if err != nil {
			fail(w, req, err)
			return
		}
		serve(w, req, pattern, ps, func(req *http.Request, in Input) (Answer, error) {
			ctx := req.Context()
			if member != nil { // programs run them every minute, and change nothing that the timetable would not
				ctx = r.acting(ctx, member.Actor(clientOf(req), api.CallerOf(ctx).RequestID))
				if err := audit.Note(ctx, "job.run", audit.Object{Kind: "job", ID: pattern}, nil, ""); err != nil {
					return Answer{}, err
				}
			}
			data, err := run(ctx, in)
			return done(req, data), err
		})
	})
}

// mayRunJobs answers an error to who may not, and gives the member of staff who calls; nil where a program does.
func (r *Router) mayRunJobs(req *http.Request, a *account.Accounts, nodes *node.Nodes) (*account.Identity, error) {
	query := req.URL.Query()
	if token := query.Get("api_token_uuid"); token != "" {
		_, err := a.APITokens.Authenticate(req.Context(), token, account.ScopeJobs)
		return nil, err
	}
	if bearer, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); ok {
		if account.IsAPIToken(bearer) {
			_, err := a.APITokens.Authenticate(req.Context(), bearer, account.ScopeJobs)
			return nil, err
		}
		who, err := r.authenticate(req.Context(), bearer)
		if err == nil {
			err = who.Admit(permission.JobRun, false)
		}
		return &who, err
	}
	for _, name := range []string{"key", "muKey", "token"} {
		if key := query.Get(name); key != "" {
			_, _, err := nodes.Secrets.NodeByKey(req.Context(), key, 0)
			if err == nil {
				return nil, permission.ErrRefused
			}
			if !errors.Is(err, node.ErrSecret) {
				return nil, err
			}
		}
	}
	return nil, api.ErrSignIn
}
