package v1_test

import (
	"strings"
	"testing"
)

func TestThePasswordOnNodesIsMadeAndNeverChosen(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "")
	s.want(s.call("POST", "/v1/user/sspwd", "", "", nil), 401, "sign_in_required")
	seen := map[any]bool{"chosen": true}
	for range 2 {
		made := s.want(s.call("POST", "/v1/user/sspwd?sspwd=chosen", ming.Access, "", nil), 200, "")["sspwd"]
		if seen[made] || len(made.(string)) < 16 {
			t.Errorf("made %v", made)
		}
		seen[made] = true
	}
}

func TestTheOlderResetMakesAnotherLink(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "")
	s.want(s.call("GET", "/v1/user/url_reset", "", "", nil), 401, "sign_in_required")
	seen := map[any]bool{}
	for range 2 {
		made := s.want(s.call("GET", "/v1/user/url_reset", ming.Access, "", nil), 200, "")
		if token, ok := made["token"].(string); !ok || len(token) != 32 || seen[token] || !strings.HasSuffix(made["url"].(string), "/link2/"+token) {
			t.Errorf("made %v", made)
		}
		seen[made["token"]] = true
	}
}
