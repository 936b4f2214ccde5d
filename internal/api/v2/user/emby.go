package user

import (
	"context"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/emby"
)

type ownMedia struct {
	URL       string     `json:"url" doc:"Leads to the media server, by way of this site"`
	Name      string     `json:"name" doc:"Of the account there"`
	Password  string     `json:"password"`
	State     emby.State `json:"state" enum:"none,enabled,disabled" doc:"none: the account is made once the address is opened"`
	IsAllowed bool       `json:"is_allowed" doc:"Whether the user's plan includes the media server"`
}

// Emby adds the user's account on the media server.
func Emby(media *emby.Emby, siteURL string) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/emby").OpenToVisits().
			Named("emby_get", "The user's account on the media server"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (ownMedia, error) {
				a, password, err := media.Own(ctx, who.UserID)
				if who.Visiting() {
					password, a.Token = "", uuid.Nil
				}
				return ownMedia{siteURL + "/v1/emby_link/" + a.Token.String(), a.Name, password, a.State, a.Allowed},
					err
			})
	}
}
