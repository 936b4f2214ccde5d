package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// Code adds the sending of codes by e-mail and the new password with one, in their older shapes.
func (r *Router) Code(a *account.Accounts) {
	for pattern, purpose := range map[string]account.Purpose{
		"POST /v1/auth/send": account.ForRegister, "POST /v1/password/reset": account.ForForgotPassword,
	} {
		r.open(pattern, params{need("email")}.and(verified), func(req *http.Request, in Input) (Answer, error) {
			sent := fault.Text{ZH: "邮件已发送，请查收", EN: "A mail is on its way"}
			return message(req, sent), a.EmailCodes.Request(req.Context(), purpose, in.Get("email"), answeredBy(req, in))
		})
	}

	// The token is the end of the link in the mail, which holds the address and the code.
	r.open("POST /v1/password/token/{token}", params{
		need("token", "email", "email_code"), need("password"),
		need("repasswd"),
	},
		func(req *http.Request, in Input) (Answer, error) {
			email, code, err := account.ParseResetToken(in.Get("token"))
			if err != nil {
				return Answer{}, err
			}
			if in.Get("password") != in.Get("repasswd") {
				return Answer{}, fault.Invalid("repasswd", "mismatch", "两次输入的密码不一致",
					"The two passwords are not the same")
			}
			err = a.Credentials.ResetPassword(req.Context(), email, code, in.Get("password"), clientOf(req))
			return message(req, fault.Text{ZH: "密码已重置，请用新密码登录", EN: "The password was set; sign in with it"}), err
		})
}

func message(req *http.Request, msg fault.Text) Answer {
	return Answer{Msg: msg.In(api.CallerOf(req.Context()).Lang)}
}
