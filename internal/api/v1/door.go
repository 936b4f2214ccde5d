package v1

import (
	"net/http"
	"net/url"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/captcha"
	"airstrip/internal/fault"
	"airstrip/internal/setting"
)

// Door adds the older ways in: signed addresses, tokens made by staff, and the descriptions of the two forms.
func (r *Router) Door(a *account.Accounts, captchas *captcha.Captchas, settings *setting.Settings, siteURL string) {
	signedIn := fault.Text{ZH: "登录成功", EN: "Signed in"}
	r.enter("GET /v1/auth/by_url", siteURL, func(req *http.Request, in Input) (account.Grant, error) {
		for _, name := range []string{"created_at_unix", "valid_token", "input_data"} {
			if _, err := in.Need("GET /v1/auth/by_url", name); err != nil {
				return account.Grant{}, err
			}
		}
		s := account.SignedURL{CreatedAt: in.Get("created_at_unix"), Input: in.Get("input_data"), Version: in.Get("login_web_version"), Token: in.Get("valid_token")}
		if s.Version == "" {
			s.Version = "v1"
		}
		if s.Version != "v1" && s.Version != "v2" {
			return account.Grant{}, fault.Invalid("login_web_version", "choice", "login_web_version 只能是 v1 或 v2", "The login_web_version is v1 or v2")
		}
		return a.SignInByURL(req.Context(), s, clientOf(req))
	}, signedIn)
	r.enter("GET /v1/auth/by_token_uuid/{token_uuid}", siteURL, func(req *http.Request, _ Input) (account.Grant, error) {
		return a.SignInByToken(req.Context(), req.PathValue("token_uuid"), clientOf(req))
	}, signedIn)

	r.open("GET /v1/auth/login", func(*http.Request, Input) (Answer, error) {
		return Answer{Data: map[string]any{
			"fields": []formField{
				{"email", "email", true}, {"passwd", "password", true}, {"code", "text", false}, {"remember_me", "checkbox", false}, {"verify_token", "captcha", false},
			},
			"captcha": showWidget(captchas.Widget(captcha.Login)),
		}}, nil
	})
	r.open("GET /v1/auth/register", func(*http.Request, Input) (Answer, error) {
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

// enter registers a route whose address signs its holder in: a program gets the tokens, a browser is sent to the page
// that takes them, from the fragment, which no server sees.
func (r *Router) enter(pattern, siteURL string, signIn func(*http.Request, Input) (account.Grant, error), msg fault.Text) {
	r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		if !strings.Contains(req.Header.Get("Accept"), "text/html") {
			serve(w, req, func(req *http.Request, in Input) (Answer, error) {
				g, err := signIn(req, in)
				return granted(req, g, msg), err
			})
			return
		}
		page := siteURL + "/auth/sign-in"
		if g, err := signIn(req, Input{req.URL.Query()}); err == nil {
			page = siteURL + "/auth/sign-in-by-access-jwt#" + url.Values{"access_token": {g.Access}, "refresh_token": {g.Refresh}}.Encode()
		} else {
			page += "?reason=" + url.QueryEscape(api.Seen(req.Context(), err).Code)
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, req, page, http.StatusSeeOther)
	})
}
