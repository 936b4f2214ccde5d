package user

import (
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
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

type passkeyCreationResult struct {
	Options map[string]any `json:"options" doc:"PublicKeyCredentialCreationOptionsJSON of WebAuthn, good for five minutes and one answer"`
}

type passkeyPath struct {
	ID int64 `path:"passkey_id"`
}

// Passkeys adds the passkeys of an account.
func Passkeys(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.UserOp("GET /user/account/passkeys").OpenToVisits().
			Named("account_passkeys", "The user's passkeys, the oldest first"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) ([]passkeyResult, error) {
				keys, err := a.Passkeys.List(ctx, who.UserID)
				list := make([]passkeyResult, len(keys))
				for i, k := range keys {
					list[i] = showPasskey(k)
				}
				return list, err
			})
		v2.Handle(r, v2.UserOp("POST /user/account/passkeys/begin").
			Named("account_passkey_begin", "Begin to add a passkey"),
			func(ctx context.Context, who account.Identity, in *v2.Body[passkeyBeginBody]) (out passkeyCreationResult,
				err error,
			) {
				options, err := a.Passkeys.Begin(ctx, who, in.Body.Name, in.Body.Password, in.Body.GaToken,
					v2.ClientOf(ctx))
				if err != nil {
					return out, fieldsCalled(err, "code", "ga_token")
				}
				return out, json.Unmarshal(options, &out.Options)
			})
		v2.Handle(r, v2.UserOp("POST /user/account/passkeys/finish").
			Named("account_passkey_finish",
				"Add the passkey that the device made; ends all other sessions and all API tokens").
			Answering(fault.Text{ZH: "通行密钥已添加", EN: "The passkey was added"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[passkeyCredentialBody]) (passkeyResult, error) {
				credential, err := json.Marshal(in.Body.Credential)
				if err != nil {
					return passkeyResult{}, err
				}
				key, err := a.Passkeys.Finish(ctx, who, credential, v2.ClientOf(ctx))
				return showPasskey(key), err
			})
		v2.Handle(r, v2.UserOp("POST /user/account/passkeys/{passkey_id}").
			Named("account_passkey_rename", "Give a passkey another name").
			Answering(fault.Text{ZH: "通行密钥已重命名", EN: "The passkey was renamed"}),
			func(ctx context.Context, who account.Identity, in *struct {
				ID   int64 `path:"passkey_id"`
				Body passkeyNameBody
			},
			) (v2.Empty, error) {
				return v2.Empty{}, a.Passkeys.Rename(ctx, who.UserID, in.ID, in.Body.Name)
			})
		v2.Handle(r, v2.UserOp("DELETE /user/account/passkeys/{passkey_id}").StepUp().
			Named("account_passkey_remove", "Remove a passkey; ends all other sessions and all API tokens").
			Answering(fault.Text{ZH: "通行密钥已移除", EN: "The passkey was removed"}),
			func(ctx context.Context, who account.Identity, in *passkeyPath) (v2.Empty, error) {
				return v2.Empty{}, a.Passkeys.Remove(ctx, who, in.ID, v2.ClientOf(ctx))
			})
	}
}

func showPasskey(k account.Passkey) passkeyResult {
	return passkeyResult{k.ID, k.Name, k.BackupEligible, k.SuspectedAt != nil, k.CreatedAt, k.LastUsedAt}
}
