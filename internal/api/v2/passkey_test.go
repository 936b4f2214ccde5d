package v2_test

import (
	"fmt"
	"net/http"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestThePasskeyOperationsSpeakWebAuthn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		mine := p.signUp("a@example.com")
		path := "/api/v2/user/account/passkeys"
		p.want(p.call(http.MethodGet, path, "", ""), 401, "sign_in_required")
		if a := p.want(p.call(http.MethodGet, path, mine.AccessToken, ""), 200, ""); a.Result != nil {
			t.Error(a.raw)
		}
		var creation struct {
			Options struct {
				Challenge              string
				Attestation            string
				RP                     struct{ ID, Name string }
				User                   struct{ Name, DisplayName string }
				AuthenticatorSelection struct{ ResidentKey, UserVerification string }
			}
		}
		body := fmt.Sprintf(`{"name":"Key","password":%q}`, password)
		p.want(p.call(http.MethodPost, path+"/begin", mine.AccessToken, body, "Host", "evil.example.com"), 200, "").
			into(t, &creation)
		o := creation.Options
		if o.RP.ID != "localhost" || o.RP.Name == "" || o.User.Name != "a@example.com" || o.User.DisplayName != "小明" ||
			len(o.Challenge) < 40 ||
			o.AuthenticatorSelection.ResidentKey != "required" ||
			o.AuthenticatorSelection.UserVerification != "required" || o.Attestation != "none" {
			t.Errorf("%+v", o)
		}
		if got := p.want(p.call(http.MethodPost, path+"/begin", mine.AccessToken, `{"password":"wrong one"}`), 422,
			"invalid_input").fields(); got != "password:wrong_credentials" {
			t.Error(got)
		}
		p.want(p.call(http.MethodPost, path+"/finish", mine.AccessToken, `{"credential":{}}`), 403, "passkey_invalid")
		p.want(p.call(http.MethodPost, path+"/1", mine.AccessToken, `{"name":"Key"}`), 404, "passkey_not_found")
		p.want(p.call(http.MethodDelete, path+"/1", mine.AccessToken, ""), 404, "passkey_not_found")

		var request struct {
			Options struct {
				Challenge, RPID, UserVerification string
				AllowCredentials                  []any
			}
		}
		p.want(p.call(http.MethodPost, "/api/v2/auth/passkey/begin", "", ""), 200, "").into(t, &request)
		if r := request.Options; r.RPID != "localhost" || r.UserVerification != "required" ||
			r.AllowCredentials != nil || r.Challenge == "" {
			t.Errorf("%+v", r)
		}
		p.want(p.call(http.MethodPost, "/api/v2/auth/passkey/finish", "", `{"credential":{"id":"AA"}}`), 403,
			"passkey_invalid")
	})
}

func TestAnAccountIsClosedByWhoSeesWhatItCosts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		mine := p.signUp("a@example.com")
		path := "/api/v2/user/account/close"
		var loss map[string]any
		same(t, "loss", p.want(p.call(http.MethodGet, path, mine.AccessToken, ""), 200, "").into(t, &loss), "balance",
			"commission", "forfeit", "services", "ga_enable")
		if loss["forfeit"] != "0.00" || loss["ga_enable"] != false {
			t.Errorf("%v", loss)
		}
		for body, want := range map[string]string{
			`{"password":"x","email":"b@example.com","forfeit":"1.00"}`:                         "email:mismatch forfeit:changed",
			`{"password":"x","email":"a@example.com","forfeit":"0.00","ga_token":"ABCDEFGHIJ"}`: "password:wrong_credentials",
		} {
			if got := p.want(p.call(http.MethodPost, path, mine.AccessToken, body), 422, "invalid_input").
				fields(); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
		p.want(p.call(http.MethodPost, path, mine.AccessToken,
			fmt.Sprintf(`{"password":%q,"email":"a@example.com","forfeit":"0.00"}`, password)), 200, "")
		p.want(p.call(http.MethodGet, path, mine.AccessToken, ""), 401, "signed_out")
		p.signUp("a@example.com")
	})
}
