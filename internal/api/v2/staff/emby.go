package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/emby"
	"airstrip/internal/permission"
)

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

// Emby adds what staff does with users' accounts on the media server.
func Emby(media *emby.Emby) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/emby", permission.MediaRead).
			Named("staff_emby_list", "Users' accounts on the media server"),
			func(ctx context.Context, _ account.Identity, in *struct {
				Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
				Offset int64 `query:"offset" default:"0" minimum:"0"`
			},
			) (mediaAccounts, error) {
				accounts, total, err := media.List(ctx, in.Limit, in.Offset)
				out := mediaAccounts{[]mediaAccount{}, total}
				for _, a := range accounts {
					out.Accounts = append(out.Accounts, mediaAccount{
						a.UserID, a.Name, a.EmbyID, a.Wanted, a.State,
						a.Held, a.Allowed, a.LastError, a.UpdatedAt,
					})
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("PUT /staff/emby/{user_id}", permission.MediaWrite).
			Named("staff_emby_set", "Make, turn off or delete a user's account on the media server").
			WithoutVersion("it sets one thing, which the caller names"),
			func(ctx context.Context, _ account.Identity, in *mediaChange) (v2.Empty, error) {
				if in.Body.State != emby.None {
					if _, _, err := media.Own(ctx, in.UserID); err != nil {
						return v2.Empty{}, err
					}
				}
				return v2.Empty{}, media.Want(ctx, in.UserID, in.Body.State, true)
			})
	}
}
