package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
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

type telegramLinkResult struct {
	IsLinked   bool   `json:"is_linked"`
	TelegramID *int64 `json:"telegram_id" doc:"null: none is linked"`
	BotName    string `json:"bot_name" doc:"Without @; empty: the site has no bot"`
}

type telegramLinkBeginResult struct {
	BotName   string     `json:"bot_name" doc:"Without @"`
	Link      string     `json:"link" doc:"Opens the bot, which links who presses Start; shown this once"`
	Token     string     `json:"token" doc:"JWT to send to the bot after /link, where the link does not open it"`
	ExpiresAt *time.Time `json:"expires_at" doc:"Of link and token"`
}

type telegramLinkBeginBody struct {
	Password string `json:"password" maxLength:"1024"`
	GaToken  string `json:"ga_token,omitempty" maxLength:"64" doc:"Code of the app or a recovery code, where the second factor is on"`
}

// Telegram adds sign-in through the bot, and the link between a user and a Telegram account.
func Telegram(b *telegram.Bot) Resource {
	return func(r *Router) {
		handle(r, op{
			method: http.MethodPost, path: "/auth/telegram/begin", id: "auth_telegram_begin", tag: "public", access: open,
			summary: "Begin a sign-in that is confirmed in Telegram within five minutes", message: fault.Text{ZH: "请在 Telegram 中确认登录", EN: "Please confirm the sign-in in Telegram"},
		}, func(ctx context.Context, _ account.Identity, _ *Empty) (telegramBegunResult, error) {
			s, err := b.Begin(ctx, clientOf(ctx))
			return telegramBegunResult{s.Secret, s.Link, s.Number, s.BotName, s.ExpiresAt}, err
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/telegram/state", id: "auth_telegram_state", tag: "public", access: open,
			summary: "Ask how far a sign-in through Telegram has come; once a second is fine",
		}, func(ctx context.Context, _ account.Identity, in *body[loginCodeBody]) (telegramStateResult, error) {
			s, err := b.State(ctx, in.Body.LoginCode)
			return telegramStateResult{s}, err
		})
		handle(r, op{
			method: http.MethodPost, path: "/auth/telegram/login", id: "auth_telegram_login", tag: "public", access: open,
			summary: "Get the tokens of a sign-in that was confirmed in Telegram, once", message: fault.Text{ZH: "登录成功", EN: "Signed in"},
		}, func(ctx context.Context, _ account.Identity, in *body[telegramSignInBody]) (TokensResult, error) {
			g, err := b.SignIn(ctx, in.Body.LoginCode, in.Body.TwoFACode.text(), in.Body.IsRememberMe, clientOf(ctx))
			return tokensOf(g), err
		})
		handle(r, op{method: http.MethodGet, path: "/user/account/link/telegram", id: "account_link_telegram", tag: "user", access: user, summary: "The linked Telegram account"},
			func(ctx context.Context, who account.Identity, _ *Empty) (telegramLinkResult, error) {
				l, err := b.Link(ctx, who.UserID)
				return telegramLinkResult{IsLinked: l.TelegramID != nil, TelegramID: l.TelegramID, BotName: l.BotName}, err
			})
		handle(r, op{
			method: http.MethodPost, path: "/user/account/link/telegram", id: "account_link_telegram_begin", tag: "user", access: user,
			summary: "Get a link that links a Telegram account, which then opens this account and ends all other sessions and all API tokens",
		}, func(ctx context.Context, who account.Identity, in *body[telegramLinkBeginBody]) (telegramLinkBeginResult, error) {
			l, err := b.BeginLink(ctx, who, in.Body.Password, in.Body.GaToken, clientOf(ctx))
			return telegramLinkBeginResult{l.BotName, l.Address, l.Token, l.ExpiresAt}, fieldsCalled(err, "code", "ga_token")
		})
		handle(r, op{
			method: http.MethodDelete, path: "/user/account/link/telegram", id: "account_unlink_telegram", tag: "user", access: user,
			summary: "Unlink the Telegram account; ends all other sessions and all API tokens", message: fault.Text{ZH: "已解除绑定 Telegram", EN: "Telegram was unlinked"},
		}, func(ctx context.Context, who account.Identity, _ *Empty) (Empty, error) {
			return Empty{}, b.Unlink(ctx, who, clientOf(ctx))
		})
	}
}
