package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
)

type crispDataResult struct {
	UserEmail    string  `json:"user_email" format:"email"`
	UserNickname string  `json:"user_nickname"`
	SessionData  [][]any `json:"session_data" doc:"Pairs of a name and a value, text or number, as Crisp's session:data takes them"`
}

// Chat adds what the live chat tells support of the user who opens it.
func Chat(a *account.Accounts, w *wallet.Wallets, services *service.Services) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/crisp_data").
			Named("crisp_data", "What support sees of the user in the live chat"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (out crispDataResult, err error) {
				u, err := a.User(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				balance, err := w.Balance(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				access, err := services.Access(ctx, who.UserID)
				if err != nil {
					return out, err
				}
				out = crispDataResult{u.Email, u.Name, [][]any{
					{"user_id", u.ID},
					{"user_new_id", u.UUID},
					{"balance", balance.Available.String()},
					{"access", access.State},
					{"language", u.Lang},
				}}
				if access.ExpiresAt != nil {
					out.SessionData = append(out.SessionData,
						[]any{"expires_at", access.ExpiresAt.Format(time.RFC3339)})
				}
				return out, nil
			})
	}
}
