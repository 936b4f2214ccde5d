package v2_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/public"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

// people is a server with the operations on accounts.
type people struct {
	*testing.T
	*account.Accounts
	db       *db.DB
	settings *setting.Settings
	mails    *mail.Mails
	signer   *token.Tokens
	handler  http.Handler
	contract *huma.OpenAPI
}

func serve(t *testing.T, d *db.DB) *people {
	t.Helper()
	return serveAt(t, d, "http://localhost:8080")
}

// serveAt is serve for a site of that address; its mails name another.
func serveAt(t *testing.T, d *db.DB, site string) *people {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := token.New(t.Context(), d, seal.Key{1})
	if err != nil {
		t.Fatal(err)
	}
	captchas := captcha.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1}))
	mails := mail.New(d, seal.Key{1}, settings, secret.New(d, seal.Key{1}), "http://localhost:8080")
	a := account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: seal.Key{1}, Settings: settings, Mails: mails, Captchas: captchas, Tokens: tokens,
		Wallets: wallet.New(d, settings), Services: service.New(d, seal.Key{1}, settings), Site: site,
	})
	mux := http.NewServeMux()
	contract := v2.New(mux, "1.0.0", a.Sessions.Authenticate, public.Auth(a), user.SignOut(a), public.Captcha(captchas),
		public.Cookies(a), user.APITokens(a), public.EmailCodes(a), user.Email(a), user.Account(a), user.Security(a),
		public.Passkeys(a), user.Passkeys(a), user.CloseAccount(a), user.Activity(a), staff.Mails(mails, a))
	handler := api.NewMiddleware(mux, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, prometheus.NewRegistry())
	return &people{t, a, d, settings, mails, tokens, handler.Handler(), contract}
}

// answer is an answer with what all have in common.
type answer struct {
	status  int
	header  http.Header
	raw     string
	Success bool            `json:"is_success"`
	Message string          `json:"message"`
	Code    string          `json:"code"`
	Errors  []fieldError    `json:"errors"`
	Result  json.RawMessage `json:"result"`
}

type fieldError struct{ Field, Code, Message string }

func (a answer) fields() string {
	var all []string
	for _, e := range a.Errors {
		all = append(all, e.Field+":"+e.Code)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// into reads the result and tells its keys.
func (a answer) into(t *testing.T, v any) (keys []string) {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.Result, v); err != nil {
		t.Fatalf("%v in %s", err, a.raw)
	}
	if json.Unmarshal(a.Result, &object) == nil {
		keys = slices.Sorted(maps.Keys(object))
	}
	return keys
}

func (p *people) call(method, path, bearer, body string, header ...string) answer {
	p.Helper()
	req := httptest.NewRequestWithContext(p.Context(), method, path, strings.NewReader(body))
	req.Header.Set("If-Match", "*")
	req.RemoteAddr = "192.0.2.1:4000"
	req.Header.Set("User-Agent", "Browser/1")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if from := req.Header.Get("From"); from != "" { // another address than that of all calls
		req.RemoteAddr = from + ":4000"
	}
	req.Host = cmp.Or(req.Header.Get("Host"), req.Host)
	rec := httptest.NewRecorder()
	p.handler.ServeHTTP(rec, req)
	raw, err := io.ReadAll(rec.Body)
	if err != nil {
		p.Fatal(err)
	}
	a := answer{status: rec.Code, header: rec.Header(), raw: string(raw)}
	if err := json.Unmarshal(raw, &a); err != nil {
		p.Fatalf("%s %s answered %d %q", method, path, rec.Code, raw)
	}
	if a.Success != (a.status == http.StatusOK) || a.Message == "" {
		p.Errorf("%s %s answered %d %s", method, path, rec.Code, raw)
	}
	return a
}

func (p *people) want(a answer, status int, code string) answer {
	p.Helper()
	if a.status != status || a.Code != code {
		p.Fatalf("%d %s, want %d %s", a.status, a.raw, status, code)
	}
	return a
}

const (
	login    = "/api/v2/auth/account_login/login"
	register = "/api/v2/auth/account_register"
	refresh  = "/api/v2/auth/jwt_token/jwt_access_refresh"

	password = "correct horse 电池"
)

type tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	UserID       int64  `json:"user_id"`
}

func (p *people) signUp(email string) tokens {
	p.Helper()
	var got tokens
	p.want(p.call("POST", register, "", fmt.Sprintf(`{"email":%q,"name":"小明","password":%q,"re_password":%q}`, email,
		password, password)), 200, "").into(p.T, &got)
	return got
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s has %v, want %v", what, got, want)
	}
}

func TestAPersonSignsUpAndInAndOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		var made struct {
			tokens
			Email string
			Name  string `json:"user_name"`
		}
		a := p.want(p.call("POST", register+"/", "",
			fmt.Sprintf(`{"email":" Ming@Example.com","name":"小明","password":%q,"re_password":%q,"invite_code":null,"email_code":null}`, password, password)), 200, "")
		same(t, "sign-up", a.into(t, &made), "access_token", "refresh_token", "user_id", "user_name", "email")
		if made.Email != "ming@example.com" || made.Name != "小明" {
			t.Errorf("made %+v", made)
		}
		var in tokens
		a = p.want(p.call("POST", login, "",
			fmt.Sprintf(`{"email":"ming@example.com","password":%q,"is_remember_me":true}`, password)), 200, "")
		same(t, "sign-in", a.into(t, &in), "access_token", "refresh_token", "user_id")
		if in.UserID != made.UserID || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("signed in as %d with %v", in.UserID, a.header)
		}

		var index struct {
			UserID    int64  `json:"user_id"`
			Access    string `json:"access_type"`
			Type      string `json:"token_type"`
			IssuedAt  int64  `json:"issued_at"`
			ExpiresAt int64  `json:"expires_at"`
		}
		same(t, "index", p.want(p.call("GET", "/api/v2/user/", in.AccessToken, ""), 200, "").into(t, &index), "user_id",
			"access_type", "token_type", "issued_at", "expires_at")
		if index.UserID != in.UserID || index.Access != "user" || index.Type != "access" ||
			index.ExpiresAt-index.IssuedAt != 1200 {
			t.Errorf("index %+v", index)
		}
		var me struct {
			UserNewID string    `json:"user_new_id"`
			TgID      *int64    `json:"tg_id"`
			ExpireIn  time.Time `json:"user_account_expire_in"`
			IsBan     bool      `json:"is_ban"`
		}
		same(t, "get_me", p.want(p.call("GET", "/api/v2/user/get_me", in.AccessToken, ""), 200, "").into(t, &me),
			"user_id", "user_new_id", "email", "is_ban", "ban", "tg_id", "user_name", "user_account_expire_in",
			"staff_role", "staff_two_factor_due", "invite_code")
		if me.IsBan || me.TgID != nil || me.ExpireIn.Before(time.Now()) || len(me.UserNewID) != 36 {
			t.Errorf("get_me %+v", me)
		}
		var mine struct {
			CreatedAt, LastLogin time.Time
			Verified             bool `json:"is_verified"`
		}
		same(t, "account/me", p.want(p.call("GET", "/api/v2/user/account/me", in.AccessToken, ""), 200, "").
			into(t, &mine),
			"user_id", "user_new_id", "email", "user_name", "created_at", "last_login", "is_verified",
			"telegram_linked")
		var history []struct {
			At        int64  `json:"login_time"`
			IP        string `json:"ip_address"`
			UserAgent string `json:"user_agent"`
			Succeeded bool   `json:"succeeded"`
		}
		p.want(p.call("GET", "/api/v2/user/account/login-history", in.AccessToken, ""), 200, "").into(t, &history)
		if len(history) != 2 || history[0].IP != "192.0.2.1" || history[0].UserAgent != "Browser/1" ||
			!history[0].Succeeded || time.Since(time.Unix(history[0].At, 0)) > time.Hour {
			t.Errorf("history %+v", history)
		}

		var next tokens
		same(t, "refresh", p.want(p.call("POST", refresh, "", `{"refresh_token":"`+in.RefreshToken+`"}`), 200, "").
			into(t, &next), "access_token", "refresh_token", "user_id")
		p.want(p.call("POST", "/api/v2/auth/sign-out", next.AccessToken, ""), 200, "")
		p.want(p.call("GET", "/api/v2/user/get_me", next.AccessToken, ""), 401, "signed_out")
		p.want(p.call("GET", "/api/v2/user/get_me", in.AccessToken, ""), 401, "signed_out")
		p.want(p.call("POST", refresh, "", `{"refresh_token":"`+next.RefreshToken+`"}`), 401, "signed_out")
		p.want(p.call("GET", "/api/v2/user/get_me", made.AccessToken, ""), 200, "")
	})
}

func TestChangingThePasswordKeepsThisDeviceSignedIn(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	old := p.signUp("a@example.com")
	const path = "/api/v2/user/account/change-password"
	a := p.want(p.call("POST", path, old.AccessToken,
		`{"current_password":"wrong password","new_password":"a wholly new one"}`), 422, "invalid_input")
	if a.fields() != "current_password:wrong_password" {
		t.Error(a.raw)
	}
	a = p.want(p.call("POST", path, old.AccessToken, fmt.Sprintf(`{"current_password":%q,"new_password":"short"}`,
		password)), 422, "invalid_input")
	if a.fields() != "new_password:length" {
		t.Error(a.raw)
	}
	var next tokens
	p.want(p.call("POST", path, old.AccessToken,
		fmt.Sprintf(`{"current_password":%q,"new_password":"a wholly new one"}`, password)), 200, "").into(t, &next)
	p.want(p.call("GET", "/api/v2/user/get_me", old.AccessToken, ""), 401, "signed_out")
	p.want(p.call("GET", "/api/v2/user/get_me", next.AccessToken, ""), 200, "")
}

func TestTheContractNamesWhatSignInTakesAndGives(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	raw, err := json.Marshal(p.contract.Components.Schemas)
	if err != nil {
		t.Fatal(err)
	}
	var schemas map[string]struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(raw, &schemas); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ required, optional string }{
		"SignInBody": {"email password", "captcha_key is_remember_me tiago2_cap_token two_fa_code verify_token"},
		"SignUpBody": {
			"email name password re_password",
			"accepted_terms captcha_key email_code invite_code tiago2_cap_token verify_token",
		},
		"SignUpResult": {"access_token email refresh_token user_id user_name", ""},
	} {
		got := schemas[name]
		slices.Sort(got.Required)
		same(t, name+" (required)", got.Required, strings.Fields(want.required)...)
		same(t, name, slices.Sorted(maps.Keys(got.Properties)), strings.Fields(want.required+" "+want.optional)...)
	}
}

func TestSignInComesBeforeParameters(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	g := p.signUp("a@example.com")
	tried := 0
	for path, item := range p.contract.Paths {
		for method, o := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post} {
			if o == nil || len(o.Security) == 0 {
				continue
			}
			tried++
			p.want(p.call(method, path, "", `{"broken`), 401, "sign_in_required")
			p.want(p.call(method, path, "nonsense", `{"broken`), 401, "signed_out")
			p.want(p.call(method, path, g.RefreshToken, `{"broken`), 401, "signed_out")
		}
	}
	if tried < 10 {
		t.Errorf("%d operations need a sign-in", tried)
	}
}

func TestWrongInputIsNamedInBothLanguagesAndNeverEchoed(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	const secret = "s3cret-never-said"
	for name, c := range map[string]struct{ path, body, fields string }{
		"nothing to sign in with": {login, `{}`, "email:required password:required"},
		"no body":                 {login, ``, "body:required"},
		"an unknown key": {login, `{"email":"a@example.com","password":"` + secret + `","pass":"` + secret +
			`"}`, "pass:unknown"},
		"a password in the address": {login, `{"email":"` + secret + `","password":"x"}`, "email:email"},
		"a password of numbers": {
			login, `{"email":"a@example.com","password":["` + secret + `"]}`,
			"password:type",
		},
		"a code too long": {login, `{"email":"a@example.com","password":"x","two_fa_code":"` +
			strings.Repeat(secret, 8) + `"}`, "two_fa_code:too_long"},
		"a mistyped repetition": {register, `{"email":"a@example.com","name":"a","password":"` + secret +
			`","re_password":"` + secret + `1"}`, "re_password:mismatch"},
		"much at once": {
			register,
			`{"email":"a@example.com","name":" ","password":"PassWord1","re_password":"` + secret + `"}`,
			"name:length password:common re_password:mismatch",
		},
		"an unknown invite": {
			register + "/check-invite-code", `{"invite_code":"` + secret + `"}`,
			"invite_code:invite_code_unknown",
		},
		"no refresh token": {refresh, `{}`, "refresh_token:required"},
	} {
		var messages []string
		for _, language := range []string{"zh-CN", "en-GB"} {
			a := p.call("POST", c.path, "", c.body, "Accept-Language", language)
			if a.status != 422 || a.fields() != c.fields {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
			if strings.Contains(a.raw, secret) {
				t.Errorf("%s: the answer repeats the input: %s", name, a.raw)
			}
			for _, e := range a.Errors {
				messages = append(messages, e.Message)
			}
		}
		half := len(messages) / 2
		for i, zh := range messages[:half] {
			if en := messages[half+i]; zh == en || zh == "" || en == "" {
				t.Errorf("%s: %q in Chinese, %q in English", name, zh, en)
			}
		}
	}
	p.want(p.call("POST", login, "", `{"email":`), 400, "unreadable")
	p.want(p.call("POST", login, "", `{"email":"a@example.com","password":"`+strings.Repeat("a", 2<<20)+`"}`), 413,
		"body_too_large")
}

func TestOlderClientsMaySendWhatTheySent(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	p.signUp("a@example.com")
	for _, more := range []string{
		`"captcha_key":"0b0e6d5a-8f07-4a7e-9d0a-6f2d8f0c1b11","tiago2_cap_token":"x"`,
		`"verify_token":null,"two_fa_code":null`, `"verify_token":"a:b","two_fa_code":"123456"`, `"two_fa_code":""`,
	} {
		p.want(p.call("POST", login, "", fmt.Sprintf(`{"email":"a@example.com","password":%q,%s}`, password, more)),
			200, "")
	}
}

func TestRefusalsSayWhatTheyAre(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	p.signUp("a@example.com")
	a := p.want(p.call("POST", register, "",
		fmt.Sprintf(`{"email":"A@example.com","name":"b","password":%q,"re_password":%q}`, password, password)), 409,
		"email_taken")
	if a.fields() != "email:email_taken" {
		t.Error(a.raw)
	}
	wrong := func(email string) answer {
		return p.call("POST", login, "", fmt.Sprintf(`{"email":%q,"password":"wrong password"}`, email))
	}
	for range 5 {
		known, unknown := p.want(wrong("a@example.com"), 401, "wrong_credentials"), p.want(wrong("b@example.com"), 401,
			"wrong_credentials")
		if known.Message != unknown.Message || len(known.Errors) != 0 {
			t.Errorf("%s, but %s", known.raw, unknown.raw)
		}
	}
	a = p.want(wrong("a@example.com"), 403, "captcha_required")
	if !strings.Contains(a.raw, `"details":{"captcha_key_type":"login","provider":"pow","site_key":""}`) {
		t.Error(a.raw)
	}
	if err := p.settings.Set(t.Context(),
		map[string]json.RawMessage{"captcha_login": json.RawMessage(`"never"`)}); err != nil {
		t.Fatal(err)
	}
	a = p.want(wrong("a@example.com"), 429, "too_many_failures")
	if after := a.header.Get("Retry-After"); after == "" || after == "0" {
		t.Errorf("Retry-After %q", after)
	}
	// The limit is on the address that a trusted proxy names, not on the proxy.
	req := httptest.NewRequestWithContext(t.Context(), "POST", login,
		strings.NewReader(fmt.Sprintf(`{"email":"a@example.com","password":%q}`, password)))
	req.RemoteAddr = "127.0.0.1:4000"
	req.Header.Set("X-Forwarded-For", "203.0.113.5")
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	p.handler.ServeHTTP(rec, req)
	if rec.Code != 200 {
		t.Errorf("from elsewhere: %d %s", rec.Code, rec.Body)
	}
}
