package v1

import (
	"cmp"
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// Auth adds sign-in, sign-up and the change of the password in their older shapes.
func (r *Router) Auth(a *account.Accounts) {
	signedIn := fault.Text{ZH: "登录成功", EN: "Signed in"}
	credentials := params{
		need("email"), need("passwd", "password"), may("code", "two_fa_code"),
		rememberMe,
	}.and(verified)
	signIn := func(req *http.Request, in Input) (Answer, error) {
		g, err := a.SignIns.ByPassword(req.Context(), account.SignIn{
			Email: in.Get("email"), Password: in.Get("passwd"), TwoFactor: in.Get("code"),
			Remember: in.Yes("remember_me"),
		}, answeredBy(req, in))
		return granted(req, g, signedIn), err
	}
	r.open("GET /v1/authorization", credentials, signIn)
	r.open("POST /v1/auth/login", credentials, signIn)

	r.open("POST /v1/auth/register", params{
		need("name"), need("email"), need("passwd", "password"), need("repasswd", "re_password"),
		may("code", "invite_code"), may("emailcode", "email_code"), may("terms", "accepted_terms"),
	}.and(verified), func(req *http.Request, in Input) (Answer, error) {
		g, err := a.SignUps.SignUp(req.Context(), account.SignUp{
			Email: in.Get("email"), Name: in.Get("name"), Password: in.Get("passwd"), Repeated: in.Get("repasswd"),
			InviteCode: in.Get("code"), EmailCode: in.Get("emailcode"), AcceptedTerms: in.Get("terms"),
		}, answeredBy(req, in))
		return granted(req, g, fault.Text{ZH: "注册成功", EN: "Welcome"}), err
	})

	r.user("POST /v1/user/password", params{
		need("oldpwd", "current_password", "password"), need("pwd", "new_password"), need("repwd"),
	}, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		if in.Get("pwd") != in.Get("repwd") {
			return Answer{}, fault.Invalid("repwd", "mismatch", "两次输入的密码不一致", "The two passwords are not the same")
		}
		g, err := a.Credentials.ChangePassword(req.Context(), who, in.Get("oldpwd"), in.Get("pwd"), clientOf(req))
		return granted(req, g, fault.Text{ZH: "密码已修改", EN: "The password was changed"}), err
	})
}

// rememberMe is the tick box of the sign-in. Older forms send how long: week.
var rememberMe = param{name: "remember_me", kind: flag, on: []string{"week"}}

func granted(req *http.Request, g account.Grant, msg fault.Text) Answer {
	return Answer{Msg: msg.In(api.CallerOf(req.Context()).Lang), Data: map[string]any{
		"access_token": g.Access, "refresh_token": g.Refresh, "user_id": g.User.ID, "user_name": g.User.Name,
		"email": g.User.Email,
	}}
}

func clientOf(req *http.Request) account.Client {
	c := api.CallerOf(req.Context())
	return account.Client{IP: c.IP, UserAgent: c.UserAgent, Lang: c.AskedLang}
}

// answeredBy returns the client with its answer to a captcha, under our name for it or one that a provider's widget
// has.
func answeredBy(req *http.Request, in Input) account.Client {
	c := clientOf(req)
	for _, p := range verified {
		c.Captcha = cmp.Or(c.Captcha, in.Get(p.name))
	}
	return c
}
