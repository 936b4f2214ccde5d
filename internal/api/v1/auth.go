package v1

import (
	"cmp"
	"net/http"
	"slices"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// Auth adds sign-in, sign-up and the change of the password in their older shapes.
func (r *Router) Auth(a *account.Accounts) {
	signedIn := fault.Text{ZH: "登录成功", EN: "Signed in"}
	signIn := func(operation string) func(req *http.Request, in Input) (Answer, error) {
		return func(req *http.Request, in Input) (Answer, error) {
			email, err := in.Need(operation, "email")
			if err != nil {
				return Answer{}, err
			}
			password, err := in.Need(operation, "passwd")
			if err != nil {
				return Answer{}, err
			}
			g, err := a.SignIn(req.Context(), account.Credentials{Email: email, Password: password, TwoFactor: in.Get("code"), Remember: in.yes("remember_me")}, answeredBy(req, in))
			return granted(req, g, signedIn), called(err, "password", "passwd")
		}
	}
	r.open("GET /v1/authorization", signIn("GET /v1/authorization"))
	r.open("POST /v1/auth/login", signIn("POST /v1/auth/login"))

	r.open("POST /v1/auth/register", func(req *http.Request, in Input) (Answer, error) {
		for _, name := range []string{"name", "email", "passwd", "repasswd"} {
			if _, err := in.Need("POST /v1/auth/register", name); err != nil {
				return Answer{}, err
			}
		}
		g, err := a.SignUp(req.Context(), account.SignUp{
			Email: in.Get("email"), Name: in.Get("name"), Password: in.Get("passwd"), Repeated: in.Get("repasswd"), InviteCode: in.Get("code"), EmailCode: in.Get("emailcode"),
		}, answeredBy(req, in))
		return granted(req, g, fault.Text{ZH: "注册成功", EN: "Welcome"}), called(err, "password", "passwd", "re_password", "repasswd", "invite_code", "code", "email_code", "emailcode")
	})

	r.user("POST /v1/user/password", func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		for _, name := range []string{"oldpwd", "pwd", "repwd"} {
			if _, err := in.Need("POST /v1/user/password", name); err != nil {
				return Answer{}, err
			}
		}
		if in.Get("pwd") != in.Get("repwd") {
			return Answer{}, fault.Invalid("repwd", "mismatch", "两次输入的密码不一致", "The two passwords are not the same")
		}
		g, err := a.ChangePassword(req.Context(), who, in.Get("oldpwd"), in.Get("pwd"), clientOf(req))
		return granted(req, g, fault.Text{ZH: "密码已修改", EN: "The password was changed"}), called(err, "current_password", "oldpwd", "password", "oldpwd", "new_password", "pwd")
	})
}

func granted(req *http.Request, g account.Grant, msg fault.Text) Answer {
	return Answer{Msg: msg.In(api.CallerOf(req.Context()).Lang), Data: map[string]any{
		"access_token": g.Access, "refresh_token": g.Refresh, "user_id": g.User.ID, "user_name": g.User.Name, "email": g.User.Email,
	}}
}

// yes reads a tick box.
func (in Input) yes(name string) bool {
	return slices.Contains([]string{"1", "true", "on", "yes", "week"}, in.Get(name))
}

func clientOf(req *http.Request) account.Client {
	c := api.CallerOf(req.Context())
	return account.Client{IP: c.IP, UserAgent: c.UserAgent, Lang: c.Lang}
}

// answeredBy gives the client with its answer to a captcha, under our name for it or one that a provider's widget has.
func answeredBy(req *http.Request, in Input) account.Client {
	c := clientOf(req)
	for _, name := range []string{"verify_token", "cf-turnstile-response", "h-captcha-response", "g-recaptcha-response"} {
		c.Captcha = cmp.Or(c.Captcha, in.Get(name))
	}
	return c
}

// called gives the fault err with its fields under the names that this API has for them: name, older name, and so on.
func called(err error, names ...string) error {
	f, ok := fault.As(err)
	if !ok {
		return err
	}
	renamed := *f
	renamed.Fields = slices.Clone(f.Fields)
	for i := range renamed.Fields {
		if at := slices.Index(names, renamed.Fields[i].Name); at >= 0 && at%2 == 0 {
			renamed.Fields[i].Name = names[at+1]
		}
	}
	return &renamed
}
