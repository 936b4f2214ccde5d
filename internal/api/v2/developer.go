package v2

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

// APIToken is a token without its secret. It is exported so that the contract shows it in newAPIToken.
type APIToken struct {
	ID         int64           `json:"id"`
	Name       string          `json:"name"`
	Hint       string          `json:"hint" doc:"The token's first eight characters"`
	Scopes     []account.Scope `json:"scopes" doc:"read: GET operations; write: the others; neither opens what is under /user/account and /user/developer; jobs: the server's jobs; partner: what users may use, for partners' services; grant: traffic for users, beside partner; these three for owners and admins"`
	CreatedAt  time.Time       `json:"created_at"`
	ExpiresAt  *time.Time      `json:"expires_at" doc:"null: never"`
	LastUsedAt *time.Time      `json:"last_used_at" doc:"To the minute; null: never"`
}

type newAPIToken struct {
	APIToken
	Token uuid.UUID `json:"token" doc:"The token itself, shown this once. It stands where the access token would: Authorization: Bearer"`
}

type apiTokenBody struct {
	Name      string          `json:"name" doc:"1 to 64 characters"`
	Scopes    []account.Scope `json:"scopes" minItems:"1" maxItems:"10" doc:"read, write, jobs, partner, grant"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty" nullable:"true" doc:"null: never"`
	Password  string          `json:"password" maxLength:"1024" doc:"Of the account: a token outlives the session that makes it"`
	GaToken   string          `json:"ga_token,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
}

// Developer adds the user's API tokens, and lets programs call by them.
func Developer(a *account.Accounts) Resource {
	return func(r *Router) {
		r.token = a.APITokens.Authenticate
		handleList(r, op{method: http.MethodGet, path: "/user/developer/tokens", id: "api_tokens_list", tag: "user", access: user, summary: "The user's API tokens, newest first"},
			func(ctx context.Context, who account.Identity, _ *Empty) (out []APIToken, err error) {
				tokens, err := a.APITokens.List(ctx, who.UserID)
				for _, t := range tokens {
					out = append(out, showAPIToken(t))
				}
				return out, err
			})
		handle(r, op{
			method: http.MethodPost, path: "/user/developer/tokens", id: "api_token_create", tag: "user", access: user,
			summary: "Make an API token; the user is told by mail", message: fault.Text{ZH: "令牌已创建，请立即复制，之后不再显示", EN: "Copy the token now; it is not shown again"},
		}, func(ctx context.Context, who account.Identity, in *body[apiTokenBody]) (newAPIToken, error) {
			draft := account.APITokenDraft{Name: in.Body.Name, Scopes: in.Body.Scopes, Expires: in.Body.ExpiresAt}
			secret, t, err := a.APITokens.Make(ctx, who, draft, in.Body.Password, in.Body.GaToken, clientOf(ctx))
			return newAPIToken{showAPIToken(t), secret}, fieldsCalled(err, "code", "ga_token")
		})
		handle(r, op{
			method: http.MethodDelete, path: "/user/developer/tokens/{token_id}", id: "api_token_revoke", tag: "user", access: user,
			summary: "End an API token at once", message: fault.Text{ZH: "令牌已撤销", EN: "The token was revoked"},
		}, func(ctx context.Context, who account.Identity, in *struct {
			ID int64 `path:"token_id"`
		},
		) (Empty, error) {
			return Empty{}, a.APITokens.Revoke(ctx, who.UserID, in.ID, clientOf(ctx))
		})
	}
}

func showAPIToken(t account.APIToken) APIToken {
	return APIToken{t.ID, t.Name, t.Hint, t.Scopes, t.CreatedAt, t.ExpiresAt, t.LastUsedAt}
}
