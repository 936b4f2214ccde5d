package user

import (
	"context"
	"encoding/json"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type stepUpWays struct {
	Password  bool `json:"password" doc:"Whether the account has one"`
	Passkey   bool `json:"passkey"`
	EmailCode bool `json:"email_code" doc:"Whether a mailed code is enough, since there is no other way"`
	TwoFactor bool `json:"two_factor" doc:"Whether password and mailed code need a code of the app besides"`
}

type stepUpBody struct {
	Password   string         `json:"password,omitempty" maxLength:"1024"`
	EmailCode  string         `json:"email_code,omitempty" maxLength:"64" doc:"Of account_step_up_request_code"`
	Code       string         `json:"code,omitempty" maxLength:"64" doc:"Second factor, where it is on"`
	Credential map[string]any `json:"credential,omitempty" doc:"AuthenticationResponseJSON, for options of auth_passkey_begin"`
}

// StepUp adds what the operations with x-step-up ask for, of users and of staff, where the session's last proof is
// older than ten minutes.
func StepUp(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/account/step-up").
			Named("account_step_up_ways", "How the user can show again who they are"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (stepUpWays, error) {
				ways, err := a.SignIns.StepUpWays(ctx, who)
				return stepUpWays(ways), err
			})
		v2.Handle(r, v2.UserOp("POST /user/account/step-up/request-email-code").
			Named("account_step_up_request_code",
				"Send the user a code to show who they are; 409 step_up_other_way where there is a password or a passkey").
			Answering(fault.Text{ZH: "验证码已发送至你的邮箱", EN: "A code is on its way to your address"}),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (v2.Empty, error) {
				return v2.Empty{}, a.SignIns.SendStepUpCode(ctx, who, v2.ClientOf(ctx))
			})
		v2.Handle(r, v2.UserOp("POST /user/account/step-up").Audited().
			Named("account_step_up", "Show the password or a passkey again, for what asks for step_up_required").
			Answering(fault.Text{ZH: "已验证身份", EN: "You have shown who you are"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[stepUpBody]) (v2.Empty, error) {
				from, b := v2.ClientOf(ctx), in.Body
				switch {
				case b.Credential != nil:
					credential, err := json.Marshal(b.Credential)
					if err != nil {
						return v2.Empty{}, err
					}
					return v2.Empty{}, a.Passkeys.StepUp(ctx, who, credential, from)
				case b.EmailCode != "":
					return v2.Empty{}, a.SignIns.StepUpByCode(ctx, who, b.EmailCode, b.Code, from)
				}
				return v2.Empty{}, a.SignIns.StepUp(ctx, who, b.Password, b.Code, from)
			})
	}
}
