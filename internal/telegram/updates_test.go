package telegram_test

import (
	"encoding/json"
	"testing"
	"time"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/secret"
	"airstrip/internal/telegram"
	"airstrip/internal/telegram/telegramtest"
)

func TestARestartLosesNoUpdateAndHandlesNoneTwice(t *testing.T) {
	each(t, func(w *world) {
		u := w.linked("lin@example.com", lin)
		s := w.begin()
		w.Start(lin, s.Link)
		asked := w.says("Number")
		w.stop() // Telegram has not heard that the last update arrived
		w.Press(lin, asked.Markup.Rows[0][0])

		w.bot, w.stop = w.start()
		w.says("Confirmed") // and no second question
		g, err := w.signIn(s, "")
		if err != nil || g.User.ID != u.ID {
			w.Fatalf("%+v, %v", g.User, err)
		}
		w.stop()
		w.bot, w.stop = w.start()
		w.Say(lin, "/help")
		w.says("/me")
	})
}

func TestOfTwoReplicasOnePollsAndTheOtherTakesOver(t *testing.T) {
	t.Parallel() // it waits for a pause of the bot
	each(t, func(w *world) {
		w.Parallel()
		b, stopB := w.start()
		w.linked("lin@example.com", lin)
		s, err := b.Begin(w.Context(), page) // a page may ask any of them
		w.must(err)
		w.Start(lin, s.Link)
		asked := w.says("Number")
		w.stop()
		w.Press(lin, asked.Markup.Rows[0][0])
		w.says("Confirmed")
		if _, err := b.SignIn(w.Context(), s.Secret, "", false, page); err != nil {
			w.Error(err)
		}
		stopB()
		if n := w.Conflicts(); n > 0 || !w.Silent() {
			w.Errorf("%d polls beside another one; silent %v", n, w.Silent())
		}
	})
}

func TestAWebhookTakesUpdatesFromTelegramOnly(t *testing.T) {
	each(t, func(w *world) {
		w.stop()
		w.must(w.settings.Set(w.Context(),
			map[string]json.RawMessage{"telegram_updates": json.RawMessage(`"webhook"`)}))
		w.bot, w.stop = w.start()
		var url, key string
		for end := time.Now().Add(2 * time.Minute); url == "" && time.Now().
			Before(end); time.Sleep(5 * time.Millisecond) {
			url, key = w.Webhook()
		}
		if url != site+"/v1/telegram/webhook" || len(key) < 32 {
			w.Fatalf("the webhook is %q with %q", url, key)
		}
		update, err := json.Marshal(w.Say(lin, "/help"))
		w.must(err)
		w.want(w.bot.Webhook(w.Context(), "", update), telegram.ErrWebhook)
		w.want(w.bot.Webhook(w.Context(), key+"x", update), telegram.ErrWebhook)
		w.must(w.bot.Webhook(w.Context(), key, update))
		w.says("/me")
		w.must(w.bot.Webhook(w.Context(), key, update)) // Telegram did not hear the answer
		w.must(w.bot.Webhook(w.Context(), key, []byte("{")))
		w.must(w.bot.Webhook(w.Context(), key, []byte(`{"update_id":1,"edited_message":{}}`)))
		if !w.Silent() {
			w.Error("a repeated update was answered again")
		}
	})
}

func TestWithoutABotNothingIsOffered(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	w.must(w.secrets.Set(t.Context(), secret.TelegramToken, ""))
	b := telegram.New(w.db, [32]byte{1}, w.settings, w.secrets, w.tokens, w.accounts, w.services, w.checkIns, site,
		w.URL)
	_, err := b.Begin(t.Context(), page)
	w.want(err, telegram.ErrNoBot)
	l, err := b.Link(t.Context(), w.signUp("lin@example.com").User.ID)
	if err != nil || l != (telegram.Link{}) || b.Name() != "" {
		t.Errorf("%+v, %v", l, err)
	}
	w.want(b.Webhook(t.Context(), "", nil), telegram.ErrWebhook)
}

func TestAnOutageOfTelegramPasses(t *testing.T) {
	t.Parallel() // it waits for two pauses of the bot
	w := newWorld(t, dbtest.SQLite(t))
	w.bot, w.stop = w.start()
	w.Down(true)
	w.Say(lin, "/help") // ends the open poll; its answer is lost
	for end := time.Now().Add(2 * time.Minute); w.Unheard() < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the bot does not try again")
		}
	}
	w.Down(false)
	w.Say(other, "/help")
	heard := map[int64]bool{}
	for !heard[other.ID] {
		heard[w.Next().ChatID] = true
	}
	if w.bot.Name() != telegramtest.BotName {
		t.Error("the bot was forgotten")
	}
}
