package v2_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
)

const (
	requestLoginCode = "/api/v2/auth/account_login/request-email-code"
	loginByCode      = "/api/v2/auth/account_login/login-by-email-code"
	requestResetCode = "/api/v2/auth/account_reset_password/request-email-code"
	resetPassword    = "/api/v2/auth/account_reset_password"
	editEmail        = "/api/v2/user/account/edit-email"
)

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// mailed returns the code in the newest mail to an address.
func (p *people) mailed(email string) string {
	p.Helper()
	mails := mail.New(p.db, seal.Key{1}, p.settings, secret.New(p.db, seal.Key{1}), "http://localhost:8080")
	all, err := mails.List(p.Context(), 100)
	if err != nil {
		p.Fatal(err)
	}
	for _, m := range all {
		if m.Recipient == email {
			_, letter, err := mails.Show(p.Context(), m.ID)
			if err != nil {
				p.Fatal(err)
			}
			return sixDigits.FindString(letter.Text)
		}
	}
	p.Fatalf("no mail to %s", email)
	return ""
}

// hours lets time go by.
func (p *people) hours(n int) {
	now := p.db.Now().Add(time.Duration(n) * time.Hour)
	p.db.SetClock(func() time.Time { return now })
}

func (p *people) set(name, value string) {
	p.Helper()
	if err := p.settings.Set(p.Context(), map[string]json.RawMessage{name: json.RawMessage(value)}); err != nil {
		p.Fatal(err)
	}
}

func (p *people) wantFields(a answer, fields string) {
	p.Helper()
	if p.want(a, 422, "invalid_input"); a.fields() != fields {
		p.Fatalf("%s, want %s", a.raw, fields)
	}
}

func TestCodesSignUpAndInAndSetPasswords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		p.set("sign_up_email_code", `true`)
		up := func(code string) answer {
			return p.call("POST", register, "",
				fmt.Sprintf(`{"email":"a@example.com","name":"小明","password":%q,"re_password":%q,"email_code":%q}`,
					password, password, code))
		}
		p.wantFields(up(""), "email_code:code_required")
		ask := `{"email":"a@example.com","verify_token":null}`
		p.want(p.call("POST", register+"/request-email-code", "", ask), 200, "")
		p.wantFields(up("abcdef"), "email_code:code_format")
		p.want(up(p.mailed("a@example.com")), 200, "")

		if a := p.want(p.call("POST", requestLoginCode, "", ask), 429,
			"email_code_too_soon"); a.header.Get("Retry-After") == "" {
			t.Errorf("%v", a.header)
		}
		p.hours(1)
		p.want(p.call("POST", requestLoginCode, "", ask), 200, "")
		p.wantFields(p.call("POST", loginByCode, "", `{"email":"a@example.com","email_code":"12"}`),
			"email_code:code_format")
		var in tokens
		a := p.want(p.call("POST", loginByCode, "",
			fmt.Sprintf(`{"email":"a@example.com","email_code":%q,"is_remember_me":true}`, p.mailed("a@example.com"))),
			200, "")
		same(t, "sign-in by code", a.into(t, &in), "access_token", "refresh_token", "user_id")
		p.want(p.call("GET", "/api/v2/user/get_me", in.AccessToken, ""), 200, "")

		p.hours(1)
		known, unknown := p.call("POST", requestResetCode, "", ask), p.call("POST", requestResetCode, "",
			`{"email":"b@example.com"}`)
		if p.want(known, 200, ""); known.raw != unknown.raw {
			t.Errorf("%s, but %s", known.raw, unknown.raw)
		}
		set := func(code, password string) answer {
			return p.call("POST", resetPassword+"/", "",
				fmt.Sprintf(`{"email":"a@example.com","email_code":%q,"password":%q}`, code, password))
		}
		code := p.mailed("a@example.com")
		p.wantFields(set("", "short"), "email_code:code_required password:length")
		p.want(set(code, "a wholly new one"), 200, "")
		p.wantFields(set(code, "a wholly new one"), "email_code:code_used")
		p.want(p.call("POST", login, "", `{"email":"a@example.com","password":"a wholly new one"}`), 200, "")
	})
}

func TestTheAddressIsChangedWithBothCodes(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	me := p.signUp("a@example.com")
	ask := func(email, password string) answer {
		return p.call("POST", editEmail+"/request-email-code", me.AccessToken,
			fmt.Sprintf(`{"email":%q,"current_password":%q}`, email, password))
	}
	p.wantFields(ask("a@example.com", password), "email:same")
	p.wantFields(ask("b@example.com", "wrong password"), "current_password:wrong_password")
	p.want(ask("b@example.com", password), 200, "")
	change := func(code, current string) answer {
		return p.call("POST", editEmail, me.AccessToken,
			fmt.Sprintf(`{"email":"b@example.com","email_code":%q,"current_email_code":%q}`, code, current))
	}
	p.wantFields(change("", "12"), "current_email_code:code_format email_code:code_required")
	p.want(change(p.mailed("b@example.com"), p.mailed("a@example.com")), 200, "")
	var got struct{ Email string }
	p.want(p.call("GET", "/api/v2/user/get_me", me.AccessToken, ""), 200, "").into(t, &got)
	if got.Email != "b@example.com" {
		t.Errorf("%+v", got)
	}
}
