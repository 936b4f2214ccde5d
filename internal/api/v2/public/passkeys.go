package public

import (
	"context"
	"encoding/json"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type passkeySignInBody struct {
	Credential   map[string]any `json:"credential" doc:"AuthenticationResponseJSON of WebAuthn"`
	IsRememberMe bool           `json:"is_remember_me,omitempty" doc:"The refresh token lives 30 days instead of one hour"`
}

type passkeyRequestResult struct {
	Options map[string]any `json:"options" doc:"PublicKeyCredentialRequestOptionsJSON of WebAuthn, good for five minutes and one answer"`
}

// Passkeys adds the sign-in with a passkey.
func Passkeys(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.PublicOp("POST /auth/passkey/begin").
			Named("auth_passkey_begin", "Begin to sign in with a passkey"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out passkeyRequestResult, err error) {
				options, err := a.Passkeys.BeginSignIn(ctx, v2.ClientOf(ctx))
				if err != nil {
					return out, err
				}
				return out, json.Unmarshal(options, &out.Options)
			})
		v2.Handle(r, v2.PublicOp("POST /auth/passkey/finish").
			Named("auth_passkey_finish", "Sign in with a passkey; it counts as both factors").
			Answering(fault.Text{ZH: "登录成功", EN: "Signed in"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[passkeySignInBody]) (v2.TokensResult, error) {
				credential, err := json.Marshal(in.Body.Credential)
				if err != nil {
					return v2.TokensResult{}, err
				}
				g, err := a.Passkeys.SignIn(ctx, credential, in.Body.IsRememberMe, v2.ClientOf(ctx))
				return v2.TokensOf(g), err
			})
	}
}
