package v2_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestASecondFactorIsTurnedOnUsedAndTurnedOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := d.Now()
		d.SetClock(func() time.Time { return now })
		p := serve(t, d)
		mine := p.signUp("a@example.com")
		path := "/api/v2/user/account/security"
		var state map[string]any
		same(t, "security", p.call(http.MethodGet, path, mine.AccessToken, "").into(t, &state),
			"email_notification", "ga_enable", "ga_enabled_at", "password_changed_at", "recovery_codes_left")
		if state["ga_enable"] != false || state["email_notification"] != true {
			t.Errorf("%v", state)
		}
		for body, want := range map[string]string{
			`{"ga_enable":true}`:                 "ga_token:required",
			`{"ga_enable":false,"ga_token":"1"}`: "password:required",
			`{"ga_enable":"yes"}`:                "ga_enable:type",
		} {
			if got := p.want(p.call(http.MethodPost, path, mine.AccessToken, body), 422, "invalid_input").
				fields(); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
		p.want(p.call(http.MethodPost, path, mine.AccessToken, `{"ga_enable":true,"ga_token":"123456"}`), 409,
			"two_factor_not_begun")

		begin := "/api/v2/user/account/two-factor/begin"
		if got := p.want(p.call(http.MethodPost, begin, mine.AccessToken, `{"password":"wrong one"}`), 422,
			"invalid_input").fields(); got != "password:wrong_credentials" {
			t.Error(got)
		}
		var enrolment struct{ Secret, URI string }
		p.call(http.MethodPost, begin, mine.AccessToken, fmt.Sprintf(`{"password":%q}`, password)).into(t, &enrolment)
		code := func() string {
			code, err := totp.GenerateCode(enrolment.Secret, now)
			if err != nil {
				t.Fatal(err)
			}
			return code
		}
		if got := p.want(p.call(http.MethodPost, path, mine.AccessToken, `{"ga_enable":true,"ga_token":"12345x"}`), 422,
			"invalid_input").fields(); got != "ga_token:two_fa_wrong" {
			t.Error(got)
		}
		var on struct {
			RecoveryCodes []string `json:"recovery_codes"`
		}
		p.call(http.MethodPost, path, mine.AccessToken, fmt.Sprintf(`{"ga_enable":true,"ga_token":%q}`, code())).
			into(t, &on)
		if len(on.RecoveryCodes) != 10 {
			t.Fatalf("%q", on.RecoveryCodes)
		}

		signIn := func(second string) answer {
			body, err := json.Marshal(map[string]string{
				"email": "a@example.com", "password": password,
				"two_fa_code": second,
			})
			if err != nil {
				t.Fatal(err)
			}
			return p.call(http.MethodPost, "/api/v2/auth/account_login/login", "", string(body))
		}
		now = now.Add(30 * time.Second)
		if got := p.want(signIn(""), 401, "two_fa_required").fields(); got != "two_fa_code:two_fa_required" {
			t.Error(got)
		}
		p.want(signIn("00000x"), 401, "two_fa_wrong")
		p.want(signIn(on.RecoveryCodes[0]), 200, "")
		p.want(signIn(code()), 200, "")
		p.want(signIn(code()), 401, "two_fa_wrong")

		var fresh struct {
			RecoveryCodes []string `json:"recovery_codes"`
		}
		p.call(http.MethodPost, "/api/v2/user/account/two-factor/recovery-codes", mine.AccessToken,
			fmt.Sprintf(`{"password":%q,"ga_token":%q}`, password, on.RecoveryCodes[1])).into(t, &fresh)
		p.want(p.call(http.MethodPost, path, mine.AccessToken,
			fmt.Sprintf(`{"ga_enable":false,"ga_token":%q,"password":%q}`, fresh.RecoveryCodes[0], password)), 200, "")
		p.want(p.call(http.MethodPost, path, mine.AccessToken, `{"email_notification":false}`), 200, "")
		p.call(http.MethodGet, path, mine.AccessToken, "").into(t, &state)
		if state["ga_enable"] != false || state["email_notification"] != false {
			t.Errorf("%v", state)
		}
		for _, refused := range []string{
			`{"email_notification":true,"ga_enable":true,"ga_token":"000000"}`,
			`{"email_notification":true,"ga_enable":true}`,
			`{"email_notification":true,"ga_enable":false,"ga_token":"000000"}`,
			fmt.Sprintf(`{"email_notification":true,"ga_enable":false,"ga_token":"000000","password":%q}`, password),
		} {
			if got := p.call(http.MethodPost, path, mine.AccessToken, refused); got.status == http.StatusOK {
				t.Errorf("%s: %s", refused, got.raw)
			}
		}
		p.call(http.MethodGet, path, mine.AccessToken, "").into(t, &state)
		if state["email_notification"] != false {
			t.Error("a refused change of the second factor changed the notices")
		}
		p.want(signIn(""), 200, "")
	})
}

func TestSessionsLogsAndProfileAreServed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		mine := p.signUp("a@example.com")
		base := "/api/v2/user/account/"
		login := fmt.Sprintf(`{"email":"a@example.com","password":%q}`, password)
		p.want(p.call(http.MethodPost, "/api/v2/auth/account_login/login", "", login, "User-Agent",
			"Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"), 200, "")

		type session struct {
			ID      string `json:"session_id"`
			Current bool   `json:"is_current"`
			Browser string
			Area    string
		}
		sessions := func() []session {
			var list struct {
				Sessions []session `json:"result_list"`
			}
			if err := json.Unmarshal([]byte(p.call(http.MethodGet, base+"sessions", mine.AccessToken, "").raw),
				&list); err != nil {
				t.Fatal(err)
			}
			return list.Sessions
		}
		all := sessions()
		if len(all) != 2 || !all[0].Current || all[1].Current || all[1].Browser != "Firefox 144" ||
			all[1].Area != "ZZ" {
			t.Fatalf("%+v", all)
		}
		p.want(p.call(http.MethodDelete, base+"sessions/"+all[1].ID, mine.AccessToken, ""), 200, "")
		p.want(p.call(http.MethodDelete, base+"sessions/"+all[1].ID, mine.AccessToken, ""), 404, "session_not_found")
		p.want(p.call(http.MethodDelete, base+"sessions/mine", mine.AccessToken, ""), 422, "invalid_input")
		p.want(p.call(http.MethodPost, "/api/v2/auth/account_login/login", "", login), 200, "")
		p.want(p.call(http.MethodPost, base+"sessions/end-others", mine.AccessToken, ""), 200, "")
		if all = sessions(); len(all) != 1 {
			t.Errorf("%+v", all)
		}

		p.want(p.call(http.MethodPost, "/api/v2/auth/account_login/login", "",
			`{"email":"a@example.com","password":"wrong one"}`), 401, "wrong_credentials")
		var log struct {
			Tries []struct {
				ID      *string
				LoginIP string `json:"login_ip"`
				IsLogin bool   `json:"is_login"`
				Wrong   string
			} `json:"result_list"`
		}
		if err := json.Unmarshal([]byte(p.call(http.MethodGet, base+"login-ip-log", mine.AccessToken, "").raw),
			&log); err != nil {
			t.Fatal(err)
		}
		if n := len(log.Tries); n != 4 || log.Tries[0].IsLogin || log.Tries[0].Wrong != "password" ||
			!log.Tries[1].IsLogin || log.Tries[1].LoginIP != "192.0.2.1" {
			t.Errorf("%+v", log.Tries)
		}

		if got := p.want(p.call(http.MethodPost, base+"edit-profile", mine.AccessToken, `{"user_name":" "}`), 422,
			"invalid_input").fields(); got != "user_name:length" {
			t.Error(got)
		}
		p.want(p.call(http.MethodPost, base+"edit-profile", mine.AccessToken, `{"user_name":"小红"}`), 200, "")
		var activity struct {
			Total      int `json:"total_count"`
			Activities []struct {
				Type        string `json:"activity_type"`
				Description string
			}
		}
		p.call(http.MethodGet, base+"activity?size=2", mine.AccessToken, "", "Accept-Language", "en").into(t, &activity)
		if activity.Total != 6 || len(activity.Activities) != 2 || activity.Activities[0].Type != "profile_changed" ||
			activity.Activities[0].Description != "Profile changed" {
			t.Errorf("%+v", activity)
		}
		p.want(p.call(http.MethodGet, base+"activity?page=0", mine.AccessToken, ""), 422, "invalid_input")
		p.want(p.call(http.MethodPost, base+"edit-password", mine.AccessToken,
			fmt.Sprintf(`{"current_password":%q,"new_password":"a wholly new one"}`, password)), 200, "")
		p.want(p.call(http.MethodGet, base+"sessions", mine.AccessToken, ""), 401, "signed_out")
	})
}
