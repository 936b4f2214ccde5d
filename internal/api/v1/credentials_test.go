package v1_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"airstrip/internal/account"
)

func TestSSPwd_OfAGoodValue_IsTaken_AndOneIsMadeWithoutIt(t *testing.T) {
	s := newSite(t)
	ming, ann := s.person("ming@example.com", ""), s.person("ann@example.com", "")
	const path, good = "/v1/user/sspwd", "kJ3-9x_pQ2v~Lm8.Zt"
	set := func(who account.Grant, value string) *httptest.ResponseRecorder {
		return s.call("POST", path, who.Access, "", url.Values{"sspwd": {value}})
	}
	s.want(s.call("POST", path, "", "", nil), 401, "sign_in_required")
	seen := map[any]bool{}
	for range 2 {
		made := s.want(s.call("POST", path, ming.Access, "", nil), 200, "")["sspwd"]
		if seen[made] || len(made.(string)) < 16 {
			t.Errorf("made %v", made)
		}
		seen[made] = true
	}
	for _, bad := range []string{
		"short", strings.Repeat("a", 20), "abcdefghijklmnopq", "kJ3 9x pQ2v Lm8 Zt",
		strings.Repeat("kJ3-9x_p", 9), "密码密码密码密码密码密码",
	} {
		w := set(ming, bad)
		s.want(w, 422, "invalid_input")
		if !strings.Contains(w.Body.String(), `"field":"sspwd"`) {
			t.Errorf("%q: %s", bad, w.Body)
		}
	}
	for range 2 {
		if got := s.want(set(ming, good), 200, "")["sspwd"]; got != good {
			t.Errorf("sspwd %v, want %s", got, good)
		}
	}
	s.want(set(ann, good), 422, "invalid_input") // nodes could not tell the two apart
	s.want(s.call("POST", path, ming.Access, "", nil), 200, "")
	s.want(set(ann, good), 200, "")
}

func TestTheOlderResetMakesAnotherLink(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "")
	s.want(s.call("GET", "/v1/user/url_reset", "", "", nil), 401, "sign_in_required")
	seen := map[any]bool{}
	for range 2 {
		made := s.want(s.call("GET", "/v1/user/url_reset", ming.Access, "", nil), 200, "")
		if token, ok := made["token"].(string); !ok || len(token) != 32 || seen[token] ||
			!strings.HasSuffix(made["url"].(string), "/link2/"+token) {
			t.Errorf("made %v", made)
		}
		seen[made["token"]] = true
	}
}
