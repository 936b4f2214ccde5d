package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/link"
	"airstrip/internal/permission"
)

type userSignIn struct {
	At        time.Time `json:"at"`
	IP        string    `json:"ip"`
	Area      string    `json:"area" doc:"Country; ZZ: unknown"`
	UserAgent string    `json:"user_agent"`
	Wrong     string    `json:"wrong" doc:"What was wrong: password, email_code, two_factor; empty: a sign-in"`
}

// UserLinkFetch is a fetch of a link as staff sees it; exported because it is embedded.
type UserLinkFetch struct {
	ID        int64     `json:"id"`
	At        time.Time `json:"at"`
	IP        string    `json:"ip"`
	Area      string    `json:"area" doc:"Country; ZZ: unknown"`
	Token     string    `json:"token" doc:"Fingerprint of the token, which tells two tokens apart"`
	Client    string    `json:"client"`
	Version   string    `json:"version"`
	UserAgent string    `json:"user_agent"`
	Format    string    `json:"format"`
	Status    int       `json:"status"`
	Nodes     int       `json:"nodes"`
	LeftOut   int       `json:"left_out" doc:"Nodes that the client does not speak"`
	Bytes     int64     `json:"bytes"`
}

func newUserLinkFetch(f link.Fetch) UserLinkFetch {
	return UserLinkFetch{
		f.ID, f.FetchedAt, f.IP, f.Area, f.Token, f.Client, f.Version, f.UserAgent, f.Format, f.Status,
		f.Nodes, f.LeftOut, f.Bytes,
	}
}

type userLinkFetches struct {
	Fetches    []UserLinkFetch `json:"fetches" doc:"Newest first"`
	TotalCount int64           `json:"total_count"`
}

// UserHistory adds where a user signs in and fetches the link from.
func UserHistory(a *account.Accounts, l *link.Links) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/users/{user_id}/sign-ins", permission.UserHistoryRead).
			Named("staff_user_sign_ins", "The newest 100 sign-ins of a user, failed ones too"),
			func(ctx context.Context, _ account.Identity, in *userPath) ([]userSignIn, error) {
				records, err := a.History.SignIns(ctx, in.ID)
				out := make([]userSignIn, len(records))
				for i, s := range records {
					out[i] = userSignIn{s.At, s.IP, s.Area, s.UserAgent, string(s.Wrong)}
				}
				return out, err
			})
		type part struct {
			ID     int64 `path:"user_id" minimum:"1"`
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/users/{user_id}/link-fetches", permission.UserHistoryRead).
			Named("staff_user_link_fetches", "The fetches of a user's link"),
			func(ctx context.Context, _ account.Identity, in *part) (userLinkFetches, error) {
				fetches, total, err := l.Fetches(ctx, in.ID, in.Limit, in.Offset)
				out := userLinkFetches{[]UserLinkFetch{}, total}
				for _, f := range fetches {
					out.Fetches = append(out.Fetches, newUserLinkFetch(f))
				}
				return out, err
			})
	}
}
