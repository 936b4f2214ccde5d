package public

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type signInBody struct {
	Email        string `json:"email" format:"email" maxLength:"320"`
	Password     string `json:"password" maxLength:"1024"`
	IsRememberMe bool   `json:"is_remember_me,omitempty" doc:"The refresh token lives 30 days instead of one hour"`
	TwoFACode
	ChallengeBody
}

type signUpBody struct {
	Email      string  `json:"email" format:"email" maxLength:"320"`
	Name       string  `json:"name" doc:"1 to 32 characters"`
	Password   string  `json:"password" doc:"8 to 128 characters, not among the most common"`
	RePassword string  `json:"re_password" doc:"The password once more"`
	InviteCode *string `json:"invite_code,omitempty" nullable:"true" maxLength:"64" doc:"Needed where the site admits only the invited"`
	EmailCode  *string `json:"email_code,omitempty" nullable:"true" maxLength:"64" doc:"Needed where the site sends codes by mail"`
	Accepted   *string `json:"accepted_terms,omitempty" nullable:"true" maxLength:"64" doc:"Version of the terms and the privacy notice, as GET /site names it; needed where the site has any"`
	ChallengeBody
}

type inviteCodeBody struct {
	InviteCode string `json:"invite_code" maxLength:"64"`
}

type refreshBody struct {
	RefreshToken string `json:"refresh_token" maxLength:"4096"`
}

type signUpResult struct {
	v2.TokensResult
	UserName string `json:"user_name"`
	Email    string `json:"email" format:"email"`
}

// Auth adds sign-in with a password, sign-up and refresh.
func Auth(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.PublicOp("POST /auth/account_login/login").
			Named("auth_login", "Sign in with e-mail and password").
			Answering(fault.Text{ZH: "登录成功", EN: "Signed in"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[signInBody]) (v2.TokensResult, error) {
				g, err := a.SignIns.ByPassword(ctx, account.SignIn{
					Email: in.Body.Email, Password: in.Body.Password, TwoFactor: in.Body.TwoFACode.text(),
					Remember: in.Body.IsRememberMe,
				}, in.Body.client(ctx))
				return v2.TokensOf(g), err
			})
		type visitCode struct {
			Code string `json:"code" maxLength:"64" doc:"As staff_user_sign_in_as gave it"`
		}
		type openedVisit struct {
			AccessToken string `json:"access_token" doc:"JWT, good until the visit ends; there is no refresh token"`
		}
		v2.Handle(r, v2.PublicOp("POST /auth/visit").
			Named("auth_visit_open", "Open a visit of staff to a user, once").
			Answering(fault.Text{ZH: "登录成功", EN: "Signed in"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[visitCode]) (openedVisit, error) {
				access, err := a.Visits.Open(ctx, in.Body.Code, v2.ClientOf(ctx))
				return openedVisit{access}, err
			})
		v2.Handle(r, v2.PublicOp("POST /auth/account_register").
			Named("auth_register", "Sign up").
			Answering(fault.Text{ZH: "注册成功", EN: "Welcome"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[signUpBody]) (signUpResult, error) {
				b := in.Body
				s := account.SignUp{Email: b.Email, Name: b.Name, Password: b.Password, Repeated: b.RePassword}
				if b.InviteCode != nil {
					s.InviteCode = *b.InviteCode
				}
				if b.EmailCode != nil {
					s.EmailCode = *b.EmailCode
				}
				if b.Accepted != nil {
					s.AcceptedTerms = *b.Accepted
				}
				g, err := a.SignUps.SignUp(ctx, s, b.client(ctx))
				return signUpResult{v2.TokensOf(g), g.User.Name, g.User.Email}, err
			})
		v2.Handle(r, v2.PublicOp("POST /auth/account_register/check-invite-code").
			Named("auth_check_invite_code", "Ask whether an invite code is good").
			Answering(fault.Text{ZH: "邀请码有效", EN: "The invite code is valid"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[inviteCodeBody]) (v2.Empty, error) {
				return v2.Empty{}, a.SignUps.CheckInviteCode(ctx, in.Body.InviteCode, v2.ClientOf(ctx))
			})
		v2.Handle(r, v2.PublicOp("POST /auth/jwt_token/jwt_access_refresh").
			Named("auth_refresh", "Exchange a refresh token for new tokens"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[refreshBody]) (v2.TokensResult, error) {
				g, err := a.Sessions.Refresh(ctx, in.Body.RefreshToken, v2.ClientOf(ctx))
				return v2.TokensOf(g), err
			})
	}
}
