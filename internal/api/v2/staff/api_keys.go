package staff

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/permission"
)

type apiKey struct {
	ID         int64           `json:"id"`
	Name       string          `json:"name"`
	Hint       string          `json:"hint" doc:"The secret's first eight characters"`
	Scopes     []account.Scope `json:"scopes" enum:"jobs,partner,grant,grafana,read,write"`
	MemberID   int64           `json:"member_id" doc:"Who made it, and for whom it acts"`
	Email      string          `json:"email" doc:"Of that member"`
	Works      bool            `json:"works" doc:"False: expired, or its member may no longer do what it is for"`
	CreatedAt  time.Time       `json:"created_at"`
	ExpiresAt  *time.Time      `json:"expires_at" nullable:"true" doc:"null: never"`
	LastUsedAt *time.Time      `json:"last_used_at" nullable:"true" doc:"To the minute; null: never"`
}

type madeAPIKey struct {
	Key    apiKey    `json:"key"`
	Secret uuid.UUID `json:"secret" doc:"Not shown again"`
}

type apiKeySecret struct {
	Secret uuid.UUID `json:"secret" doc:"Not shown again; the former one is refused from now on"`
}

type apiKeyPath struct {
	ID int64 `path:"key_id" minimum:"1"`
}

type apiKeyBody struct {
	Name      string          `json:"name" minLength:"1" maxLength:"64"`
	Scopes    []account.Scope `json:"scopes" minItems:"1" maxItems:"4" doc:"jobs: run the server's jobs; partner: what users may use; grant: traffic for users, beside partner; grafana: the traffic of any user"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty" nullable:"true" doc:"null: never"`
	Reason    string          `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
}

// APIKeys adds the API tokens of programs that act for staff. Tokens of users for themselves are not among them.
func APIKeys(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/api-keys", permission.APIKeyRead).
			Named("staff_api_keys", "API keys of programs that act for staff, the newest first"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []apiKey, err error) {
				keys, err := a.APITokens.Keys(ctx)
				for i := range keys {
					out = append(out, showAPIKey(&keys[i]))
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/api-keys", permission.APIKeyWrite).
			Named("staff_api_key_make", "Make an API key that acts for the caller, who gets a mail about it"),
			func(ctx context.Context, who account.Identity, in *v2.Body[apiKeyBody]) (madeAPIKey, error) {
				b := in.Body
				draft := account.APITokenDraft{Name: b.Name, Scopes: b.Scopes, Expires: b.ExpiresAt}
				secret, key, err := a.APITokens.MakeKey(ctx, who, draft, b.Reason, v2.ClientOf(ctx))
				return madeAPIKey{showAPIKey(&key), secret}, err
			})
		type rotation struct {
			ID   int64 `path:"key_id" minimum:"1"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/api-keys/{key_id}/rotate", permission.APIKeyWrite).
			Named("staff_api_key_rotate", "Replace the secret of an API key of one's own"),
			func(ctx context.Context, who account.Identity, in *rotation) (apiKeySecret, error) {
				secret, err := a.APITokens.RotateKey(ctx, who, in.ID, in.Body.Reason, v2.ClientOf(ctx))
				return apiKeySecret{secret}, err
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/api-keys/{key_id}", permission.APIKeyWrite).
			Named("staff_api_key_revoke", "End an API key at once"),
			func(ctx context.Context, who account.Identity, in *apiKeyPath) (nothing, error) {
				return nothing{}, a.APITokens.RevokeKey(ctx, who, in.ID)
			})
	}
}

func showAPIKey(k *account.APIKey) apiKey {
	return apiKey{
		k.ID, k.Name, k.Hint, k.Scopes, k.AccountID, k.Email, k.Works, k.CreatedAt, k.ExpiresAt, k.LastUsedAt,
	}
}
