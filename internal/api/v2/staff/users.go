package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/permission"
)

type replacedEmail struct {
	UserID    int64     `json:"user_id"`
	OldEmail  string    `json:"old_email"`
	NewEmail  string    `json:"new_email"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Users adds what staff does with users.
func Users(a *account.Accounts) v2.Resource {
	type wish struct {
		UserID   int64  `query:"user_id" required:"true" minimum:"1"`
		OldEmail string `query:"user_old_email" required:"true" maxLength:"254" doc:"The user's present address"`
		NewEmail string `query:"user_new_email" required:"true" maxLength:"254"`
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /admin_api/replace_user_email", permission.UserEmailReplace).
			Named("replace_user_email",
				"Give a user another address; both must be right, and all sessions of the user end").ChangesByGET(),
			func(ctx context.Context, who account.Identity, in *wish) (replacedEmail, error) {
				former, err := a.Credentials.ReplaceEmail(ctx, who, in.UserID, in.OldEmail, in.NewEmail, "",
					v2.ClientOf(ctx))
				return replacedEmail{in.UserID, former, account.NormalEmail(in.NewEmail), time.Now().UTC()}, err
			})
	}
}
