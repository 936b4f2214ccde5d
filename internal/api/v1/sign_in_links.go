package v1

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/captcha"
	"airstrip/internal/fault"
	"airstrip/internal/setting"
)

// SignInLinks adds sign-in by signed links and by one-time tokens that staff makes, and the descriptions of the forms
// for sign-in and sign-up.
func (r *Router) SignInLinks(a *account.Accounts, captchas *captcha.Captchas, settings *setting.Settings,
	siteURL string,
) {
	signedIn := fault.Text{ZH: "登录成功", EN: "Signed in"}
	r.enter("GET /v1/auth/by_url", siteURL, params{
		need("created_at_unix").as(integer), need("valid_token"), need("input_data").as(integer),
		may("login_web_version").oneOf("v1", "v2"),
	}, func(req *http.Request, in Input) (account.Grant, error) {
		return a.SignIns.ByURL(req.Context(), account.SignedURL{
			CreatedAt: in.Get("created_at_unix"), Input: in.Get("input_data"),
			Version: cmp.Or(in.Get("login_web_version"), "v1"),
			Token:   in.Get("valid_token"),
		}, clientOf(req))
	}, signedIn)
	r.enter("GET /v1/auth/by_token_uuid/{token_uuid}", siteURL, params{need("token_uuid")},
		func(req *http.Request, in Input) (account.Grant, error) {
			return a.SignIns.ByToken(req.Context(), in.Get("token_uuid"), clientOf(req))
		}, signedIn)

	r.open("GET /v1/auth/login", nil, func(*http.Request, Input) (Answer, error) {
		return Answer{Data: map[string]any{
			"fields": []formField{
				{"email", "email", true},
				{"passwd", "password", true},
				{"code", "text", false},
				{"remember_me", "checkbox", false},
				{"verify_token", "captcha", false},
			},
			"captcha": showWidget(captchas.Widget(captcha.Login)),
		}}, nil
	})
	r.open("GET /v1/auth/register", nil, func(*http.Request, Input) (Answer, error) {
		site := settings.Get()
		return Answer{Data: map[string]any{
			"mode": site.SignUpMode, "email_domains": append([]string{}, site.SignUpDomains...),
			"fields": []formField{
				{"name", "text", true},
				{"email", "email", true},
				{"passwd", "password", true},
				{"repasswd", "password", true},
				{"code", "text", site.SignUpMode == "invite"},
				{"emailcode", "text", site.SignUpEmailCode},
				{"verify_token", "captcha", false},
			},
			"captcha": showWidget(captchas.Widget(captcha.Register)),
		}}, nil
	})
}

// formField is one field of a form: its name on the wire, what it takes, whether it must be there. A code of the second
// factor and the answer to a captcha are needed once the answer says so.
type formField struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
}

func showWidget(w captcha.Widget) map[string]any {
	return map[string]any{"captcha_key_type": w.Kind, "mode": w.Mode, "provider": w.Provider, "site_key": w.SiteKey}
}

// enter registers a route whose address signs its bearer in: a program gets the tokens, a browser is sent to the page
// that takes them, from the fragment, which no server sees.
func (r *Router) enter(
	pattern, siteURL string, ps params, signIn func(*http.Request, Input) (account.Grant, error), msg fault.Text,
) {
	r.handle(pattern, ps, func(w http.ResponseWriter, req *http.Request) {
		if !strings.Contains(req.Header.Get("Accept"), "text/html") {
			serve(w, req, pattern, ps, func(req *http.Request, in Input) (Answer, error) {
				g, err := signIn(req, in)
				return granted(req, g, msg), err
			})
			return
		}
		var g account.Grant
		in, err := ps.input(req, pattern)
		if err == nil {
			g, err = signIn(req, in)
		}
		page := siteURL + "/auth/sign-in"
		if err == nil {
			page += "-by-access-jwt#" + url.Values{"access_token": {g.Access}, "refresh_token": {g.Refresh}}.Encode()
		} else {
			page += "?reason=" + url.QueryEscape(api.FaultOf(req.Context(), err).Code)
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, req, page, http.StatusSeeOther)
	})
}
