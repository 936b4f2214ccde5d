package v1_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v1 "airstrip/internal/api/v1"
	"airstrip/internal/captcha"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

func TestTheOlderFormsSignUpAndInAndChangeThePassword(t *testing.T) {
	d := dbtest.SQLite(t)
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New(t.Context(), d, seal.Key{1})
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: seal.Key{1}, Settings: settings,
		Mails:    mail.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1}), "http://localhost:8080"),
		Captchas: captcha.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1})), Tokens: tokens,
		Wallets: wallet.New(d, settings), Services: service.New(d, seal.Key{1}, settings),
		Site: "http://localhost:8080",
	})
	mux := http.NewServeMux()
	router := v1.New(mux, a.Sessions.Authenticate)
	router.Auth(a)
	router.Code(a)
	handler := api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()

	type answer struct {
		status int
		Ret    int
		Msg    string
		Data   struct {
			AccessToken string `json:"access_token"`
			UserName    string `json:"user_name"`
		}
		Code   string
		Errors []struct{ Field string }
	}
	call := func(method, path, bearer string, form url.Values) (got answer) {
		t.Helper()
		req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept-Language", "en")
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
		}
		got.status = rec.Code
		return got
	}
	want := func(got answer, status int, code, field string) answer {
		t.Helper()
		if got.status != status || got.Code != code || got.Ret != map[bool]int{true: 1, false: 0}[status == 200] ||
			got.Msg == "" {
			t.Fatalf("%+v, want %d %s", got, status, code)
		}
		if field != "" && (len(got.Errors) == 0 || got.Errors[0].Field != field) {
			t.Fatalf("%+v, want the field %s", got, field)
		}
		return got
	}

	up := url.Values{
		"name": {"Ming"}, "email": {"a@example.com"}, "passwd": {"correct horse"},
		"repasswd": {"correct house"},
	}
	want(call("POST", "/v1/auth/register", "", up), 422, "invalid_input", "repasswd")
	up.Set("repasswd", "correct horse")
	up.Set("code", "NOSUCHCODE")
	want(call("POST", "/v1/auth/register", "", up), 422, "invalid_input", "code")
	up.Del("code")
	if got := want(call("POST", "/v1/auth/register", "", up), 200, "", ""); got.Data.UserName != "Ming" ||
		got.Data.AccessToken == "" {
		t.Errorf("%+v", got)
	}
	want(call("POST", "/v1/auth/register", "", up), 409, "email_taken", "email")

	want(call("POST", "/v1/auth/login", "", url.Values{"email": {"a@example.com"}}), 422, "invalid_input", "passwd")
	want(call("POST", "/v1/auth/login", "", url.Values{"email": {"a@example.com"}, "passwd": {"wrong password"}}), 401,
		"wrong_credentials", "")
	access := want(call("POST", "/v1/auth/login", "", url.Values{
		"email":  {"A@example.com"},
		"passwd": {"correct horse"}, "remember_me": {"1"},
	}), 200, "", "").Data.AccessToken
	want(call("POST", "/v1/auth/login", "", url.Values{
		"email":  {"a@example.com"},
		"passwd": {strings.Repeat("x", 1025)},
	}), 422, "invalid_input", "passwd")
	want(call("GET", "/v1/authorization", "", nil), 422, "invalid_input", "email")
	want(call("GET", "/v1/authorization?email=a@example.com&passwd=correct+horse", "", nil), 200, "", "")

	change := url.Values{"oldpwd": {"wrong password"}, "pwd": {"a wholly new one"}, "repwd": {"a wholly new one"}}
	want(call("POST", "/v1/user/password", "", nil), 401, "sign_in_required", "")
	want(call("POST", "/v1/user/password", access, nil), 422, "invalid_input", "oldpwd")
	want(call("POST", "/v1/user/password", access, change), 422, "invalid_input", "oldpwd")
	change.Set("oldpwd", "correct horse")
	change.Set("repwd", "something else")
	want(call("POST", "/v1/user/password", access, change), 422, "invalid_input", "repwd")
	change.Set("repwd", "a wholly new one")
	want(call("POST", "/v1/user/password", access, change), 200, "", "")
	want(call("POST", "/v1/user/password", access, change), 401, "signed_out", "")
	want(call("GET", "/v1/authorization?email=a@example.com&passwd=a+wholly+new+one", "", nil), 200, "", "")

	mails := mail.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1}), "http://localhost:8080")

	// Codes: one to sign up, and the link in the mail to set another password.
	want(call("POST", "/v1/auth/send", "", nil), 422, "invalid_input", "email")
	want(call("POST", "/v1/auth/send", "", url.Values{"email": {"b@example.com"}}), 200, "", "")
	if err := settings.Set(t.Context(),
		map[string]json.RawMessage{"sign_up_email_code": json.RawMessage("true")}); err != nil {
		t.Fatal(err)
	}
	up = url.Values{
		"name": {"Bo"}, "email": {"b@example.com"}, "passwd": {"correct horse"},
		"repasswd": {"correct horse"},
	}
	want(call("POST", "/v1/auth/register", "", up), 422, "invalid_input", "emailcode")
	up.Set("emailcode", mailed(t, mails, `\b\d{6}\b`))
	want(call("POST", "/v1/auth/register", "", up), 200, "", "")

	want(call("POST", "/v1/password/reset", "", url.Values{"email": {"b@example.com"}}), 429, "email_code_too_soon", "")
	want(call("POST", "/v1/password/reset", "", url.Values{"email": {"a@example.com"}}), 200, "", "")
	link := "/v1/password/token/" + mailed(t, mails, `[\w-]+\.\d{6}`)
	renewed := url.Values{"password": {"another one again"}, "repasswd": {"another two again"}}
	want(call("POST", link, "", nil), 422, "invalid_input", "password")
	want(call("POST", link, "", renewed), 422, "invalid_input", "repasswd")
	renewed.Set("repasswd", "another one again")
	want(call("POST", link[:len(link)-3], "", renewed), 422, "invalid_input", "token")
	want(call("POST", link, "", renewed), 200, "", "")
	want(call("POST", link, "", renewed), 422, "invalid_input", "token")
	want(call("GET", "/v1/authorization?email=a@example.com&passwd=another+one+again", "", nil), 200, "", "")
}

// mailed returns what matches in the newest mail.
func mailed(t *testing.T, mails *mail.Mails, pattern string) string {
	t.Helper()
	all, err := mails.List(t.Context(), 1)
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	_, letter, err := mails.Show(t.Context(), all[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(pattern).FindString(letter.Text)
}
