package v2_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/api/notify"
	v1 "airstrip/internal/api/v1"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/public"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/captcha"
	"airstrip/internal/checkin"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/telegram"
	"airstrip/internal/telegram/telegramtest"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

// botSite is a site with a bot, and a server that acts as Telegram.
type botSite struct {
	*testing.T
	*telegramtest.Server
	handler http.Handler
}

func serveBot(t *testing.T, d *db.DB) *botSite {
	t.Helper()
	key, site := seal.Key{1}, "https://example.com"
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	secrets, services := secret.New(d, key), service.New(d, seal.Key{1}, settings)
	a := account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: key, Settings: settings, Mails: mail.New(d, key, settings, secrets, site),
		Captchas: captcha.New(d, key, settings, secrets), Tokens: tokens, Wallets: wallet.New(d, settings),
		Services: services, Site: site,
	})
	s := &botSite{T: t, Server: telegramtest.New(t)}
	if err := secrets.Set(t.Context(), secret.TelegramToken, telegramtest.Token); err != nil {
		t.Fatal(err)
	}
	checkIns := checkin.New(d, settings, a, services, captcha.New(d, key, settings, secrets))
	bot := telegram.New(d, key, settings, secrets, tokens, a, services, checkIns, site, s.URL)
	mux := http.NewServeMux()
	v1.New(mux, a.Sessions.Authenticate).Telegram(bot)
	v2.New(mux, "1", a.Sessions.Authenticate, public.Auth(a), user.SignOut(a), public.Telegram(bot), user.Telegram(bot))
	notify.Telegram(mux, bot)
	s.handler = api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		bot.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	for end := time.Now().Add(2 * time.Minute); bot.Name() == ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the bot does not come on duty")
		}
	}
	return s
}

// call tests the status, and gives the result or, where there is none, the whole answer.
func (s *botSite) call(method, path, bearer, body string, status int) map[string]any {
	s.Helper()
	req := httptest.NewRequestWithContext(s.Context(), method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Language", "en")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	rec := httptest.NewRecorder()
	s.handler.ServeHTTP(rec, req)
	var answer map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != status {
		s.Fatalf("%s %s: %d %s, want %d", method, path, rec.Code, rec.Body, status)
	}
	if result, ok := answer["result"].(map[string]any); ok {
		return result
	}
	return answer
}

func (s *botSite) confirm(who telegramtest.Person, link any) {
	s.Start(who, link.(string))
	s.Press(who, s.Next().Markup.Rows[0][0])
	s.Next()
}

func TestAPersonLinksTelegramAndSignsInWithIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serveBot(t, d)
		lin := telegramtest.Person{ID: 42, Lang: "en"}
		const linkPath, auth = "/api/v2/user/account/link/telegram", "/api/v2/auth/telegram/"
		me := s.call(http.MethodPost, "/api/v2/auth/account_register", "",
			`{"email":"lin@example.com","name":"Lin","password":"correct horse!","re_password":"correct horse!"}`, 200)
		bearer := me["access_token"].(string)

		s.call(http.MethodGet, linkPath, "", "", 401)
		link := s.call(http.MethodGet, linkPath, bearer, "", 200)
		if link["is_linked"] != false || link["telegram_id"] != nil || link["bot_name"] != telegramtest.BotName ||
			link["token"] != nil {
			t.Errorf("%v", link)
		}
		s.call(http.MethodPost, linkPath, bearer, `{"password":"wrong horse!"}`, 422)
		s.Start(lin, s.call(http.MethodPost, linkPath, bearer, `{"password":"correct horse!"}`, 200)["link"].(string))
		s.Next()
		link = s.call(http.MethodGet, linkPath, bearer, "", 200)
		if link["is_linked"] != true || link["telegram_id"] != 42.0 {
			t.Errorf("%v", link)
		}

		begun := s.call(http.MethodPost, auth+"begin", "", "", 200)
		code := fmt.Sprintf(`{"login_code":%q,"is_remember_me":true}`, begun["login_code"])
		state := func() any {
			return s.call(http.MethodPost, auth+"state", "", fmt.Sprintf(`{"login_code":%q}`, begun["login_code"]),
				200)["state"]
		}
		if state() != "waiting" {
			t.Error(state())
		}
		if refused := s.call(http.MethodPost, auth+"login", "", code, 409); refused["code"] != "login_code_waiting" {
			t.Errorf("%v", refused)
		}
		s.confirm(lin, begun["link"])
		if state() != "confirmed" {
			t.Error(state())
		}
		if tokens := s.call(http.MethodPost, auth+"login", "", code, 200); tokens["user_id"] != me["user_id"] ||
			tokens["refresh_token"] == "" {
			t.Errorf("%v", tokens)
		}
		if refused := s.call(http.MethodPost, auth+"login", "", code, 401); refused["code"] != "login_code_invalid" ||
			state() != "over" {
			t.Errorf("%v", refused)
		}

		const old = "/v1/auth/qrcode_login"
		begun = s.call(http.MethodPost, auth+"begin", "", "", 200)
		form := func(number any) string { return fmt.Sprintf(`{"token":%q,"number":%v}`, begun["login_code"], number) }
		s.call(http.MethodPost, old, "", `{}`, 422)
		s.call(http.MethodPost, old, "", `{"token":"x"}`, 422)
		s.call(http.MethodPost, old, "", form(`"x"`), 422)
		s.call(http.MethodPost, old, "", form(9), 401)
		s.call(http.MethodPost, old, "", form(begun["number"]), 409)
		s.confirm(lin, begun["link"])
		if answer := s.call(http.MethodPost, old, "", form(begun["number"]), 200); answer["ret"] != 1.0 ||
			answer["data"].(map[string]any)["email"] != "lin@example.com" {
			t.Errorf("%v", answer)
		}

		s.call(http.MethodPost, "/v1/telegram/webhook", "", `{}`, 403) // the setting says poll
		s.call(http.MethodDelete, linkPath, bearer, "", 200)
		if refused := s.call(http.MethodDelete, linkPath, bearer, "", 409); refused["code"] != "telegram_not_linked" {
			t.Errorf("%v", refused)
		}
	})
}
