package staff

import (
	"context"
	"encoding/json"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

type stepUpBody struct {
	Password   string         `json:"password,omitempty" maxLength:"1024" doc:"The caller's own; without a passkey"`
	Code       string         `json:"code,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
	Credential map[string]any `json:"credential,omitempty" doc:"AuthenticationResponseJSON of WebAuthn, for options of auth_passkey_begin; in the place of the password"`
}

// StepUp adds what the operations with x-step-up ask for where the session's last proof is older than ten minutes.
func StepUp(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("POST /staff/step_up", permission.RoleRead).
			Named("staff_step_up", "Show the password or a passkey again, for what asks for step_up_required").
			Answering(fault.Text{ZH: "已验证身份", EN: "You have shown who you are"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[stepUpBody]) (v2.Empty, error) {
				from := v2.ClientOf(ctx)
				if in.Body.Credential == nil {
					return v2.Empty{}, a.SignIns.StepUp(ctx, who, in.Body.Password, in.Body.Code, from)
				}
				credential, err := json.Marshal(in.Body.Credential)
				if err != nil {
					return v2.Empty{}, err
				}
				return v2.Empty{}, a.Passkeys.StepUp(ctx, who, credential, from)
			})
	}
}
