package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type requestEmailChangeBody struct {
	Email           string `json:"email" format:"email" maxLength:"320" doc:"The address that is to be the user's"`
	CurrentPassword string `json:"current_password" maxLength:"1024"`
}

type changeEmailBody struct {
	Email            string `json:"email" format:"email" maxLength:"320" doc:"The address that is to be the user's"`
	EmailCode        string `json:"email_code" maxLength:"64" doc:"Six digits, sent to that address"`
	CurrentEmailCode string `json:"current_email_code" maxLength:"64" doc:"Six digits, sent to the present address"`
}

// Email adds the change of the e-mail address, with codes sent to both addresses.
func Email(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("POST /user/account/edit-email/request-email-code").
			Named("account_edit_email_request_code", "Send a code to the present address and one to the new").
			Answering(fault.Text{ZH: "验证码已分别发送至当前邮箱和新邮箱", EN: "A code is on its way to each of the two addresses"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[requestEmailChangeBody]) (v2.Empty, error) {
				return v2.Empty{}, a.Credentials.RequestEmailChange(ctx, who, in.Body.Email, in.Body.CurrentPassword,
					v2.ClientOf(ctx))
			})
		v2.Handle(r, v2.UserOp("POST /user/account/edit-email").
			Named("account_edit_email",
				"Change the e-mail address with the codes sent to both; ends all other sessions and all API tokens").
			Answering(fault.Text{ZH: "邮箱已更换", EN: "The e-mail address was changed"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[changeEmailBody]) (v2.Empty, error) {
				return v2.Empty{}, a.Credentials.ChangeEmail(ctx, who, in.Body.Email, in.Body.EmailCode,
					in.Body.CurrentEmailCode, v2.ClientOf(ctx))
			})
	}
}
