package v2

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

type passkeyResult struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	IsShared   bool       `json:"is_shared" doc:"Whether its owner's devices may share it, by iCloud or a password manager"`
	IsDisabled bool       `json:"is_disabled" doc:"It was seen to count backwards, as a copy does, and signs nobody in any more"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at" doc:"null: never"`
}

type passkeyBeginBody struct {
	Name     string `json:"name,omitempty" maxLength:"256" doc:"1 to 64 characters; empty: named after the device"`
	Password string `json:"password" maxLength:"1024"`
	GaToken  string `json:"ga_token,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
}

type passkeyNameBody struct {
	Name string `json:"name" maxLength:"256" doc:"1 to 64 characters"`
}

type passkeyCredentialBody struct {
	Credential map[string]any `json:"credential" doc:"RegistrationResponseJSON of WebAuthn"`
}

type passkeySignInBody struct {
	Credential   map[string]any `json:"credential" doc:"AuthenticationResponseJSON of WebAuthn"`
	IsRememberMe bool           `json:"is_remember_me,omitempty" doc:"The refresh token lives 30 days instead of one hour"`
}

type passkeyCreationResult struct {
	Options map[string]any `json:"options" doc:"PublicKeyCredentialCreationOptionsJSON of WebAuthn, good for five minutes and one answer"`
}

type passkeyRequestResult struct {
	Options map[string]any `json:"options" doc:"PublicKeyCredentialRequestOptionsJSON of WebAuthn, good for five minutes and one answer"`
}

type passkeyPath struct {
	ID int64 `path:"passkey_id"`
}

// Passkey adds the passkeys of an account, and the sign-in with one.
func Passkey(a *account.Accounts) Resource {
	return func(r *Router) {
		ownPasskeys(r, a)
		handle(r, op{
			method: http.MethodPost, path: "/auth/passkey/begin", id: "auth_passkey_begin", tag: "public", access: open,
			summary: "Begin to sign in with a passkey",
		}, func(ctx context.Context, _ account.Identity, _ *Empty) (out passkeyRequestResult, err error) {
			options, err := a.Passkeys.BeginSignIn(ctx, clientOf(ctx))
			if err != nil {
				return out, err
			}
			return out, json.Unmarshal(options, &out.Options)
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/passkey/finish", id: "auth_passkey_finish", tag: "public", access: open,
			summary: "Sign in with a passkey; it counts as both factors", message: fault.Text{ZH: "登录成功", EN: "Signed in"},
		}, func(ctx context.Context, _ account.Identity, in *body[passkeySignInBody]) (TokensResult, error) {
			credential, err := json.Marshal(in.Body.Credential)
			if err != nil {
				return TokensResult{}, err
			}
			g, err := a.Passkeys.SignIn(ctx, credential, in.Body.IsRememberMe, clientOf(ctx))
			return tokensOf(g), err
		})
	}
}

func ownPasskeys(r *Router, a *account.Accounts) {
	handleList(r, op{method: http.MethodGet, path: "/user/account/passkeys", id: "account_passkeys", tag: "user", access: user, summary: "The user's passkeys, the oldest first"},
		func(ctx context.Context, who account.Identity, _ *Empty) ([]passkeyResult, error) {
			keys, err := a.Passkeys.List(ctx, who.UserID)
			list := make([]passkeyResult, len(keys))
			for i, k := range keys {
				list[i] = showPasskey(k)
			}
			return list, err
		})
	handle(r, op{
		method: http.MethodPost, path: "/user/account/passkeys/begin", id: "account_passkey_begin", tag: "user", access: user,
		summary: "Begin to add a passkey",
	}, func(ctx context.Context, who account.Identity, in *body[passkeyBeginBody]) (out passkeyCreationResult, err error) {
		options, err := a.Passkeys.Begin(ctx, who, in.Body.Name, in.Body.Password, in.Body.GaToken, clientOf(ctx))
		if err != nil {
			return out, fieldsCalled(err, "code", "ga_token")
		}
		return out, json.Unmarshal(options, &out.Options)
	})
	handle(r, op{
		method: http.MethodPost, path: "/user/account/passkeys/finish", id: "account_passkey_finish", tag: "user", access: user,
		summary: "Add the passkey that the device made; ends all other sessions and all API tokens", message: fault.Text{ZH: "通行密钥已添加", EN: "The passkey was added"},
	}, func(ctx context.Context, who account.Identity, in *body[passkeyCredentialBody]) (passkeyResult, error) {
		credential, err := json.Marshal(in.Body.Credential)
		if err != nil {
			return passkeyResult{}, err
		}
		key, err := a.Passkeys.Finish(ctx, who, credential, clientOf(ctx))
		return showPasskey(key), err
	})
	handle(r, op{
		method: http.MethodPost, path: "/user/account/passkeys/{passkey_id}", id: "account_passkey_rename", tag: "user", access: user,
		summary: "Give a passkey another name", message: fault.Text{ZH: "通行密钥已重命名", EN: "The passkey was renamed"},
	}, func(ctx context.Context, who account.Identity, in *struct {
		ID   int64 `path:"passkey_id"`
		Body passkeyNameBody
	},
	) (Empty, error) {
		return Empty{}, a.Passkeys.Rename(ctx, who.UserID, in.ID, in.Body.Name)
	})
	handle(r, op{
		method: http.MethodDelete, path: "/user/account/passkeys/{passkey_id}", id: "account_passkey_remove", tag: "user", access: user,
		summary: "Remove a passkey; ends all other sessions and all API tokens", message: fault.Text{ZH: "通行密钥已移除", EN: "The passkey was removed"},
	}, func(ctx context.Context, who account.Identity, in *passkeyPath) (Empty, error) {
		return Empty{}, a.Passkeys.Remove(ctx, who, in.ID, clientOf(ctx))
	})
}

func showPasskey(k account.Passkey) passkeyResult {
	return passkeyResult{k.ID, k.Name, k.BackupEligible, k.SuspectedAt != nil, k.CreatedAt, k.LastUsedAt}
}
