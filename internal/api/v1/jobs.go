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
		r.mux.HandleFunc(j.Pattern, func(w http.ResponseWriter, req *http.Request) {
			if err := r.mayRunJobs(req, a, nodes); err != nil {
				fail(w, req, err)
				return
			}
			serve(w, req, func(req *http.Request, in Input) (Answer, error) {
				if auto := in.Get("is_auto_trigger"); auto != "" {
					if _, err := strconv.ParseBool(auto); err != nil {
						return Answer{}, fault.Invalid("is_auto_trigger", "type", "is_auto_trigger 必须是 true 或 false", "is_auto_trigger must be true or false")
					}
				}
				data, err := j.Run(req.Context())
				return done(req, data), err
			})
		})
	}
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
			_, _, err := nodes.BySecret(req.Context(), key)
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
