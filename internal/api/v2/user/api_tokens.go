package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

// APIToken is a token without its secret. It is exported so that the contract shows it in newAPIToken.
type APIToken struct {
	ID         int64           `json:"id"`
	Name       string          `json:"name"`
	Hint       string          `json:"hint" doc:"The token's first eight characters"`
	Scopes     []account.Scope `json:"scopes" doc:"read: GET operations; write: the others; neither opens what is under /user/account and /user/developer; jobs: the server's jobs; partner: what users may use, for partners' services; grant: traffic for users, beside partner; grafana: the traffic of any user, for dashboards; these four for staff who may do so themselves"`
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
	Scopes    []account.Scope `json:"scopes" minItems:"1" maxItems:"10" doc:"read, write, jobs, partner, grant, grafana"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty" nullable:"true" doc:"null: never"`
	Password  string          `json:"password" maxLength:"1024" doc:"Of the account: a token outlives the session that makes it"`
	GaToken   string          `json:"ga_token,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
}

// APITokens adds the user's API tokens, and lets programs call by them.
func APITokens(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		r.UseAPITokens(a.APITokens.Authenticate)
		v2.HandleList(r, v2.UserOp("GET /user/developer/tokens").OpenToVisits().
			Named("api_tokens_list", "The user's API tokens, newest first"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (out []APIToken, err error) {
				tokens, err := a.APITokens.List(ctx, who.UserID)
				for _, t := range tokens {
					out = append(out, showAPIToken(t))
				}
				return out, err
			})
		v2.Handle(r, v2.UserOp("POST /user/developer/tokens").
			Named("api_token_create", "Make an API token; the user is told by mail").
			Answering(fault.Text{ZH: "令牌已创建，请立即复制，之后不再显示", EN: "Copy the token now; it is not shown again"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[apiTokenBody]) (newAPIToken, error) {
				draft := account.APITokenDraft{Name: in.Body.Name, Scopes: in.Body.Scopes, Expires: in.Body.ExpiresAt}
				secret, t, err := a.APITokens.Make(ctx, who, draft, in.Body.Password, in.Body.GaToken, v2.ClientOf(ctx))
				return newAPIToken{showAPIToken(t), secret}, fieldsCalled(err, "code", "ga_token")
			})
		v2.Handle(r, v2.UserOp("DELETE /user/developer/tokens/{token_id}").
			Named("api_token_revoke", "End an API token at once").
			Answering(fault.Text{ZH: "令牌已撤销", EN: "The token was revoked"}),
			func(ctx context.Context, who account.Identity, in *struct {
				ID int64 `path:"token_id"`
			},
			) (v2.Empty, error) {
				return v2.Empty{}, a.APITokens.Revoke(ctx, who.UserID, in.ID, v2.ClientOf(ctx))
			})
	}
}

func showAPIToken(t account.APIToken) APIToken {
	return APIToken{t.ID, t.Name, t.Hint, t.Scopes, t.CreatedAt, t.ExpiresAt, t.LastUsedAt}
}
