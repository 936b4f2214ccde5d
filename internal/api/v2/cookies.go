package v2

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

type loginOldBody struct {
	AccessToken  *string `json:"access_token,omitempty" nullable:"true" maxLength:"4096"`
	RefreshToken *string `json:"refresh_token,omitempty" nullable:"true" maxLength:"4096"`
}

type oldCookies struct {
	UID      int64  `json:"uid"`
	Email    string `json:"email" format:"email"`
	ExpireIn int64  `json:"expire_in" doc:"Unix time"`
	IP       string `json:"ip" doc:"The only address that may show the cookies"`
	Key      string `json:"key" doc:"45 hex digits"`
	IsLogin  bool   `json:"is_login"`
	IsAdmin  bool   `json:"is_admin"`
}

type oldCookiesOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      Envelope[oldCookies]
}

type csrfAnswer struct {
	Envelope[csrfResult]
	CSRFToken uuid.UUID `json:"csrf_token" doc:"For the header X-CSRF-Token"`
}

type csrfResult struct {
	CSRFToken uuid.UUID `json:"csrf_token" doc:"For the header X-CSRF-Token"`
}

// Cookies adds the older cookies, for the one operation that still takes them.
func Cookies(a *account.Accounts) Resource {
	return func(r *Router) {
		o := op{
			method: http.MethodPost, path: "/auth/jwt_token/login_old_v1", id: "auth_login_old", tag: "public", access: open,
			summary: "Get the older cookies of a session, good for payment/admin_notify_by_cookies only",
		}
		huma.Register(r.huma, huma.Operation{
			Method: o.method, Path: "/api/v2" + o.path, OperationID: o.id, Summary: o.summary, Tags: []string{o.tag}, Middlewares: huma.Middlewares{r.guard(o)},
		}, func(ctx context.Context, in *body[loginOldBody]) (*oldCookiesOutput, error) {
			access, refresh := orEmpty(in.Body.AccessToken), orEmpty(in.Body.RefreshToken)
			if access == "" && refresh == "" {
				return nil, api.NewFailure(ctx, fault.Required(o.id, "access_token"))
			}
			c, err := a.Sessions.Cookies(ctx, access, refresh, clientOf(ctx))
			if err != nil {
				return nil, api.NewFailure(ctx, err)
			}
			shown := oldCookies{c.User.ID, c.User.Email, c.ExpiresAt.Unix(), c.IP, c.Key, true, c.User.Role != "" && !c.User.Banned()}
			return &oldCookiesOutput{
				shown.cookies(c.ExpiresAt, c.Prefix),
				Envelope[oldCookies]{true, o.text().In(api.CallerOf(ctx).Lang), shown},
			}, nil
		})
		register(r, op{method: http.MethodGet, path: "/csrf", id: "csrf_token", tag: "public", access: open, summary: "What must stand in X-CSRF-Token beside the older cookies"},
			func(_ context.Context, _ account.Identity, in *struct {
				Key    string `cookie:"__Host-key"`
				Former string `cookie:"key" doc:"Its name where the site has no https, and before it had the prefix"`
			},
			) (uuid.UUID, error) {
				return a.Sessions.CSRFToken(cmp.Or(in.Key, in.Former)), nil
			}, func(message string, token uuid.UUID) csrfAnswer {
				return csrfAnswer{Envelope[csrfResult]{true, message, csrfResult{token}}, token}
			})
	}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (c oldCookies) cookies(until time.Time, prefix string) []http.Cookie {
	var all []http.Cookie
	for _, pair := range [][2]string{
		{"uid", strconv.FormatInt(c.UID, 10)}, {"email", c.Email}, {"expire_in", strconv.FormatInt(c.ExpireIn, 10)}, {"ip", c.IP}, {"key", c.Key},
	} {
		all = append(all, http.Cookie{
			Name: prefix + pair[0], Value: pair[1], Path: "/", Expires: until, HttpOnly: true, Secure: prefix != "",
			SameSite: http.SameSiteStrictMode,
		})
	}
	return all
}
