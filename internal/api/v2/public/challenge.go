package public

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
)

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

// client returns the other end of the call with its answer to a captcha.
func (c ChallengeBody) client(ctx context.Context) account.Client {
	from := v2.ClientOf(ctx)
	for _, answer := range []*string{c.VerifyToken, c.Tiago2CapToken} {
		if answer != nil && from.Captcha == "" {
			from.Captcha = *answer
		}
	}
	return from
}
