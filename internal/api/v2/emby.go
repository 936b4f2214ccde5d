package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/emby"
	"airstrip/internal/permission"
)

type ownMedia struct {
	URL       string     `json:"url" doc:"Leads to the media server, by way of this site"`
	Name      string     `json:"name" doc:"Of the account there"`
	Password  string     `json:"password"`
	State     emby.State `json:"state" enum:"none,enabled,disabled" doc:"none: the account is made once the address is opened"`
	IsAllowed bool       `json:"is_allowed" doc:"Whether the user's plan includes the media server"`
}

type mediaAccount struct {
	UserID    int64      `json:"user_id"`
	Name      string     `json:"name"`
	EmbyID    string     `json:"emby_id" doc:"Empty: there is no account on the media server"`
	Wanted    emby.State `json:"wanted" enum:"none,enabled,disabled"`
	State     emby.State `json:"state" enum:"none,enabled,disabled" doc:"What the media server was last brought to"`
	IsHeld    bool       `json:"is_held" doc:"Staff said how it is to stand; the plan does not change it"`
	IsAllowed bool       `json:"is_allowed"`
	LastError string     `json:"last_error"`
	UpdatedAt time.Time  `json:"updated_at"`
}

type mediaAccounts struct {
	Accounts   []mediaAccount `json:"accounts"`
	TotalCount int64          `json:"total_count"`
}

type mediaChange struct {
	UserID int64 `path:"user_id" minimum:"1"`
	Body   struct {
		State emby.State `json:"state" enum:"none,enabled,disabled" doc:"enabled makes the account where there is none; none deletes it"`
	}
}

// Emby adds the user's account on the media server, and what staff does with those of all.
func Emby(media *emby.Emby, siteURL string) Resource {
	return func(r *Router) {
		handle(r, op{method: http.MethodGet, path: "/user/services/emby", id: "emby_get", tag: "user", access: user, summary: "The user's account on the media server"},
			func(ctx context.Context, who account.Identity, _ *Empty) (ownMedia, error) {
				a, password, err := media.Own(ctx, who.UserID)
				return ownMedia{siteURL + "/v1/emby_link/" + a.Token.String(), a.Name, password, a.State, a.Allowed}, err
			})
		handle(r, staffOp("GET /staff/emby", permission.MediaRead).
			named("staff_emby_list", "Users' accounts on the media server"),
			func(ctx context.Context, _ account.Identity, in *struct {
				Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
				Offset int64 `query:"offset" default:"0" minimum:"0"`
			},
			) (mediaAccounts, error) {
				accounts, total, err := media.List(ctx, in.Limit, in.Offset)
				out := mediaAccounts{[]mediaAccount{}, total}
				for _, a := range accounts {
					out.Accounts = append(out.Accounts, mediaAccount{a.UserID, a.Name, a.EmbyID, a.Wanted, a.State, a.Held, a.Allowed, a.LastError, a.UpdatedAt})
				}
				return out, err
			})
		handle(r, staffOp("PUT /staff/emby/{user_id}", permission.MediaWrite).
			named("staff_emby_set", "Make, turn off or delete a user's account on the media server"),
			func(ctx context.Context, _ account.Identity, in *mediaChange) (Empty, error) {
				if in.Body.State != emby.None {
					if _, _, err := media.Own(ctx, in.UserID); err != nil {
						return Empty{}, err
					}
				}
				return Empty{}, media.Want(ctx, in.UserID, in.Body.State, true)
			})
	}
}
