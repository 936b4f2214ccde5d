package public

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/telegram"
)

type telegramBegunResult struct {
	LoginCode string    `json:"login_code" doc:"JWT that only the page keeps; it asks with it and gets the tokens"`
	Link      string    `json:"link" doc:"Opens the bot; shown as a link and as a QR code"`
	Number    int       `json:"number" minimum:"10" maximum:"99" doc:"Shown by the page and by the bot, so that one knows that they belong together"`
	BotName   string    `json:"bot_name" doc:"Without @"`
	ExpiresAt time.Time `json:"expires_at"`
}

type loginCodeBody struct {
	LoginCode string `json:"login_code" maxLength:"4096"`
}

type telegramStateResult struct {
	State telegram.State `json:"state" enum:"waiting,opened,confirmed,denied,over" doc:"waiting: the link was not opened yet; opened: the bot asks; confirmed: auth_telegram_login gives the tokens; denied and over (used or too old) are ends"`
}

type telegramSignInBody struct {
	LoginCode    string `json:"login_code" maxLength:"4096"`
	IsRememberMe bool   `json:"is_remember_me,omitempty" doc:"The refresh token lives 30 days instead of one hour"`
	TwoFACode
}

// Telegram adds the sign-in through the Telegram bot.
func Telegram(b *telegram.Bot) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.PublicOp("POST /auth/telegram/begin").
			Named("auth_telegram_begin", "Begin a sign-in that is confirmed in Telegram within five minutes").
			Answering(fault.Text{ZH: "请在 Telegram 中确认登录", EN: "Please confirm the sign-in in Telegram"}),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (telegramBegunResult, error) {
				s, err := b.Begin(ctx, v2.ClientOf(ctx))
				return telegramBegunResult{s.Secret, s.Link, s.Number, s.BotName, s.ExpiresAt}, err
			})
		v2.Handle(r, v2.PublicOp("POST /auth/telegram/state").
			Named("auth_telegram_state", "Ask how far a sign-in through Telegram has come; once a second is fine"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[loginCodeBody]) (telegramStateResult, error) {
				s, err := b.State(ctx, in.Body.LoginCode)
				return telegramStateResult{s}, err
			})
		v2.Handle(r, v2.PublicOp("POST /auth/telegram/login").
			Named("auth_telegram_login", "Get the tokens of a sign-in that was confirmed in Telegram, once").
			Answering(fault.Text{ZH: "登录成功", EN: "Signed in"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[telegramSignInBody]) (v2.TokensResult, error) {
				g, err := b.SignIn(ctx, in.Body.LoginCode, in.Body.TwoFACode.text(), in.Body.IsRememberMe,
					v2.ClientOf(ctx))
				return v2.TokensOf(g), err
			})
	}
}
