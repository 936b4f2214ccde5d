package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/telegram"
)

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

// Telegram adds the link between a user and a Telegram account.
func Telegram(b *telegram.Bot) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/account/link/telegram").OpenToVisits().
			Named("account_link_telegram", "The linked Telegram account"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (telegramLinkResult, error) {
				l, err := b.Link(ctx, who.UserID)
				return telegramLinkResult{IsLinked: l.TelegramID != nil, TelegramID: l.TelegramID, BotName: l.BotName},
					err
			})
		v2.Handle(r, v2.UserOp("POST /user/account/link/telegram").
			Named("account_link_telegram_begin",
				"Get a link that links a Telegram account, which then opens this account and ends all other "+
					"sessions and all API tokens"),
			func(ctx context.Context, who account.Identity,
				in *v2.Body[telegramLinkBeginBody],
			) (telegramLinkBeginResult, error) {
				l, err := b.BeginLink(ctx, who, in.Body.Password, in.Body.GaToken, v2.ClientOf(ctx))
				return telegramLinkBeginResult{l.BotName, l.Address, l.Token, l.ExpiresAt}, fieldsCalled(err, "code",
					"ga_token")
			})
		v2.Handle(r, v2.UserOp("DELETE /user/account/link/telegram").StepUp().
			Named("account_unlink_telegram",
				"Unlink the Telegram account; ends all other sessions and all API tokens").
			Answering(fault.Text{ZH: "已解除绑定 Telegram", EN: "Telegram was unlinked"}),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (v2.Empty, error) {
				return v2.Empty{}, b.Unlink(ctx, who, v2.ClientOf(ctx))
			})
	}
}
