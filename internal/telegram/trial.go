package telegram

import (
	"context"
	"errors"

	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Try asks Telegram who the bot is, and whether it sees the group of staff.
func (b *Bot) Try(ctx context.Context, t *setting.Trial) {
	var token string
	t.Do("读取机器人令牌", "Read the bot's token", func() (err error) {
		if token, err = b.secrets.Get(ctx, secret.TelegramToken); err == nil && token == "" {
			err = errors.New("telegram_token is not set")
		}
		return err
	})
	t.Do("登录 Telegram", "Sign in to Telegram", func() error {
		var me person
		return b.ask(ctx, token, call{"getMe", map[string]any{}}, &me)
	})
	if group := b.settings.Get().TelegramStaffGroup; group != 0 {
		t.Do("查看工作人员群组", "See the group of staff", func() error {
			var chat struct{}
			return b.ask(ctx, token, call{"getChat", map[string]any{"chat_id": group}}, &chat)
		})
	}
}
