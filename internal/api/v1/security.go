package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// Security adds the second factor in its older shapes. gaset with enable=1 and passwd begins the set-up, with code ends
// it; with enable=0 it takes passwd and code. gacheck reports whether a code is right.
func (r *Router) Security(a *account.Accounts) {
	const set, check = "POST /v1/user/gaset", "POST /v1/user/gacheck"
	done := func(req *http.Request, msg fault.Text, data any) (Answer, error) {
		return Answer{Msg: msg.In(api.CallerOf(req.Context()).Lang), Data: data}, nil
	}
	r.user(set, params{
		need("enable").as(flag), may("passwd", "password", "current_password"), may("code", "two_fa_code", "ga_token"),
	}, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		switch {
		case in.Yes("enable") && in.Get("code") != "":
			codes, err := a.TwoFactor.Confirm(req.Context(), who, in.Get("code"), clientOf(req))
			if err != nil {
				return Answer{}, err
			}
			return done(req, fault.Text{ZH: "两步验证已开启", EN: "Two-step sign-in is on"},
				map[string]any{"recovery_codes": codes})
		case in.Yes("enable"):
			if err := in.Need(set, "passwd"); err != nil {
				return Answer{}, err
			}
			e, err := a.TwoFactor.Begin(req.Context(), who, in.Get("passwd"), clientOf(req))
			if err != nil {
				return Answer{}, err
			}
			return done(req, fault.Text{ZH: "请用验证器应用扫码后提交验证码", EN: "Add the secret to your app and send a code of it"},
				map[string]any{"ga_token": e.Secret, "ga_url": e.URI})
		}
		for _, name := range []string{"passwd", "code"} {
			if err := in.Need(set, name); err != nil {
				return Answer{}, err
			}
		}
		if err := a.TwoFactor.TurnOff(req.Context(), who, in.Get("passwd"), in.Get("code"), clientOf(req)); err != nil {
			return Answer{}, err
		}
		return done(req, fault.Text{ZH: "两步验证已关闭", EN: "Two-step sign-in is off"}, nil)
	})
	r.user(check, params{need("code", "two_fa_code", "ga_token")}, func(req *http.Request, who account.Identity,
		in Input,
	) (Answer, error) {
		if err := a.TwoFactor.Check(req.Context(), who, in.Get("code"), clientOf(req)); err != nil {
			return Answer{}, err
		}
		return done(req, fault.Text{ZH: "验证码正确", EN: "The code is right"}, nil)
	})
}
