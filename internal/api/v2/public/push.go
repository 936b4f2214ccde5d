package public

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/webpush"
)

type pushRenewBody struct {
	OldEndpoint string `json:"old_endpoint" maxLength:"2048" doc:"Of the PushSubscription that ended"`
	OldAuth     string `json:"old_auth" maxLength:"100" doc:"Its secret, which shows that the same browser asks"`
	Endpoint    string `json:"endpoint" maxLength:"2048" doc:"Of the new PushSubscription"`
	P256DH      string `json:"p256dh" maxLength:"200" doc:"Key of that name, in base64url"`
	Auth        string `json:"auth" maxLength:"100" doc:"Secret of that name, in base64url"`
}

// Push adds what the service worker calls when the browser's push service replaced a subscription. It has no session:
// the secret of the former subscription stands for one.
func Push(p *webpush.Push) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.PublicOp("POST /auth/push/renew").
			Named("push_renew", "Name the new address of a browser that is notified; 404 push_subscription_not_found"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[pushRenewBody]) (v2.Empty, error) {
				b := in.Body
				return v2.Empty{}, p.Renew(ctx, v2.ClientOf(ctx).IP, b.OldEndpoint, b.OldAuth,
					webpush.Target{Endpoint: b.Endpoint, P256DH: b.P256DH, Auth: b.Auth})
			})
	}
}
