package notify

import (
	"errors"
	"io"
	"net/http"

	"airstrip/internal/api"
	"airstrip/internal/permission"
	"airstrip/internal/telegram"
)

// Telegram serves POST /v1/telegram/webhook on mux, to which Telegram sends updates if the setting says so. After an
// answer other than 2xx Telegram repeats the update.
func Telegram(mux *http.ServeMux, bot *telegram.Bot) {
	mux.HandleFunc("POST /v1/telegram/webhook", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			err = api.Unreadable(err)
		} else {
			err = bot.Webhook(r.Context(), r.Header.Get("X-Telegram-Bot-Api-Secret-Token"), body)
		}
		if errors.Is(err, telegram.ErrWebhook) {
			err = permission.ErrRefused
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		api.WriteJSON(w, http.StatusOK, map[string]any{})
	})
}
