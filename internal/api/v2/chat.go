package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
)

type crispDataResult struct {
	UserEmail    string  `json:"user_email" format:"email"`
	UserNickname string  `json:"user_nickname"`
	SessionData  [][]any `json:"session_data" doc:"Pairs of a name and a value, text or number, as Crisp's session:data takes them"`
}

// Chat adds what the live chat tells support of the user who opens it.
func Chat(a *account.Accounts, w *wallet.Wallets, services *service.Services) Resource {
	return func(r *Router) {
		handle(r, op{method: http.MethodGet, path: "/user/crisp_data", id: "crisp_data", tag: "user", access: user, summary: "What support sees of the user in the live chat"},
			func(ctx context.Context, who account.Identity, _ *Empty) (out crispDataResult, err error) {
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
					{"user_id", u.ID}, {"user_new_id", u.UUID}, {"balance", balance.Available.String()}, {"access", access.State}, {"language", u.Lang},
				}}
				if access.ExpiresAt != nil {
					out.SessionData = append(out.SessionData, []any{"expires_at", access.ExpiresAt.Format(time.RFC3339)})
				}
				return out, nil
			})
	}
}
