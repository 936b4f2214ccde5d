package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/emby"
	"airstrip/internal/permission"
)

type mediaAccount struct {
	UserID    int64         `json:"user_id"`
	Email     string        `json:"email" doc:"Empty: the user closed the account here"`
	Name      string        `json:"name" doc:"On the media server"`
	EmbyID    string        `json:"emby_id" doc:"Empty: there is no account on the media server"`
	Wanted    emby.State    `json:"wanted" enum:"none,enabled,disabled"`
	State     emby.State    `json:"state" enum:"none,enabled,disabled" doc:"What the media server was last brought to"`
	Standing  emby.Standing `json:"standing" enum:"none,enabled,disabled,changing,failed" doc:"The state where it is the wanted one; changing: the media server does not know it yet; failed: the last try to tell it failed, and it is tried again"`
	IsHeld    bool          `json:"is_held" doc:"Staff said how it is to stand; the plan does not change it"`
	IsAllowed bool          `json:"is_allowed" doc:"Whether the user's plan includes the media server now"`
	LastError string        `json:"last_error"`
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at" doc:"When it was last said how it is to stand"`
}

type mediaAccounts struct {
	Accounts   []mediaAccount `json:"accounts" doc:"The one that was changed last comes first"`
	TotalCount int64          `json:"total_count"`
	IsSetUp    bool           `json:"is_set_up" doc:"Whether the site has a media server: the settings emby_url and emby_key"`
}

type mediaQuery struct {
	Q        string        `query:"q" maxLength:"200" doc:"What finds the users, as in the list of users: how the e-mail address or the name begins, a domain as @example.com, or the number"`
	Standing emby.Standing `query:"standing" enum:"none,enabled,disabled,changing,failed"`
	Limit    int64         `query:"limit" default:"50" minimum:"1" maximum:"500"`
	Offset   int64         `query:"offset" default:"0" minimum:"0"`
}

type mediaChange struct {
	UserID int64 `path:"user_id" minimum:"1"`
	Body   struct {
		State  emby.State `json:"state" enum:"none,enabled,disabled" doc:"enabled makes the account where there is none; none deletes it"`
		IsHeld *bool      `json:"is_held,omitempty" doc:"false: the plan decides from now on; by default it stays as it is set, whatever the plan"`
	}
}

type mediaOps struct {
	media    *emby.Emby
	console  *console.Console
	accounts *account.Accounts
}

// Emby adds what staff does with users' accounts on the media server.
func Emby(media *emby.Emby, c *console.Console, a *account.Accounts) v2.Resource {
	m := mediaOps{media, c, a}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/emby", permission.MediaRead).
			Named("staff_emby_list", "Users' accounts on the media server"), m.list)
		v2.Handle(r, v2.StaffOp("PUT /staff/emby/{user_id}", permission.MediaWrite).
			Named("staff_emby_set", "Make, turn off or delete a user's account on the media server").
			WithoutVersion("it sets one thing, which the caller names"), m.set)
	}
}

func (m mediaOps) list(ctx context.Context, _ account.Identity, in *mediaQuery) (mediaAccounts, error) {
	out := mediaAccounts{Accounts: []mediaAccount{}}
	q := emby.Query{Standing: in.Standing, Limit: in.Limit, Offset: in.Offset}
	var err error
	if out.IsSetUp, err = m.media.IsSetUp(ctx); err != nil {
		return out, err
	}
	if in.Q != "" {
		if q.UserIDs, err = m.console.FindUsers(ctx, in.Q); err != nil {
			return out, err
		}
	}
	accounts, total, err := m.media.Find(ctx, q)
	if err != nil {
		return out, err
	}
	known, err := ownersOf(ctx, m.accounts, accounts, func(row *emby.Account) int64 { return row.UserID })
	for i := range accounts {
		a := &accounts[i]
		out.Accounts = append(out.Accounts, mediaAccount{
			a.UserID, known.ref(a.UserID).Email, a.Name, a.EmbyID, a.Wanted, a.State, a.Standing(), a.Held, a.Allowed,
			a.LastError, a.CreatedAt, a.UpdatedAt,
		})
	}
	out.TotalCount = total
	return out, err
}

func (m mediaOps) set(ctx context.Context, _ account.Identity, in *mediaChange) (v2.Empty, error) {
	if in.Body.State != emby.None {
		user, err := m.accounts.User(ctx, in.UserID)
		if err == nil && user.ClosedAt != nil {
			err = account.ErrNoUser
		}
		if err != nil {
			return v2.Empty{}, err
		}
		if _, _, err := m.media.Own(ctx, in.UserID); err != nil {
			return v2.Empty{}, err
		}
	}
	held := in.Body.IsHeld == nil || *in.Body.IsHeld
	return v2.Empty{}, m.media.Want(ctx, in.UserID, in.Body.State, held)
}
