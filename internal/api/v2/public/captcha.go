package public

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/captcha"
	"airstrip/internal/fault"
)

// captchaKeyAnswer has the original's fields at its top, and the widget in full as result.
type captchaKeyAnswer struct {
	v2.Envelope[captchaWidget]
	CaptchaKey     uuid.UUID    `json:"captcha_key" doc:"With the built-in proof of work a new challenge's id, as captcha-key-v2 gives one; else it only names this answer"`
	CaptchaKeyType captcha.Kind `json:"captcha_key_type" enum:"register,login,forgot_password,test,checkin,ticket"`
	KeyID          string       `json:"tiago2_cap_key_id" doc:"The same as site_key"`
}

type captchaWidget struct {
	CaptchaKeyType captcha.Kind `json:"captcha_key_type" enum:"register,login,forgot_password,test,checkin,ticket"`
	Mode           string       `json:"mode" enum:"never,risk,always" doc:"risk: only after a call was answered captcha_required"`
	Provider       string       `json:"provider" enum:"pow,turnstile,hcaptcha,recaptcha" doc:"pow: captcha-key-v2"`
	SiteKey        string       `json:"site_key" doc:"Public key for the provider's widget; empty with pow"`
}

type captchaKey struct {
	captchaWidget
	key uuid.UUID
}

type captchaChallenge struct {
	ID                uuid.UUID  `json:"id"`
	CreatedAt         time.Time  `json:"created_at"`
	VerifiedAt        *time.Time `json:"verified_at"`
	ConsumedAt        *time.Time `json:"consumed_at"`
	RequestIP         string     `json:"request_ip" doc:"The only address that can answer"`
	CapChallengeCount int        `json:"cap_challenge_count" doc:"How many puzzles; for each i from 0 find s so that the hex SHA-256 of the text i + id + s begins with cap_difficulty zeros"`
	CapDifficulty     int        `json:"cap_difficulty" doc:"Zero hex digits"`
}

type captchaSolutions struct {
	CapID     uuid.UUID `json:"cap_id"`
	Solutions []int64   `json:"solutions" maxItems:"1000" doc:"s for each puzzle"`
}

type captchaToken struct {
	VerifyToken string    `json:"verify_token" doc:"Good once, from this address"`
	ExpiresAt   time.Time `json:"expires_at"`
}

type verifyTokenBody struct {
	VerifyToken string `json:"verify_token" maxLength:"256"`
}

// Captcha adds what a page needs to show a captcha, and the built-in proof of work.
func Captcha(c *captcha.Captchas) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleEnvelope(r, v2.PublicOp("GET /captcha-key").
			Named("captcha_key", "Which captcha stands before a call"),
			func(ctx context.Context, _ account.Identity, in *struct {
				Kind captcha.Kind `query:"captcha_key_type" required:"true" enum:"register,login,forgot_password,test,checkin,ticket"`
			},
			) (captchaKey, error) {
				w := c.Widget(in.Kind)
				key := captchaKey{captchaWidget{w.Kind, w.Mode, w.Provider, w.SiteKey}, uuid.Must(uuid.NewV7())}
				if w.Provider != captcha.ProofOfWork {
					return key, nil
				}
				ch, err := c.NewChallenge(ctx, api.CallerOf(ctx).IP)
				key.key = ch.ID
				return key, err
			}, func(message string, k captchaKey) captchaKeyAnswer {
				return captchaKeyAnswer{v2.NewEnvelope(message, k.captchaWidget), k.key, k.CaptchaKeyType, k.SiteKey}
			})
		v2.Handle(r, v2.PublicOp("GET /captcha-key-v2").
			Named("captcha_challenge", "A proof of work to do, within 15 minutes"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (captchaChallenge, error) {
				ch, err := c.NewChallenge(ctx, api.CallerOf(ctx).IP)
				return captchaChallenge{ch.ID, ch.CreatedAt, ch.VerifiedAt, ch.ConsumedAt, ch.IP, ch.Puzzles, ch.Zeros},
					err
			})
		v2.Handle(r, v2.PublicOp("POST /captcha-key-v2-verify").
			Named("captcha_verify", "Show the work done; gives the token that other calls take").
			Answering(fault.Text{ZH: "验证成功", EN: "Verified"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[captchaSolutions]) (captchaToken, error) {
				token, until, err := c.Solve(ctx, in.Body.CapID, in.Body.Solutions, api.CallerOf(ctx).IP)
				return captchaToken{token, until}, err
			})
		v2.Handle(r, v2.PublicOp("POST /captcha-key-v2-consume").
			Named("captcha_consume", "Use a token up").
			Answering(fault.Text{ZH: "验证有效", EN: "The token was good"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[verifyTokenBody]) (v2.Empty, error) {
				return v2.Empty{}, c.Consume(ctx, in.Body.VerifyToken, api.CallerOf(ctx).IP)
			})
	}
}
