package v2

import (
	"context"
	"net/http"

	"airstrip/internal/account"
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

type requestEmailChangeBody struct {
	Email           string `json:"email" format:"email" maxLength:"320" doc:"The address that is to be the user's"`
	CurrentPassword string `json:"current_password" maxLength:"1024"`
}

type changeEmailBody struct {
	Email            string `json:"email" format:"email" maxLength:"320" doc:"The address that is to be the user's"`
	EmailCode        string `json:"email_code" maxLength:"64" doc:"Six digits, sent to that address"`
	CurrentEmailCode string `json:"current_email_code" maxLength:"64" doc:"Six digits, sent to the present address"`
}

// codeSent says what holds for addresses with and without an account.
var codeSent = fault.Text{
	ZH: "验证码已发送，10 分钟内有效；如未收到，请检查垃圾邮件和邮箱地址",
	EN: "A code is on its way, good for ten minutes; if none arrives, look into the spam folder and check the address",
}

// Code adds what is done with codes sent by e-mail. Asking for one gets the same answer for every address.
func Code(a *account.Accounts) Resource {
	return func(r *Router) {
		for _, o := range []struct {
			path, id, summary string
			purpose           account.Purpose
		}{
			{"/auth/account_register", "auth_register_request_code", "Send a code that proves an address for sign-up", account.ForRegister},
			{"/auth/account_login", "auth_login_request_code", "Send a code to sign in with", account.ForLogin},
			{"/auth/account_reset_password", "auth_reset_request_code", "Send a code to set a new password with", account.ForForgotPassword},
		} {
			handle(r, op{
				method: http.MethodPost, path: o.path + "/request-email-code", id: o.id, tag: "public", access: open, summary: o.summary, message: codeSent,
			}, func(ctx context.Context, _ account.Identity, in *body[requestCodeBody]) (Empty, error) {
				return Empty{}, a.EmailCodes.Request(ctx, o.purpose, in.Body.Email, in.Body.client(ctx))
			})
		}
		handle(r, op{
			method: http.MethodPost, path: "/auth/account_login/login-by-email-code", id: "auth_login_by_code", tag: "public", access: open,
			summary: "Sign in with a code sent by e-mail", message: fault.Text{ZH: "登录成功", EN: "Signed in"},
		}, func(ctx context.Context, _ account.Identity, in *body[signInByCodeBody]) (TokensResult, error) {
			g, err := a.SignIns.ByCode(ctx, account.SignIn{
				Email: in.Body.Email, EmailCode: in.Body.EmailCode, TwoFactor: in.Body.TwoFACode.text(), Remember: in.Body.IsRememberMe,
			}, clientOf(ctx))
			return tokensOf(g), err
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/account_reset_password", id: "auth_reset_password", tag: "public", access: open,
			summary: "Set a new password with a code sent by e-mail; ends all sessions and API tokens, removes passkeys and the link to Telegram", message: fault.Text{ZH: "密码已重置，请用新密码登录", EN: "The password was set; sign in with it"},
		}, func(ctx context.Context, _ account.Identity, in *body[resetPasswordBody]) (Empty, error) {
			return Empty{}, a.Credentials.ResetPassword(ctx, in.Body.Email, in.Body.EmailCode, in.Body.Password, clientOf(ctx))
		})
		handle(r, op{
			method: http.MethodPost, path: "/user/account/edit-email/request-email-code", id: "account_edit_email_request_code", tag: "user", access: user,
			summary: "Send a code to the present address and one to the new", message: fault.Text{ZH: "验证码已分别发送至当前邮箱和新邮箱", EN: "A code is on its way to each of the two addresses"},
		}, func(ctx context.Context, who account.Identity, in *body[requestEmailChangeBody]) (Empty, error) {
			return Empty{}, a.Credentials.RequestEmailChange(ctx, who, in.Body.Email, in.Body.CurrentPassword, clientOf(ctx))
		})
		handle(r, op{
			method: http.MethodPost, path: "/user/account/edit-email", id: "account_edit_email", tag: "user", access: user,
			summary: "Change the e-mail address with the codes sent to both; ends all other sessions and all API tokens", message: fault.Text{ZH: "邮箱已更换", EN: "The e-mail address was changed"},
		}, func(ctx context.Context, who account.Identity, in *body[changeEmailBody]) (Empty, error) {
			return Empty{}, a.Credentials.ChangeEmail(ctx, who, in.Body.Email, in.Body.EmailCode, in.Body.CurrentEmailCode, clientOf(ctx))
		})
	}
}
