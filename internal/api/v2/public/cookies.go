package public

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
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
	Body      v2.Envelope[oldCookies]
}

type csrfAnswer struct {
	v2.Envelope[csrfResult]
	CSRFToken uuid.UUID `json:"csrf_token" doc:"For the header X-CSRF-Token"`
}

type csrfResult struct {
	CSRFToken uuid.UUID `json:"csrf_token" doc:"For the header X-CSRF-Token"`
}

// Cookies adds the older cookies, for the one operation that still takes them.
func Cookies(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		o := v2.PublicOp("POST /auth/jwt_token/login_old_v1").
			Named("auth_login_old",
				"Get the older cookies of a session, good for payment/admin_notify_by_cookies only")
		v2.HandleOutput(r, o, func(ctx context.Context, _ account.Identity,
			in *v2.Body[loginOldBody],
		) (*oldCookiesOutput, error) {
			access, refresh := orEmpty(in.Body.AccessToken), orEmpty(in.Body.RefreshToken)
			if access == "" && refresh == "" {
				return nil, fault.Required("auth_login_old", "access_token")
			}
			c, err := a.Sessions.Cookies(ctx, access, refresh, v2.ClientOf(ctx))
			if err != nil {
				return nil, err
			}
			shown := oldCookies{c.User.ID, c.User.Email, c.ExpiresAt.Unix(), c.IP, c.Key, true, c.User.Role != "" &&
				!c.User.Banned()}
			return &oldCookiesOutput{
				shown.cookies(c.ExpiresAt, c.Prefix),
				v2.NewEnvelope(o.Message(ctx), shown),
			}, nil
		})
		v2.HandleEnvelope(r, v2.PublicOp("GET /csrf").
			Named("csrf_token", "What must stand in X-CSRF-Token beside the older cookies"),
			func(_ context.Context, _ account.Identity, in *struct {
				Key    string `cookie:"__Host-key"`
				Former string `cookie:"key" doc:"Its name where the site has no https, and before it had the prefix"`
			},
			) (uuid.UUID, error) {
				return a.Sessions.CSRFToken(cmp.Or(in.Key, in.Former)), nil
			}, func(message string, token uuid.UUID) csrfAnswer {
				return csrfAnswer{v2.NewEnvelope(message, csrfResult{token}), token}
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
		{"uid", strconv.FormatInt(c.UID, 10)},
		{"email", c.Email},
		{"expire_in", strconv.FormatInt(c.ExpireIn, 10)},
		{"ip", c.IP},
		{"key", c.Key},
	} {
		all = append(all, http.Cookie{
			Name: prefix + pair[0], Value: pair[1], Path: "/", Expires: until, HttpOnly: true, Secure: prefix != "",
			SameSite: http.SameSiteStrictMode,
		})
	}
	return all
}
