package public

import (
	"cmp"
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// TrafficQuery names a user by an API token, and a time; exported because it is embedded.
type TrafficQuery struct {
	Token   string    `path:"token" maxLength:"64" doc:"An API token of the user with the scope read"`
	FromISO time.Time `query:"from_iso" doc:"Hours that begin then or later"`
	ToISO   time.Time `query:"to_iso" doc:"Hours that begin before"`
	Limit   int64     `query:"limit" default:"3000" minimum:"1" maximum:"10000" doc:"The newest so many"`
}

// user returns whom the token belongs to.
func (q *TrafficQuery) user(ctx context.Context, a *account.Accounts) (int64, error) {
	who, err := a.APITokens.Authenticate(ctx, q.Token, account.ScopeRead)
	return who.UserID, cmp.Or(err, v2.CheckOrder("to_iso", q.FromISO, q.ToISO))
}

// Traffic adds the traffic of a user for programs that know nothing but an API token, such as dashboards.
func Traffic(a *account.Accounts, t *traffic.Traffic, nodes *node.Nodes) v2.Resource {
	return func(r *v2.Router) {
		type logQuery struct {
			TrafficQuery
			Offset int64 `query:"offset" default:"0" minimum:"0"`
		}
		v2.Handle(r, v2.PublicOp("GET /tools/user_traffic_log_full/{token}").
			Named("tools_traffic_log", "The log of the token's user by node and hour, the newest first"),
			func(ctx context.Context, _ account.Identity, in *logQuery) ([]v2.TrafficRecord, error) {
				userID, err := in.user(ctx, a)
				if err != nil {
					return nil, err
				}
				page, err := t.Page(ctx, userID, traffic.PageQuery{
					LogFilter: traffic.LogFilter{From: in.FromISO, To: in.ToISO}, Limit: in.Limit, Offset: in.Offset,
				})
				if err != nil {
					return nil, err
				}
				return v2.TrafficRecords(ctx, nodes, userID, page.Records)
			})
		v2.Handle(r, v2.PublicOp("GET /tools/user_traffic_log_user_traffic/{token}").
			Named("tools_traffic_hours", "The traffic of the token's user by hour on all nodes, the oldest first"),
			func(ctx context.Context, _ account.Identity, in *TrafficQuery) ([]v2.TimeAxisPoint, error) {
				userID, err := in.user(ctx, a)
				if err != nil {
					return nil, err
				}
				to := in.ToISO
				if to.IsZero() {
					to = t.Now()
				}
				points, err := t.Chart(ctx, userID, traffic.ChartQuery{From: in.FromISO, To: to, Limit: in.Limit})
				return v2.NewTimeAxis(userID, points), err
			})
	}
}
