package v2

import (
	"context"
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

type signInBody struct {
	Email        string `json:"email" format:"email" maxLength:"320"`
	Password     string `json:"password" maxLength:"1024"`
	IsRememberMe bool   `json:"is_remember_me,omitempty" doc:"The refresh token lives 30 days instead of one hour"`
	TwoFACode
	ChallengeBody
}

// TwoFACode is the second factor of a sign-in.
type TwoFACode struct {
	TwoFACode *string `json:"two_fa_code,omitempty" nullable:"true" maxLength:"64" doc:"Six digits of the app or a recovery code, where the answer without it was two_fa_required"`
}

func (c TwoFACode) text() string {
	if c.TwoFACode == nil {
		return ""
	}
	return *c.TwoFACode
}

// ChallengeBody holds the answers to the challenges that clients of different ages solve.
type ChallengeBody struct {
	VerifyToken    *string `json:"verify_token,omitempty" nullable:"true" maxLength:"1024" doc:"Of a solved challenge, where one is asked for"`
	CaptchaKey     *string `json:"captcha_key,omitempty" nullable:"true" maxLength:"1024" deprecated:"true" doc:"Sent by older clients"`
	Tiago2CapToken *string `json:"tiago2_cap_token,omitempty" nullable:"true" maxLength:"4096" deprecated:"true" doc:"Sent by older clients"`
}

type signUpBody struct {
	Email      string  `json:"email" format:"email" maxLength:"320"`
	Name       string  `json:"name" doc:"1 to 32 characters"`
	Password   string  `json:"password" doc:"8 to 128 characters, not among the most common"`
	RePassword string  `json:"re_password" doc:"The password once more"`
	InviteCode *string `json:"invite_code,omitempty" nullable:"true" maxLength:"64" doc:"Needed where the site admits only the invited"`
	EmailCode  *string `json:"email_code,omitempty" nullable:"true" maxLength:"64" doc:"Needed where the site sends codes by mail"`
	ChallengeBody
}

type inviteCodeBody struct {
	InviteCode string `json:"invite_code" maxLength:"64"`
}

type refreshBody struct {
	RefreshToken string `json:"refresh_token" maxLength:"4096"`
}

// TokensResult is what a sign-in or a refresh gives.
type TokensResult struct {
	AccessToken  string `json:"access_token" doc:"JWT, lives 20 minutes"`
	RefreshToken string `json:"refresh_token" doc:"JWT, good for one refresh"`
	UserID       int64  `json:"user_id"`
}

type signUpResult struct {
	TokensResult
	UserName string `json:"user_name"`
	Email    string `json:"email" format:"email"`
}

func tokensOf(g account.Grant) TokensResult { return TokensResult{g.Access, g.Refresh, g.User.ID} }

func clientOf(ctx context.Context) account.Client {
	c := api.CallerOf(ctx)
	return account.Client{IP: c.IP, UserAgent: c.UserAgent, Lang: c.Lang}
}

// client gives the other end of the call with its answer to a captcha.
func (c ChallengeBody) client(ctx context.Context) account.Client {
	from := clientOf(ctx)
	for _, answer := range []*string{c.VerifyToken, c.Tiago2CapToken} {
		if answer != nil && from.Captcha == "" {
			from.Captcha = *answer
		}
	}
	return from
}

type body[B any] struct{ Body B }

// Auth adds sign-in, sign-up, refresh and sign-out.
func Auth(a *account.Accounts) Resource {
	return func(r *Router) {
		handle(r, op{
			method: http.MethodPost, path: "/auth/account_login/login", id: "auth_login", tag: "public", access: open,
			summary: "Sign in with e-mail and password", message: fault.Text{ZH: "登录成功", EN: "Signed in"},
		}, func(ctx context.Context, _ account.Identity, in *body[signInBody]) (TokensResult, error) {
			g, err := a.SignIns.ByPassword(ctx, account.SignIn{
				Email: in.Body.Email, Password: in.Body.Password, TwoFactor: in.Body.TwoFACode.text(), Remember: in.Body.IsRememberMe,
			}, in.Body.client(ctx))
			return tokensOf(g), err
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/account_register", id: "auth_register", tag: "public", access: open,
			summary: "Sign up", message: fault.Text{ZH: "注册成功", EN: "Welcome"},
		}, func(ctx context.Context, _ account.Identity, in *body[signUpBody]) (signUpResult, error) {
			b := in.Body
			s := account.SignUp{Email: b.Email, Name: b.Name, Password: b.Password, Repeated: b.RePassword}
			if b.InviteCode != nil {
				s.InviteCode = *b.InviteCode
			}
			if b.EmailCode != nil {
				s.EmailCode = *b.EmailCode
			}
			g, err := a.SignUps.SignUp(ctx, s, b.client(ctx))
			return signUpResult{tokensOf(g), g.User.Name, g.User.Email}, err
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/account_register/check-invite-code", id: "auth_check_invite_code", tag: "public", access: open,
			summary: "Ask whether an invite code is good", message: fault.Text{ZH: "邀请码有效", EN: "The invite code is valid"},
		}, func(ctx context.Context, _ account.Identity, in *body[inviteCodeBody]) (Empty, error) {
			return Empty{}, a.SignUps.CheckInviteCode(ctx, in.Body.InviteCode, clientOf(ctx))
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/jwt_token/jwt_access_refresh", id: "auth_refresh", tag: "public", access: open,
			summary: "Exchange a refresh token for new tokens",
		}, func(ctx context.Context, _ account.Identity, in *body[refreshBody]) (TokensResult, error) {
			g, err := a.Sessions.Refresh(ctx, in.Body.RefreshToken, clientOf(ctx))
			return tokensOf(g), err
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/sign-out", id: "auth_sign_out", tag: "user", access: user,
			summary: "End the session that makes the call", message: fault.Text{ZH: "已退出登录", EN: "Signed out"},
		}, func(ctx context.Context, who account.Identity, _ *Empty) (Empty, error) {
			return Empty{}, a.Sessions.SignOut(ctx, who, clientOf(ctx))
		})
	}
}
