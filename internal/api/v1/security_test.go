package v1_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

func TestTheSecondFactorIsSetInItsOlderForm(t *testing.T) {
	s := newSite(t)
	bearer := s.person("a@example.com", "").Access
	set := func(fields ...string) url.Values {
		form := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return form
	}
	post := func(path string, form url.Values, status int, code string) map[string]any {
		t.Helper()
		return s.want(s.call(http.MethodPost, "/v1/user/"+path, bearer, "application/json", form), status, code)
	}
	post("gaset", set(), 422, "invalid_input")
	post("gaset", set("enable", "1", "passwd", "wrong one"), 422, "invalid_input")
	post("gaset", set("enable", "0"), 422, "invalid_input")
	post("gacheck", set("code", "123456"), 409, "two_factor_off")
	enrolment := post("gaset", set("enable", "1", "passwd", sitePassword), 200, "")
	secret, _ := enrolment["ga_token"].(string)
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	post("gacheck", set("code", "00000x"), 422, "invalid_input")
	post("gacheck", set("code", code), 200, "")
	codes, _ := post("gaset", set("enable", "1", "code", code), 200, "")["recovery_codes"].([]any)
	if len(codes) != 10 {
		t.Fatalf("%v", codes)
	}
	post("gaset", set("enable", "0", "passwd", sitePassword, "code", "00000x"), 422, "invalid_input")
	first, _ := codes[0].(string)
	post("gaset", set("enable", "0", "passwd", sitePassword, "code", first), 200, "")
	post("gaset", set("enable", "0", "passwd", sitePassword, "code", first), 409, "two_factor_off")
}
