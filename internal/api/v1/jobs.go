package v1

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// Job is a route by which the server's jobs are driven from outside.
type Job struct {
	Pattern string
	Run     func(ctx context.Context) (data any, err error)
}

// Jobs adds the routes of jobs, for API tokens of the scope jobs, as api_token_uuid or as the bearer, and for owners and
// admins who are signed in. A node's secret opens none of them.
func (r *Router) Jobs(a *account.Accounts, nodes *node.Nodes, jobs ...Job) {
	for _, j := range jobs {
		r.job(j.Pattern, a, nodes, func(ctx context.Context, _ Input) (any, error) { return j.Run(ctx) })
	}
}

// LinkGroups adds the route by which users are dealt out to link groups from outside, guarded as jobs are.
func (r *Router) LinkGroups(a *account.Accounts, nodes *node.Nodes) {
	r.job("GET /api/v2/cron_task/user_link_group", a, nodes, func(ctx context.Context, in Input) (any, error) {
		anew, err := in.flag("is_all_flush")
		if err != nil {
			return nil, err
		}
		dealt, err := nodes.Deal(ctx, anew)
		return map[string]any{"moved": dealt.Moved, "groups": dealt.Users}, err
	})
}

func (r *Router) job(pattern string, a *account.Accounts, nodes *node.Nodes, run func(ctx context.Context, in Input) (data any, err error)) {
	r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		if err := r.mayRunJobs(req, a, nodes); err != nil {
			fail(w, req, err)
			return
		}
		serve(w, req, func(req *http.Request, in Input) (Answer, error) {
			if _, err := in.flag("is_auto_trigger"); err != nil {
				return Answer{}, err
			}
			data, err := run(req.Context(), in)
			return done(req, data), err
		})
	})
}

// flag gives the switch called name; off where it is absent.
func (in Input) flag(name string) (bool, error) {
	text := in.Get(name)
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fault.Invalid(name, "type", name+" 必须是 true 或 false", name+" must be true or false")
	}
	return on, nil
}

func (r *Router) mayRunJobs(req *http.Request, a *account.Accounts, nodes *node.Nodes) error {
	query := req.URL.Query()
	if token := query.Get("api_token_uuid"); token != "" {
		_, err := a.AuthenticateToken(req.Context(), token, account.ScopeJobs)
		return err
	}
	if bearer, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); ok {
		if account.IsAPIToken(bearer) {
			_, err := a.AuthenticateToken(req.Context(), bearer, account.ScopeJobs)
			return err
		}
		who, err := r.authenticate(req.Context(), bearer)
		if err == nil && who.Role != account.Owner && who.Role != account.Admin {
			err = cmp.Or[error](who.Refusal(), api.ErrNotForYou)
		}
		return err
	}
	for _, name := range []string{"key", "muKey", "token"} {
		if key := query.Get(name); key != "" {
			_, _, err := nodes.ByKey(req.Context(), key, 0)
			if err == nil {
				return api.ErrNotForYou
			}
			if !errors.Is(err, node.ErrSecret) {
				return err
			}
		}
	}
	return api.ErrSignIn
}
