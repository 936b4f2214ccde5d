package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

// SignOut adds the end of a session or a visit, which ends its streams.
func SignOut(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		r.UseStreams(a.Streams.Open)
		r.UseVisits(a.Sessions.AuthenticateVisitor)
		v2.Handle(r, v2.UserOp("POST /auth/sign-out").OpenToVisits().
			Named("auth_sign_out", "End the session that makes the call").
			Answering(fault.Text{ZH: "已退出登录", EN: "Signed out"}),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (v2.Empty, error) {
				return v2.Empty{}, a.Sessions.SignOut(ctx, who, v2.ClientOf(ctx))
			})
	}
}
