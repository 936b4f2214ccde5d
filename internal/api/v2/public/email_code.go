package public

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type requestCodeBody struct {
	Email string `json:"email" format:"email" maxLength:"320"`
	ChallengeBody
}

type resetPasswordBody struct {
	Email     string `json:"email" format:"email" maxLength:"320"`
	EmailCode string `json:"email_code" maxLength:"64" doc:"Six digits"`
	Password  string `json:"password" doc:"8 to 128 characters, not among the most common"`
}

type signInByCodeBody struct {
	Email        string `json:"email" format:"email" maxLength:"320"`
	EmailCode    string `json:"email_code" maxLength:"64" doc:"Six digits"`
	IsRememberMe bool   `json:"is_remember_me,omitempty" doc:"The refresh token lives 30 days instead of one hour"`
	TwoFACode
}

// codeSent says what holds for addresses with and without an account.
var codeSent = fault.Text{
	ZH: "验证码已发送，10 分钟内有效；如未收到，请检查垃圾邮件和邮箱地址",
	EN: "A code is on its way, good for ten minutes; if none arrives, look into the spam folder and check the address",
}

// EmailCodes adds what is done with codes sent by e-mail: sign-in, sign-up and new passwords. Asking for one gets the
// same answer for every address.
func EmailCodes(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		for _, o := range []struct {
			path, id, summary string
			purpose           account.Purpose
		}{
			{
				"/auth/account_register", "auth_register_request_code",
				"Send a code that proves an address for sign-up",
				account.ForRegister,
			},
			{"/auth/account_login", "auth_login_request_code", "Send a code to sign in with", account.ForLogin},
			{
				"/auth/account_reset_password", "auth_reset_request_code", "Send a code to set a new password with",
				account.ForForgotPassword,
			},
		} {
			v2.Handle(r, v2.PublicOp("POST "+o.path+"/request-email-code").
				Named(o.id, o.summary).
				Answering(codeSent),
				func(ctx context.Context, _ account.Identity, in *v2.Body[requestCodeBody]) (v2.Empty, error) {
					return v2.Empty{}, a.EmailCodes.Request(ctx, o.purpose, in.Body.Email, in.Body.client(ctx))
				})
		}
		v2.Handle(r, v2.PublicOp("POST /auth/account_login/login-by-email-code").
			Named("auth_login_by_code", "Sign in with a code sent by e-mail").
			Answering(fault.Text{ZH: "登录成功", EN: "Signed in"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[signInByCodeBody]) (v2.TokensResult, error) {
				g, err := a.SignIns.ByCode(ctx, account.SignIn{
					Email: in.Body.Email, EmailCode: in.Body.EmailCode, TwoFactor: in.Body.TwoFACode.text(),
					Remember: in.Body.IsRememberMe,
				}, v2.ClientOf(ctx))
				return v2.TokensOf(g), err
			})
		v2.Handle(r, v2.PublicOp("POST /auth/account_reset_password").
			Named("auth_reset_password",
				"Set a new password with a code sent by e-mail; ends all sessions and API tokens, removes passkeys "+
					"and the link to Telegram").
			Answering(fault.Text{ZH: "密码已重置，请用新密码登录", EN: "The password was set; sign in with it"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[resetPasswordBody]) (v2.Empty, error) {
				return v2.Empty{}, a.Credentials.ResetPassword(ctx, in.Body.Email, in.Body.EmailCode, in.Body.Password,
					v2.ClientOf(ctx))
			})
	}
}
